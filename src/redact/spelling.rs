//! The ways in which a transcript may spell a value.

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE};
use zeroize::Zeroizing;

/// What addresses leave as it is, beside letters and digits.
const UNRESERVED: &[u8] = b"-._~";

/// All spellings of a value: as it is, in addresses, in JSON strings, in base64
/// alone and amid other bytes. None is shorter than `shortest` bytes. Further
/// ways to escape single characters are seen through by `view`.
pub(super) fn all(value: &str, shortest: usize) -> Vec<Zeroizing<String>> {
    let mut all = vec![
        Zeroizing::new(value.to_owned()),
        percent(value, b"", true),
        percent(value, UNRESERVED, true),
        percent(value, UNRESERVED, false),
        percent(value, b"-._~/", true),
        json(value),
        Zeroizing::new(json(value).replace('/', "\\/")),
        Zeroizing::new(STANDARD.encode(value)),
        Zeroizing::new(URL_SAFE.encode(value)),
    ];
    for before in 0..3 {
        all.push(inside_base64(&STANDARD, value, before));
        all.push(inside_base64(&URL_SAFE, value, before));
    }
    all.retain(|spelling| spelling.len() >= shortest);
    all
}

/// As in addresses: all but letters, digits and `plain` as `%XX`.
fn percent(value: &str, plain: &[u8], upper: bool) -> Zeroizing<String> {
    // With this capacity the text is never moved, so no copy stays behind.
    let mut written = Zeroizing::new(String::with_capacity(3 * value.len()));
    for byte in value.bytes() {
        if byte.is_ascii_alphanumeric() || plain.contains(&byte) {
            written.push(char::from(byte));
        } else if upper {
            written.push_str(&format!("%{byte:02X}"));
        } else {
            written.push_str(&format!("%{byte:02x}"));
        }
    }
    written
}

/// As in a JSON string, without its quotes.
fn json(value: &str) -> Zeroizing<String> {
    let mut written = Zeroizing::new(String::with_capacity(6 * value.len()));
    for mark in value.chars() {
        match mark {
            '"' => written.push_str("\\\""),
            '\\' => written.push_str("\\\\"),
            '\n' => written.push_str("\\n"),
            '\r' => written.push_str("\\r"),
            '\t' => written.push_str("\\t"),
            '\0'..' ' => written.push_str(&format!("\\u{:04x}", u32::from(mark))),
            _ => written.push(mark),
        }
    }
    written
}

/// What of base64 is the same whatever stands around the value, when so many
/// bytes (modulo 3) stand before it.
fn inside_base64(alphabet: &impl Engine, value: &str, before: usize) -> Zeroizing<String> {
    let mut bytes = Zeroizing::new(Vec::with_capacity(before + value.len()));
    bytes.resize(before, 0);
    bytes.extend_from_slice(value.as_bytes());
    let whole = Zeroizing::new(alphabet.encode(&bytes));
    // The first marks hold bits of what stands before, the last ones of what
    // follows.
    let start = (before * 8).div_ceil(6);
    let end = bytes.len() * 8 / 6;
    Zeroizing::new(whole.get(start..end).unwrap_or_default().to_owned())
}
