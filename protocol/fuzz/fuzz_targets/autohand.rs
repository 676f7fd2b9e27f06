//! Every line is a command or is answered with one frame on one line.
#![no_main]

use greenroom_protocol::dialect::{Dialect, autohand::Autohand};
use greenroom_protocol::session::{Millis, Reply};
use greenroom_protocol::wire::Frames;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|line: &str| {
    let (mut wire, mut out) = (Autohand::new(), Frames::new());
    if let Some((asked, _)) = wire.read(line, Millis(0), &mut out) {
        assert!(out.is_empty());
        wire.answer(asked, &Ok(Reply::Done), Millis(0), &mut out);
    }
    assert_eq!(out.iter().count(), 1);
    let frame = out.as_lines().strip_suffix(b"\n").expect("a line");
    assert!(!frame.iter().any(|byte| *byte < 0x20));
});
