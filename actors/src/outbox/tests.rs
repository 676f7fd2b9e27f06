use super::*;

fn path(soft_bytes: usize) -> (Outbox, OutboxReader) {
    outbox(Wants {
        soft_bytes,
        tool_output: true,
    })
}

fn text(seq: u64, piece: &str) -> Out {
    Out::Happened(Arc::new(Event {
        seq,
        at: Millis(seq),
        happening: Happening::TextAdded {
            entry: EntryId(1),
            text: piece.into(),
        },
    }))
}

fn notice(seq: u64) -> Out {
    Out::Happened(Arc::new(Event {
        seq,
        at: Millis(seq),
        happening: Happening::Noticed { text: "n".into() },
    }))
}

#[test]
fn a_reader_who_keeps_up_gets_every_piece_by_itself() {
    let (outbox, mut reader) = path(1 << 10);
    outbox.push(text(1, "a"));
    outbox.push(text(2, "b"));
    let mut outs = Vec::new();
    assert!(reader.take_now(&mut outs, 10));
    assert_eq!(outs, [text(1, "a"), text(2, "b")]);
    assert_eq!(reader.waiting_bytes(), 0);
}

#[test]
fn behind_the_bound_only_neighbouring_pieces_merge() {
    let (outbox, mut reader) = path(0);
    outbox.push(notice(1));
    for (seq, piece) in [(2, "a"), (3, "b"), (4, "c")] {
        outbox.push(text(seq, piece));
    }
    outbox.push(notice(5));
    outbox.push(text(6, "d"));
    let mut outs = Vec::new();
    reader.take_now(&mut outs, 10);
    assert_eq!(outs, [notice(1), text(4, "abc"), notice(5), text(6, "d")]);
    assert_eq!(reader.waiting_bytes(), 0);
}

#[test]
fn a_stopped_reader_costs_what_the_text_is_long() {
    let (outbox, reader) = path(1 << 10);
    for seq in 1..=100_000 {
        outbox.push(text(seq, "x"));
    }
    assert!(
        reader.waiting_bytes() < 110_000,
        "{}",
        reader.waiting_bytes()
    );
}

#[test]
fn nothing_is_kept_for_a_reader_who_is_gone() {
    let (outbox, reader) = path(1 << 10);
    assert!(outbox.push(notice(1)));
    drop(reader);
    assert!(!outbox.push(notice(2)));
}

#[tokio::test]
async fn a_waiting_reader_is_woken() {
    let (outbox, mut reader) = path(1 << 10);
    let reading = tokio::spawn(async move {
        let mut outs = Vec::new();
        reader.take(&mut outs, 10).await;
        outs
    });
    tokio::task::yield_now().await;
    outbox.push(notice(7));
    assert_eq!(reading.await.unwrap(), [notice(7)]);
}

#[test]
fn tool_output_goes_only_to_who_has_words_for_it() {
    let output = || {
        let (call, stream) = (CallId::new("c1"), OutputStream::Stdout);
        let text = "o".into();
        Out::Happened(Arc::new(Event {
            seq: 1,
            at: Millis(1),
            happening: Happening::CallOutput { call, stream, text },
        }))
    };
    let (outbox, mut reader) = outbox(Wants {
        soft_bytes: 1,
        tool_output: false,
    });
    assert!(outbox.push(output()));
    assert!(!reader.take_now(&mut Vec::new(), 10));
    let (outbox, mut reader) = path(1);
    assert!(outbox.push(output()));
    assert!(reader.take_now(&mut Vec::new(), 10));
}
