//! The mark that stands in the place of a secret.

use std::ops::Range;

use memchr::{memchr, memmem};

const OPENING: &str = "[redacted: ";
/// No kind is longer, in bytes.
const LONGEST_KIND: usize = 60;

/// Appends the mark of a kind.
pub(super) fn push(out: &mut String, kind: &str) {
    out.push_str(OPENING);
    out.push_str(kind);
    out.push(']');
}

/// A kind as marks hold it. What could end a mark early, or look like a secret
/// in its turn, becomes a hyphen.
pub(super) fn kind(name: &str) -> String {
    let harmless = |mark: char| match mark {
        'A'..='Z' => mark.to_ascii_lowercase(),
        'a'..='z' | '0'..='9' | ' ' | '.' | '-' | '_' => mark,
        _ => '-',
    };
    name.chars().take(LONGEST_KIND).map(harmless).collect()
}

/// The marks of these kinds in a text, in order. What only looks like a mark,
/// with something else for a kind, is ordinary text.
pub(super) fn all(text: &str, is_kind: impl Fn(&str) -> bool) -> Vec<Range<usize>> {
    let mut marks = Vec::new();
    for start in memmem::find_iter(text.as_bytes(), OPENING) {
        let from = start + OPENING.len();
        let rest = text.as_bytes().get(from..).unwrap_or_default();
        let near = rest.get(..=LONGEST_KIND).unwrap_or(rest);
        let Some(length) = memchr(b']', near) else {
            continue;
        };
        let end = from + length;
        if text.get(from..end).is_some_and(&is_kind) {
            marks.push(start..end + 1);
        }
    }
    marks
}
