//! Front matter: YAML between two lines of `---` at the top of a text.

/// The head and what stands behind it; nothing when there is none.
pub fn split(text: &str) -> Option<(&str, &str)> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let (first, rest) = text.split_once('\n')?;
    if first.trim_end() != "---" {
        return None;
    }
    let mut at = 0;
    for line in rest.split_inclusive('\n') {
        if line.trim_end() == "---" {
            return Some((&rest[..at], &rest[at + line.len()..]));
        }
        at += line.len();
    }
    None
}

#[cfg(test)]
mod tests {
    use super::split;

    #[test]
    fn a_head_stands_between_two_lines() {
        let cases = [
            ("---\na: 1\n---\nrest\n", Some(("a: 1\n", "rest\n"))),
            ("\u{feff}---\r\na: 1\r\n---\r\n", Some(("a: 1\r\n", ""))),
            ("---\n---\n", Some(("", ""))),
            ("---\na: 1\n", None),
            (" ---\na: 1\n---\n", None),
            ("", None),
        ];
        for (text, expected) in cases {
            assert_eq!(split(text), expected, "{text:?}");
        }
    }
}
