//! Text in a page: nothing of it is markup, and nothing of it is unseen.

/// Appends text so that it is text, in an element or in a quoted attribute.
/// Marks that are not seen, or turn what is seen around, are shown by their
/// numbers.
pub(super) fn push(text: &str, out: &mut String) {
    for mark in text.chars() {
        match mark {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\n' | '\t' => out.push(mark),
            '\r' => (),
            mark if is_odd(mark) => {
                out.push_str(&format!("\u{27e8}U+{:04X}\u{27e9}", u32::from(mark)));
            }
            mark => out.push(mark),
        }
    }
}

/// The same as a text of its own.
pub(super) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + text.len() / 8);
    push(text, &mut out);
    out
}

/// Controls, and marks that set the direction of others or take no room.
fn is_odd(mark: char) -> bool {
    mark.is_control()
        || matches!(mark,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}' | '\u{200e}' | '\u{200f}'
            | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}'
            | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}
