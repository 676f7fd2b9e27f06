//! Characters that look like something else, or like nothing.

/// Whether a character could mislead a reader or a shell: control characters but
/// tab and newline, blanks outside ASCII, and what is not seen (zero width,
/// direction marks, fillers, variation selectors, tags).
pub fn is_deceptive(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_control() && c != '\n' && c != '\t';
    }
    c.is_control() || c.is_whitespace() || is_unseen(c)
}

fn is_unseen(c: char) -> bool {
    matches!(
        u32::from(c),
        0xAD | 0x34F
            | 0x61C
            | 0x115F
            | 0x1160
            | 0x17B4
            | 0x17B5
            | 0x180B..=0x180F
            | 0x200B..=0x200F
            | 0x202A..=0x202E
            | 0x2060..=0x206F
            | 0x2800
            | 0x3164
            | 0xFE00..=0xFE0F
            | 0xFEFF
            | 0xFFA0
            | 0xFFF0..=0xFFFB
            | 0xE0000..=0xE0FFF
    )
}
