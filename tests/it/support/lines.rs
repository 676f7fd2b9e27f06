//! Lines of standard output, read by a thread of their own, so that a process
//! never waits for its test.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read};
use std::sync::mpsc::{self, Receiver};
use std::thread;

use serde_json::Value;
use serde_json::value::RawValue;

/// One line of standard output.
#[derive(Debug, Clone)]
pub struct Line {
    /// As it came, without its line feed.
    pub text: String,
    /// What it says.
    pub json: Value,
}

/// Reads lines until the end of the stream.
pub fn read_lines(stream: impl Read + Send + 'static) -> Receiver<Vec<u8>> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let mut reader = BufReader::with_capacity(1 << 16, stream);
        loop {
            let mut line = Vec::new();
            match reader.read_until(b'\n', &mut line) {
                Ok(count) if count > 0 => {
                    if sender.send(line).is_err() {
                        return;
                    }
                }
                _ => return,
            }
        }
    });
    receiver
}

/// Reads all of a stream of text, in the background.
pub fn read_all(mut stream: impl Read + Send + 'static) -> Receiver<String> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        let _ = stream.read_to_end(&mut bytes);
        let _ = sender.send(String::from_utf8_lossy(&bytes).into_owned());
    });
    receiver
}

/// Takes a line as it was read: one JSON object with its line feed, in UTF-8.
/// Anything else on standard output is a defect.
pub fn parse(bytes: &[u8]) -> Line {
    let shown = String::from_utf8_lossy(bytes);
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => panic!("a line is not UTF-8 ({error}): {shown}"),
    };
    let Some(text) = text.strip_suffix('\n') else {
        panic!("the last line has no line feed: {shown}");
    };
    assert!(!text.contains('\r'), "a raw CR in a line: {shown}");
    let json = match serde_json::from_str(text) {
        Ok(json) => json,
        Err(_) => loosely(text),
    };
    assert!(json.is_object(), "a line is no object: {shown}");
    let text = text.to_owned();
    Line { text, json }
}

/// An object whose id is a number that no `f64` holds: it comes back as it
/// went, whatever it is. Such an id is taken as its text.
fn loosely(text: &str) -> Value {
    let fields: BTreeMap<String, &RawValue> = match serde_json::from_str(text) {
        Ok(fields) => fields,
        Err(error) => panic!("a line is not JSON ({error}): {text}"),
    };
    let id = fields.get("id").map_or("", |raw| raw.get());
    let quoted = Value::from(format!("raw {id}"));
    let text = text.replacen(&format!("\"id\":{id}"), &format!("\"id\":{quoted}"), 1);
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"))
}
