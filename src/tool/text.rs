//! Text cut to size: never inside a character, and always with a word on what
//! is missing.

use std::fmt::Write as _;

/// Turns bytes that come in pieces into text. A character that a piece ends in
/// the middle of waits for the next one; bytes that are no UTF-8 become U+FFFD.
#[derive(Debug, Default)]
pub(super) struct Utf8Pieces {
    waiting: Vec<u8>,
}

impl Utf8Pieces {
    /// The text that is whole after this piece.
    pub fn push(&mut self, piece: &[u8]) -> String {
        self.waiting.extend_from_slice(piece);
        let bytes = std::mem::take(&mut self.waiting);
        let mut text = String::with_capacity(bytes.len());
        let mut rest = bytes.as_slice();
        loop {
            match std::str::from_utf8(rest) {
                Ok(valid) => {
                    text.push_str(valid);
                    return text;
                }
                Err(error) => {
                    let (valid, broken) = rest.split_at(error.valid_up_to());
                    text.push_str(&String::from_utf8_lossy(valid));
                    let Some(length) = error.error_len() else {
                        self.waiting = broken.to_vec();
                        return text;
                    };
                    text.push(char::REPLACEMENT_CHARACTER);
                    rest = broken.get(length..).unwrap_or_default();
                }
            }
        }
    }

    /// What is left at the end: one U+FFFD for a character that never ended.
    pub fn finish(&mut self) -> String {
        match std::mem::take(&mut self.waiting).is_empty() {
            true => String::new(),
            false => char::REPLACEMENT_CHARACTER.into(),
        }
    }
}

/// Keeps the head and the tail of a long text, in bounded memory.
#[derive(Debug)]
pub(super) struct HeadTail {
    most: usize,
    head: String,
    head_full: bool,
    tail: String,
    length: u64,
}

impl HeadTail {
    /// Keeps at most `most` bytes, half at each end.
    pub fn new(most: usize) -> HeadTail {
        HeadTail {
            most,
            head: String::new(),
            head_full: false,
            tail: String::new(),
            length: 0,
        }
    }

    /// Takes the next piece.
    pub fn push(&mut self, piece: &str) {
        self.length += piece.len() as u64;
        let mut rest = piece;
        if !self.head_full {
            let room = (self.most / 2).saturating_sub(self.head.len());
            let (fits, more) = rest.split_at(rest.floor_char_boundary(room));
            self.head.push_str(fits);
            self.head_full = !more.is_empty();
            rest = more;
        }
        self.tail.push_str(rest);
        // Trimmed only now and then, so that each byte is moved once or twice.
        if self.tail.len() > 2 * self.tail_room() + 4_096 {
            self.trim();
        }
    }

    /// The text, and whether anything is missing from it. The note is added to
    /// the word on what is.
    pub fn finish(mut self, note: &str) -> (String, bool) {
        self.trim();
        let kept = (self.head.len() + self.tail.len()) as u64;
        let missing = self.length - kept;
        let mut text = self.head;
        if missing > 0 {
            let _ = write!(text, "\n[… {missing} bytes left out here{note} …]\n");
        }
        text.push_str(&self.tail);
        (text, missing > 0)
    }

    fn tail_room(&self) -> usize {
        self.most.saturating_sub(self.head.len())
    }

    fn trim(&mut self) {
        let surplus = self.tail.len().saturating_sub(self.tail_room());
        let cut = self.tail.ceil_char_boundary(surplus);
        self.tail.drain(..cut);
    }
}

/// A line, cut when it is longer than `most` bytes.
pub(super) fn short_line(line: &str, most: usize) -> String {
    if line.len() <= most {
        return line.to_owned();
    }
    let (shown, rest) = line.split_at(line.floor_char_boundary(most));
    format!("{shown} [… {} bytes more]", rest.len())
}

/// The first line of a text, short enough to stand in a list.
pub(super) fn headline(text: &str) -> String {
    let text = text.trim();
    let first = text.lines().next().unwrap_or_default();
    let cut = first.floor_char_boundary(200);
    match first.split_at(cut) {
        (shown, "") if shown.len() == text.len() => shown.to_owned(),
        (shown, _) => format!("{shown} …"),
    }
}

/// `1 line`, `2 lines`.
pub(super) fn counted(number: usize, noun: &str) -> String {
    match number {
        1 => format!("1 {noun}"),
        _ => format!("{number} {noun}s"),
    }
}

#[cfg(test)]
mod tests;
