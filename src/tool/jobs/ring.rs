//! What a job wrote, in bounded memory: its head and its tail.

use std::fmt::Write as _;

/// Text that was written in pieces. Places in it are counted in bytes from the
/// very first one, whatever was cut out since.
#[derive(Debug)]
pub(super) struct Ring {
    head: String,
    head_room: usize,
    is_head_full: bool,
    tail: String,
    tail_room: usize,
    total: u64,
}

impl Ring {
    /// Keeps at most `most` bytes: a quarter of its head, the rest of its tail.
    /// (Up to twice as much of the tail is held between two trimmings.)
    pub fn new(most: usize) -> Ring {
        let head_room = most / 4;
        Ring {
            head: String::new(),
            head_room,
            is_head_full: false,
            tail: String::new(),
            tail_room: most - head_room,
            total: 0,
        }
    }

    /// How much was written at all.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// Takes the next piece.
    pub fn push(&mut self, piece: &str) {
        self.total += piece.len() as u64;
        let mut rest = piece;
        if !self.is_head_full {
            let room = self.head_room.saturating_sub(self.head.len());
            let (fits, more) = rest.split_at(rest.floor_char_boundary(room));
            self.head.push_str(fits);
            self.is_head_full = !more.is_empty();
            rest = more;
        }
        self.tail.push_str(rest);
        // Trimmed only now and then, so that each byte is moved once or twice.
        if self.tail.len() > 2 * self.tail_room {
            let surplus = self.tail.len() - self.tail_room;
            let cut = self.tail.ceil_char_boundary(surplus);
            self.tail.drain(..cut);
        }
    }

    /// What was written from a place on, with a word on what is not kept.
    pub fn since(&self, place: u64) -> String {
        let tail_start = self.total - self.tail.len() as u64;
        let mut text = String::new();
        let mut from = place.min(self.total);
        if let Some(rest) = usize::try_from(from)
            .ok()
            .and_then(|at| self.head.get(at..))
        {
            text.push_str(rest);
            from += rest.len() as u64;
        }
        if from < tail_start {
            let missing = tail_start - from;
            let _ = write!(text, "\n[… {missing} bytes are not kept …]\n");
            from = tail_start;
        }
        let at = usize::try_from(from - tail_start).unwrap_or(usize::MAX);
        text.push_str(self.tail.get(at..).unwrap_or_default());
        text
    }

    /// The last lines.
    pub fn last_lines(&self, count: usize) -> String {
        let text = self.since(0);
        let ends = text.strip_suffix('\n').unwrap_or(&text);
        let mut breaks = ends.rmatch_indices('\n').map(|(at, _)| at + 1);
        match count.checked_sub(1).and_then(|before| breaks.nth(before)) {
            Some(start) => text.get(start..).unwrap_or_default().to_owned(),
            None if count == 0 => String::new(),
            None => text,
        }
    }

    /// At most so many of the last bytes, from the beginning of a line where
    /// there is one.
    pub fn tail(&self, most: usize) -> String {
        let text = self.since(0);
        let surplus = text.len().saturating_sub(most);
        if surplus == 0 {
            return text;
        }
        let cut = text.get(text.ceil_char_boundary(surplus)..);
        let cut = cut.unwrap_or_default();
        let line = cut.find('\n').map(|at| at + 1).filter(|at| *at < cut.len());
        cut.get(line.unwrap_or(0)..).unwrap_or_default().to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ring(most: usize, pieces: &[&str]) -> Ring {
        let mut ring = Ring::new(most);
        for piece in pieces {
            ring.push(piece);
        }
        ring
    }

    #[test]
    fn all_of_what_fits_is_told_from_any_place() {
        let ring = ring(100, &["one\n", "two\n"]);
        assert_eq!(ring.since(0), "one\ntwo\n");
        assert_eq!(ring.since(4), "two\n");
        assert_eq!(ring.since(8), "");
        assert_eq!(ring.since(99), "");
        assert_eq!(ring.total(), 8);
    }

    #[test]
    fn what_is_cut_is_told_and_places_stay() {
        let mut ring = ring(8, &["abcd"]);
        for _ in 0..1_000 {
            ring.push("0123456789");
        }
        assert!(ring.head.len() + ring.tail.len() <= 2 + 12 + 10);
        let all = ring.since(0);
        assert!(all.starts_with("ab\n[… "), "{all}");
        assert!(all.ends_with("456789"), "{all}");
        let kept = ring.tail.len() as u64;
        let missing = ring.total() - 2 - kept;
        assert!(all.contains(&format!("{missing} bytes")), "{all}");
        let place = ring.total();
        ring.push("xyz");
        assert_eq!(ring.since(place), "xyz");
    }

    #[test]
    fn no_character_is_cut_in_two() {
        for most in 0..40 {
            let ring = ring(most, &["äöü", "€uro\n", "🙂🙂🙂🙂🙂🙂🙂🙂", "ß"]);
            let whole = "äöü€uro\n🙂🙂🙂🙂🙂🙂🙂🙂ß";
            let tail = ring.tail(9);
            assert!(
                tail.len() <= 9 && (most < 4 || whole.ends_with(&tail)),
                "{tail}"
            );
            ring.since(0);
        }
    }

    #[test]
    fn lines_are_counted_from_the_end() {
        let ring = ring(100, &["a\nb\n", "c\nd"]);
        assert_eq!(ring.last_lines(1), "d");
        assert_eq!(ring.last_lines(2), "c\nd");
        assert_eq!(ring.last_lines(4), "a\nb\nc\nd");
        assert_eq!(ring.last_lines(9), "a\nb\nc\nd");
        assert_eq!(ring.last_lines(0), "");
        let mut ended = ring;
        ended.push("\n");
        assert_eq!(ended.last_lines(1), "d\n");
        assert_eq!(ended.last_lines(2), "c\nd\n");
        assert_eq!(ended.tail(6), "c\nd\n");
    }
}
