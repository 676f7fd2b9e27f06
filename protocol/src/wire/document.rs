//! Foreign JSON inside a frame: the model's inputs and the client's ids.

use memchr::memchr2;
use serde_json::value::RawValue;

use crate::session::Document;

use super::escape::{separator, string};

/// Deeper documents are written as strings: with the frame around them they
/// would pass what common readers take (128).
const DEEPEST: usize = 100;

/// Appends a document as a value of a frame. One that is no JSON, or is nested
/// too deep, becomes a string. Half surrogate pairs become U+FFFD, because
/// strict readers would refuse the whole frame.
pub fn write(out: &mut Vec<u8>, document: &Document) {
    let text: &str = &document.0;
    let is_json = !is_deeper(text, DEEPEST) && serde_json::from_str::<&RawValue>(text).is_ok();
    if is_json {
        copy(out, text, true);
    } else {
        string(out, text);
    }
}

/// Appends valid JSON without the spaces between its tokens. Numbers and
/// strings keep their spelling, but for raw U+2028 and U+2029.
pub(super) fn compact(out: &mut Vec<u8>, json: &str) {
    copy(out, json, false);
}

/// True when the text is nested deeper than `limit`. It need not be JSON.
pub(super) fn is_deeper(text: &str, limit: usize) -> bool {
    let mut rest = text.as_bytes();
    let mut depth = 0_usize;
    while let [byte, tail @ ..] = rest {
        match byte {
            b'"' => {
                rest = split_string(rest).1;
                continue;
            }
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.saturating_sub(1),
            _ => (),
        }
        if limit < depth {
            return true;
        }
        rest = tail;
    }
    false
}

fn copy(out: &mut Vec<u8>, json: &str, mend: bool) {
    out.reserve(json.len());
    let mut rest = json.as_bytes();
    while let [byte, tail @ ..] = rest {
        match byte {
            b' ' | b'\t' | b'\r' | b'\n' => rest = tail,
            b'"' => {
                let (string, after) = split_string(rest);
                copy_string(out, string, mend);
                rest = after;
            }
            _ => {
                out.push(*byte);
                rest = tail;
            }
        }
    }
}

/// The string that the bytes begin with, quotes included, and what follows.
fn split_string(bytes: &[u8]) -> (&[u8], &[u8]) {
    let mut end = 1;
    while let Some(found) = bytes.get(end..).and_then(|rest| memchr2(b'"', b'\\', rest)) {
        let at = end + found;
        if bytes[at] == b'"' {
            return bytes.split_at(at + 1);
        }
        end = at + 2;
    }
    (bytes, &[])
}

fn copy_string(out: &mut Vec<u8>, string: &[u8], mend: bool) {
    let mut rest = string;
    while let Some(at) = memchr2(b'\\', 0xe2, rest) {
        let (plain, special) = rest.split_at(at);
        out.extend_from_slice(plain);
        let (written, length) = if let Some(escape) = separator(special) {
            (escape, 3)
        } else if special.first() == Some(&0xe2) {
            (&special[..1], 1)
        } else if mend {
            mended(special)
        } else {
            let length = special.len().min(2);
            (&special[..length], length)
        };
        out.extend_from_slice(written);
        rest = special.get(length..).unwrap_or_default();
    }
    out.extend_from_slice(rest);
}

/// The escape that the bytes begin with, mended, and the bytes that it takes.
fn mended(escape: &[u8]) -> (&[u8], usize) {
    let Some(unit) = code_unit(escape) else {
        let length = escape.len().min(2);
        return (&escape[..length], length);
    };
    let is_low = |unit: u16| (0xdc00..0xe000).contains(&unit);
    match unit {
        0xd800..0xdc00 if escape.get(6..).and_then(code_unit).is_some_and(is_low) => {
            (&escape[..12], 12)
        }
        0xd800..0xe000 => (b"\\ufffd", 6),
        _ => (&escape[..6], 6),
    }
}

/// The number of a `\u....` that the bytes begin with.
fn code_unit(bytes: &[u8]) -> Option<u16> {
    let digits = bytes.strip_prefix(b"\\u")?.get(..4)?;
    let digits = std::str::from_utf8(digits).ok()?;
    u16::from_str_radix(digits, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(json: &str) -> String {
        let mut out = Vec::new();
        write(&mut out, &Document(json.into()));
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn spaces_between_tokens_go_and_spelling_stays() {
        let json = "{ \"a b\" : [ 1.0,\r\n\t1e400 , \"x \\u0041 \\\" y\" ] }\n";
        assert_eq!(written(json), r#"{"a b":[1.0,1e400,"x \u0041 \" y"]}"#);
        assert_eq!(
            written("\"\u{2028}\u{2030}\u{2029}\""),
            "\"\\u2028\u{2030}\\u2029\""
        );
    }

    #[test]
    fn half_surrogate_pairs_are_mended() {
        assert_eq!(written(r#""\ud83d\ude00 \n""#), r#""\ud83d\ude00 \n""#);
        assert_eq!(
            written(r#""\ud83d\ud83d\ude00""#),
            r#""\ufffd\ud83d\ude00""#
        );
        assert_eq!(
            written(r#""\ude00\\ud83d\ud83d""#),
            r#""\ufffd\\ud83d\ufffd""#
        );
        let mut out = Vec::new();
        compact(&mut out, r#""\ud83d""#);
        assert_eq!(out, br#""\ud83d""#);
    }

    #[test]
    fn what_is_no_json_becomes_a_string() {
        assert_eq!(written("{\"a\": 1"), r#""{\"a\": 1""#);
        assert_eq!(written(""), r#""""#);
        assert_eq!(written("\"\\"), r#""\"\\""#);
        let deep = format!("{}{}", "[".repeat(101), "]".repeat(101));
        assert_eq!(written(&deep), format!("\"{deep}\""));
        assert_eq!(written(&deep[1..201]), deep[1..201]);
    }

    #[test]
    fn depth_counts_brackets_outside_strings() {
        assert!(is_deeper("[[[", 2));
        assert!(!is_deeper("[[]][[]]", 2));
        assert!(!is_deeper(r#"["[[[\"[[["]"#, 1));
        assert!(!is_deeper(r#"["[[[\"#, 1));
        assert!(!is_deeper("\"", 0));
    }
}
