//! A text with codes or escapes taken out of it, as someone may read it: what
//! stands inside a token, or right before it, must not hide it.

use std::ops::Range;

/// The order in which escapes are taken off: each of these sees what the one
/// before it left. Twice, because tools' outputs hold documents in documents.
pub(super) const DECODERS: [fn(&str) -> Option<View>; 5] = [
    View::without_codes,
    View::without_escapes,
    View::without_codes,
    View::without_escapes,
    View::without_percents,
];

/// The decoded text, and where each piece of it stands in the original.
pub(super) struct View {
    text: String,
    units: Vec<Unit>,
}

/// What was decoded: `from` of the original became `to` of the text.
struct Unit {
    from: Range<usize>,
    to: Range<usize>,
}

impl View {
    /// Without a terminal's codes (colours, titles, links). Nothing when there
    /// are none.
    pub fn without_codes(original: &str) -> Option<View> {
        decoded(
            original,
            |rest| match rest.chars().next()? {
                '\u{1b}' | '\u{9b}' => Some((code_length(rest.as_bytes()), None)),
                _ => None,
            },
            &[0x1b, 0xc2],
        )
    }

    /// Without the escapes of JSON and of its relatives (`\n`, `\u0041`, `\x41`).
    pub fn without_escapes(original: &str) -> Option<View> {
        decoded(original, escape, b"\\")
    }

    /// Without the `%XX` of addresses, as far as they are UTF-8.
    pub fn without_percents(original: &str) -> Option<View> {
        decoded(original, percents, b"%")
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    /// Where a range of the text stands in the original. Half of an escape
    /// counts as all of it.
    pub fn original(&self, range: Range<usize>) -> Range<usize> {
        if range.is_empty() {
            return range;
        }
        let start = match self.unit(range.start) {
            Some(unit) if range.start < unit.to.end => unit.from.start,
            Some(unit) => unit.from.end + (range.start - unit.to.end),
            None => range.start,
        };
        let last = range.end - 1;
        let end = match self.unit(last) {
            Some(unit) if last < unit.to.end => unit.from.end,
            Some(unit) => unit.from.end + (range.end - unit.to.end),
            None => range.end,
        };
        start..end
    }

    /// The last unit that begins at or before a place of the text.
    fn unit(&self, at: usize) -> Option<&Unit> {
        let after = self.units.partition_point(|unit| unit.to.start <= at);
        self.units.get(after.checked_sub(1)?)
    }
}

/// Decodes what `unit` takes for an escape: its length, and what it stands for.
/// Escapes begin with one of the bytes in `signs`.
fn decoded(
    original: &str,
    unit: impl Fn(&str) -> Option<(usize, Option<char>)>,
    signs: &[u8],
) -> Option<View> {
    let mut text = String::new();
    let mut units = Vec::new();
    let mut copied = 0;
    let mut at = 0;
    let bytes = original.as_bytes();
    while let Some(found) = next_sign(bytes.get(at..)?, signs) {
        at += found;
        let Some((length, mark)) = original.get(at..).and_then(&unit) else {
            at += 1;
            continue;
        };
        if units.is_empty() {
            text.reserve(original.len());
        }
        text.push_str(original.get(copied..at)?);
        let start = text.len();
        text.extend(mark);
        units.push(Unit {
            from: at..at + length,
            to: start..text.len(),
        });
        at += length;
        copied = at;
    }
    if units.is_empty() {
        return None;
    }
    text.push_str(original.get(copied..)?);
    Some(View { text, units })
}

fn next_sign(bytes: &[u8], signs: &[u8]) -> Option<usize> {
    match signs {
        [one] => memchr::memchr(*one, bytes),
        [one, two] => memchr::memchr2(*one, *two, bytes),
        _ => None,
    }
}

/// The length of the terminal code that the bytes begin with. A cut code hides
/// nothing of what follows it.
fn code_length(bytes: &[u8]) -> usize {
    match bytes {
        [0x1b, b'[', rest @ ..] => 2 + sequence_length(rest),
        [0xc2, 0x9b, rest @ ..] => 2 + sequence_length(rest),
        [0x1b, b']' | b'P' | b'X' | b'^' | b'_', rest @ ..] => 2 + string_length(rest),
        [0x1b, b' '..=b'/', 0x30..=0x7e, ..] => 3,
        [0x1b, 0x30..=0x7e, ..] => 2,
        [0xc2, ..] => 2,
        _ => 1,
    }
}

/// Parameters and the letter that ends them; 0 when none does.
fn sequence_length(bytes: &[u8]) -> usize {
    let end = bytes.iter().position(|byte| !(0x20..=0x3f).contains(byte));
    match end.and_then(|end| Some((end, bytes.get(end)?))) {
        Some((end, 0x40..=0x7e)) => end + 1,
        _ => 0,
    }
}

/// A string up to BEL or `ESC \`; 0 when it doesn't end on its line.
fn string_length(bytes: &[u8]) -> usize {
    let end = bytes.iter().position(|byte| *byte < 0x20);
    let end = end.and_then(|end| Some((end, bytes.get(end..)?)));
    match end {
        Some((end, [0x07, ..])) => end + 1,
        Some((end, [0x1b, b'\\', ..])) => end + 2,
        _ => 0,
    }
}

/// The escape that the text begins with, and what it stands for.
fn escape(text: &str) -> Option<(usize, Option<char>)> {
    let mark = match text.as_bytes().get(1)? {
        b'n' => '\n',
        b'r' => '\r',
        b't' => '\t',
        b'b' => '\u{8}',
        b'f' => '\u{c}',
        sign @ (b'"' | b'\'' | b'\\' | b'/') => char::from(*sign),
        b'x' => {
            let code = number(text, 2, 2).filter(|code| *code < 0x80)?;
            return Some((4, char::from_u32(code)));
        }
        b'u' => return code_unit(text),
        _ => return None,
    };
    Some((2, Some(mark)))
}

/// `%XX`, or as many of them as are one character.
fn percents(text: &str) -> Option<(usize, Option<char>)> {
    let mut bytes = Vec::new();
    // No character has more than four bytes.
    for end in [3, 6, 9, 12] {
        let code = text.get(end - 3..end).filter(|code| code.starts_with('%'));
        bytes.push(u8::try_from(number(code?, 1, 2)?).ok()?);
        if let Ok(decoded) = std::str::from_utf8(&bytes) {
            return Some((end, decoded.chars().next()));
        }
    }
    None
}

/// `\uXXXX`, or two of them that are one character. A half becomes U+FFFD.
fn code_unit(text: &str) -> Option<(usize, Option<char>)> {
    let high = number(text, 2, 4)?;
    let low = text.get(6..).filter(|rest| rest.starts_with("\\u"));
    let low = low.and_then(|rest| number(rest, 2, 4));
    match (high, low) {
        (0xd800..0xdc00, Some(low @ 0xdc00..0xe000)) => {
            let code = 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00);
            Some((12, char::from_u32(code)))
        }
        _ => Some((6, Some(char::from_u32(high).unwrap_or('\u{fffd}')))),
    }
}

/// The hexadecimal number of so many digits at a place.
fn number(text: &str, at: usize, digits: usize) -> Option<u32> {
    let digits = text.get(at..at + digits)?;
    let is_number = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_number.then(|| u32::from_str_radix(digits, 16).ok())?
}
