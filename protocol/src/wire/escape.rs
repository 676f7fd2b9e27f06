//! Text as a JSON string, without line ends of any kind.

/// Appends a string with its quotes.
pub(super) fn string(out: &mut Vec<u8>, text: &str) {
    let bytes = text.as_bytes();
    out.reserve(bytes.len() + 2);
    out.push(b'"');
    let mut written = 0;
    for (at, byte) in bytes.iter().enumerate() {
        let escape = ESCAPES[usize::from(*byte)];
        if escape == PLAIN {
            continue;
        }
        let mut length = 1;
        if escape == MAYBE_SEPARATOR {
            if separator(&bytes[at..]).is_none() {
                continue;
            }
            length = 3;
        }
        out.extend_from_slice(&bytes[written..at]);
        written = at + length;
        match escape {
            CODE => {
                out.extend_from_slice(b"\\u00");
                out.push(HEX[usize::from(byte >> 4)]);
                out.push(HEX[usize::from(byte & 15)]);
            }
            MAYBE_SEPARATOR => {
                out.extend_from_slice(separator(&bytes[at..]).unwrap_or_default());
            }
            letter => out.extend_from_slice(&[b'\\', letter]),
        }
    }
    out.extend_from_slice(&bytes[written..]);
    out.push(b'"');
}

/// The escape of the U+2028 or U+2029 that the bytes begin with.
pub(super) fn separator(bytes: &[u8]) -> Option<&'static [u8]> {
    match bytes {
        [0xe2, 0x80, 0xa8, ..] => Some(b"\\u2028"),
        [0xe2, 0x80, 0xa9, ..] => Some(b"\\u2029"),
        _ => None,
    }
}

/// How a byte of a string is written.
const PLAIN: u8 = 0;
const CODE: u8 = 1;
/// The first byte of U+2028 and U+2029, and of much else.
const MAYBE_SEPARATOR: u8 = 2;

/// For each byte: one of the above, or the letter that follows its backslash.
const ESCAPES: [u8; 256] = {
    let mut escapes = [PLAIN; 256];
    let mut control = 0;
    while control < 0x20 {
        escapes[control] = CODE;
        control += 1;
    }
    escapes[0x08] = b'b';
    escapes[0x09] = b't';
    escapes[0x0a] = b'n';
    escapes[0x0c] = b'f';
    escapes[0x0d] = b'r';
    escapes[b'"' as usize] = b'"';
    escapes[b'\\' as usize] = b'\\';
    escapes[0xe2] = MAYBE_SEPARATOR;
    escapes
};

const HEX: &[u8; 16] = b"0123456789abcdef";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_escape_what_could_end_a_line() {
        let text = "a\"\\\u{8}\t\n\u{c}\r\u{0}\u{1b}\u{7f}\u{2027}\u{2028}x\u{2029}\u{e4}\u{1f600}";
        let expected = concat!(
            r#""a\"\\\b\t\n\f\r\u0000\u001b"#,
            "\u{7f}\u{2027}",
            r"\u2028x\u2029",
            "\u{e4}\u{1f600}\""
        );
        let mut out = Vec::new();
        string(&mut out, text);
        assert_eq!(std::str::from_utf8(&out), Ok(expected));
        let read: String = serde_json::from_slice(&out).unwrap();
        assert_eq!(read, text);
    }
}
