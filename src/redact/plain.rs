//! Text as a terminal shows it: a colour code inside a token must not hide it.

/// A text without its terminal codes, and where each byte of it stood.
pub(super) struct Plain {
    text: String,
    /// Where in the original each byte stood.
    places: Vec<usize>,
}

impl Plain {
    /// Nothing when the text has no codes.
    pub fn of(original: &str) -> Option<Plain> {
        if !original.contains('\u{1b}') {
            return None;
        }
        let mut text = String::with_capacity(original.len());
        let mut places = Vec::with_capacity(original.len());
        let mut rest = original;
        while let Some(mark) = rest.chars().next() {
            let at = original.len() - rest.len();
            let skipped = code_length(rest);
            if skipped > 0 {
                rest = rest.get(skipped..).unwrap_or_default();
                continue;
            }
            text.push(mark);
            places.extend(at..at + mark.len_utf8());
            rest = rest.get(mark.len_utf8()..).unwrap_or_default();
        }
        Some(Plain { text, places })
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    /// Where a range of the plain text stands in the original.
    pub fn original(&self, range: (usize, usize)) -> (usize, usize) {
        let (start, end) = range;
        let place = |at: usize| self.places.get(at).copied().unwrap_or(at);
        match start < end {
            true => (place(start), place(end - 1) + 1),
            false => range,
        }
    }
}

/// The length of the terminal code that the text begins with: `ESC [ … letter`,
/// or `ESC ] … BEL`. 0 when it begins with none.
fn code_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    match bytes {
        [0x1b, b'[', rest @ ..] => {
            let end = rest.iter().position(|byte| !(0x20..=0x3f).contains(byte));
            match end.and_then(|end| Some((end, rest.get(end)?))) {
                Some((end, 0x40..=0x7e)) => end + 3,
                // A cut code hides nothing that follows it.
                _ => 2,
            }
        }
        [0x1b, b']', rest @ ..] => {
            let end = rest.iter().position(|byte| *byte == 0x07 || *byte == 0x1b);
            end.map_or(2, |end| end + 3).min(bytes.len())
        }
        [0x1b, ..] => 1,
        _ => 0,
    }
}
