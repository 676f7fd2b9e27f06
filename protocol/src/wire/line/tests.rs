use super::*;

type Got = Vec<Result<String, LineFault>>;

/// All lines of the pieces, the unfinished last one included.
fn lines<'a>(limit: usize, pieces: impl IntoIterator<Item = &'a [u8]>) -> Got {
    let mut buffer = LineBuffer::new(limit);
    let mut got = Got::new();
    for piece in pieces {
        got.extend(buffer.push(piece).map(|line| line.map(Cow::into_owned)));
    }
    got.extend(buffer.finish());
    got
}

fn text(line: &str) -> Result<String, LineFault> {
    Ok(line.to_owned())
}

#[test]
fn lines_end_with_a_line_feed_and_nothing_else() {
    let input = "a\nb\r\nc\rd\u{2028}e\u{2029}f\u{85}g\x0bh\r\r\nlast".as_bytes();
    let expected = vec![
        text("a"),
        text("b"),
        text("c\rd\u{2028}e\u{2029}f\u{85}g\x0bh\r"),
        text("last"),
    ];
    assert_eq!(lines(100, [input]), expected);
    assert_eq!(lines(100, input.chunks(1)), expected);
}

#[test]
fn blank_lines_are_skipped() {
    let input = b"\n\r\n  \t \r\n\r\r\na\n \n\r";
    assert_eq!(lines(100, [input.as_slice()]), [text("a")]);
    assert_eq!(lines(100, input.chunks(1)), [text("a")]);
}

#[test]
fn a_line_over_the_limit_is_told_once_and_skipped_to_its_end() {
    let input = b"12345\n123456\n12345\r\n123456\r\n123\r\r\n1234567890123456\nok\n";
    let fault = Err(LineFault::TooLong { limit: 5 });
    let expected = vec![
        text("12345"),
        fault.clone(),
        text("12345"),
        fault.clone(),
        text("123\r"),
        fault,
        text("ok"),
    ];
    for size in 1..=input.len() {
        assert_eq!(lines(5, input.chunks(size)), expected, "pieces of {size}");
    }
}

#[test]
fn a_line_over_the_limit_is_told_before_it_ends_and_its_room_is_given_back() {
    let mut buffer = LineBuffer::new(1000);
    assert_eq!(buffer.push(&[b'x'; 1000]).count(), 0);
    assert_eq!(
        buffer.push(b"x").collect::<Vec<_>>(),
        [Err(LineFault::TooLong { limit: 1000 })]
    );
    assert_eq!(buffer.pending.capacity(), 0);
    assert_eq!(buffer.push(&[b'x'; 5000]).count(), 0);
    assert_eq!(buffer.pending.capacity(), 0);
    assert_eq!(buffer.finish(), None);
}

#[test]
fn what_is_not_utf8_is_a_fault_of_its_line() {
    let input = b"a\n\xff\nb\xc3\n\xc3\xa4\n\xed\xa0\x80";
    let fault = || Err(LineFault::NotUtf8);
    let expected = vec![text("a"), fault(), fault(), text("\u{e4}"), fault()];
    assert_eq!(lines(100, [input.as_slice()]), expected);
    assert_eq!(lines(100, input.chunks(1)), expected);
}

#[test]
fn a_line_inside_the_bytes_is_not_copied() {
    let mut buffer = LineBuffer::default();
    let got: Vec<_> = buffer.push(b"one\ntwo\nthr").collect();
    assert!(matches!(
        got[..],
        [Ok(Cow::Borrowed("one")), Ok(Cow::Borrowed("two"))]
    ));
    let got: Vec<_> = buffer.push(b"ee\n").collect();
    assert!(matches!(&got[..], [Ok(Cow::Owned(line))] if line == "three"));
    assert_eq!(buffer.pending.capacity(), 0);
}

#[test]
fn a_long_line_in_small_pieces_holds_little_more_than_itself() {
    let size = 32 << 20;
    let piece = vec![b'x'; 64 << 10];
    let mut buffer = LineBuffer::default();
    let mut regrown = 0;
    for _ in 0..size / piece.len() {
        let room = buffer.pending.capacity();
        assert_eq!(buffer.push(&piece).count(), 0);
        let held = buffer.pending.len();
        let most = held + held.max(2 << 20) / 4 + LARGE;
        assert!(buffer.pending.capacity() <= most);
        regrown += usize::from(room != buffer.pending.capacity());
    }
    // Each regrowth may copy: their number must not grow with that of the pieces.
    assert!(regrown <= 25, "{regrown}");
    let room = buffer.pending.capacity();
    let mut ended = buffer.push(b"\n");
    let Some(Ok(Cow::Owned(line))) = ended.next() else {
        panic!("no line");
    };
    assert_eq!((line.len(), line.capacity()), (size, room));
    assert!(ended.next().is_none());
    assert_eq!(buffer.pending.capacity(), 0);
}

#[test]
fn the_room_stops_at_the_limit() {
    let limit = 3 << 20;
    let mut buffer = LineBuffer::new(limit);
    let whole = vec![b'x'; limit];
    for piece in whole.chunks(1000) {
        assert_eq!(buffer.push(piece).count(), 0);
    }
    assert!(buffer.pending.capacity() <= limit + 1);
    assert_eq!(buffer.push(b"\r\n").count(), 1);
}
