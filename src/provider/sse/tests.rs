use proptest::prelude::*;

use super::{EventTooLong, MAX_EVENT, SseEvent, SseParser};

fn event(name: &str, data: &str) -> SseEvent {
    SseEvent {
        name: name.into(),
        data: data.into(),
    }
}

fn parse(pieces: &[&[u8]]) -> Vec<SseEvent> {
    let mut parser = SseParser::default();
    let mut events = Vec::new();
    for piece in pieces {
        parser.push(piece, &mut events).unwrap();
    }
    events
}

#[test]
fn reads_names_data_and_comments() {
    let stream = b"\xef\xbb\xbfevent: ping\ndata: {}\n\n: alive\nid: 7\nretry: 10\ndata:one\ndata:  two\ndata\n\nevent: lone\n\ndata: last\r\n\r\n";
    assert_eq!(
        parse(&[stream]),
        [
            event("ping", "{}"),
            event("", "one\n two\n"),
            event("", "last")
        ]
    );
}

#[test]
fn knows_all_three_ends_of_a_line() {
    let expected = [event("", "a\nb"), event("", "c")];
    assert_eq!(parse(&[b"data: a\ndata: b\n\ndata: c\n\n"]), expected);
    assert_eq!(parse(&[b"data: a\rdata: b\r\rdata: c\r\r"]), expected);
    assert_eq!(
        parse(&[b"data: a\r\ndata: b\r\n\r\ndata: c\r\n\r\n"]),
        expected
    );
    // An empty chunk between CR and LF must not forget the CR.
    assert_eq!(
        parse(&[b"data: a\r", b"", b"\ndata: b\r\n\r\ndata: c\n\n"]),
        expected
    );
}

#[test]
fn an_empty_data_line_makes_an_event_and_an_unfinished_one_does_not() {
    assert_eq!(parse(&[b"data:\n\ndata: cut\n"]), [event("", "")]);
    assert_eq!(parse(&[b"data: cut"]), []);
}

#[test]
fn a_byte_order_mark_counts_only_at_the_start() {
    let stream = b"\xef\xbb\xbfdata: a\n\n\xef\xbb\xbfdata: b\n\n";
    assert_eq!(parse(&[stream]), [event("", "a")]);
}

#[test]
fn every_cut_gives_the_same_events() {
    let stream =
        "\u{feff}event: x\r\ndata: grüße 漢字 🦀\r\n\r\n: c\rdata: 1\rdata: 2\r\rdata: z\n\n";
    let bytes = stream.as_bytes();
    let whole = parse(&[bytes]);
    assert_eq!(whole.len(), 3);
    for cut in 0..=bytes.len() {
        let (head, tail) = bytes.split_at(cut);
        assert_eq!(parse(&[head, tail]), whole, "cut at {cut}");
    }
    let single: Vec<&[u8]> = bytes.chunks(1).collect();
    assert_eq!(parse(&single), whole);
}

#[test]
fn an_event_beyond_the_cap_is_an_error() {
    let mut parser = SseParser::default();
    let mut events = Vec::new();
    let line = [b"data: ".as_slice(), &vec![b'x'; MAX_EVENT / 2], b"\n"].concat();
    parser.push(&line, &mut events).unwrap();
    assert_eq!(parser.push(&line, &mut events), Err(EventTooLong));
    // So is a comment that never ends.
    let mut parser = SseParser::default();
    let comment = [b":".as_slice(), &vec![b'x'; MAX_EVENT]].concat();
    assert_eq!(parser.push(&comment, &mut events), Err(EventTooLong));
}

#[test]
fn a_large_event_in_small_chunks_takes_linear_work() {
    // Rescanning would look at 4 MiB some three thousand times and run for
    // minutes; one pass takes milliseconds.
    let text = "y".repeat(4 * 1024 * 1024);
    let stream = format!("data: {text}\n\n");
    let pieces: Vec<&[u8]> = stream.as_bytes().chunks(1400).collect();
    assert_eq!(parse(&pieces), [event("", &text)]);
}

fn fragment() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        Just(b"data: ".to_vec()),
        Just(b"event: ".to_vec()),
        Just(b": note".to_vec()),
        Just(b"\n".to_vec()),
        Just(b"\r".to_vec()),
        Just(b"\r\n".to_vec()),
        Just(b"\n\n".to_vec()),
        Just("é🦀".as_bytes().to_vec()),
        Just(b"\xef\xbb\xbf".to_vec()),
        prop::collection::vec(any::<u8>(), 0..4),
    ]
}

proptest! {
    #[test]
    fn cuts_never_matter(
        fragments in prop::collection::vec(fragment(), 0..40),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..8),
    ) {
        let stream = fragments.concat();
        let mut at: Vec<usize> = cuts.iter().map(|cut| cut.index(stream.len() + 1)).collect();
        at.sort_unstable();
        let mut pieces = Vec::new();
        let mut from = 0;
        for to in at {
            pieces.push(&stream[from..to]);
            from = to;
        }
        pieces.push(&stream[from..]);
        prop_assert_eq!(parse(&pieces), parse(&[&stream]));
    }
}
