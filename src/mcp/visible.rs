//! Texts of others, before people see them.

/// Whether a character acts on a terminal, or hides what stands beside it.
pub(super) fn hides(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

/// A text with a `?` for whatever acts on a terminal or hides what stands
/// beside it; lines and tabs stay.
pub fn visible(text: &str) -> String {
    let shown = text.chars().map(|c| match c {
        '\n' | '\t' => c,
        c if hides(c) => '?',
        c => c,
    });
    shown.collect()
}
