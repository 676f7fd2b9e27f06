//! Cutting the same bytes as a whole and byte by byte gives the same lines.
#![no_main]

use greenroom_protocol::wire::LineBuffer;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let own = |line: Result<std::borrow::Cow<'_, str>, _>| line.map(|line| line.into_owned());
    let (mut whole, mut single) = (LineBuffer::new(16), LineBuffer::new(16));
    let mut expected: Vec<_> = whole.push(bytes).map(own).collect();
    expected.extend(whole.finish());
    let mut got: Vec<_> = Vec::new();
    for byte in bytes.chunks(1) {
        got.extend(single.push(byte).map(own));
    }
    got.extend(single.finish());
    assert_eq!(got, expected);
});
