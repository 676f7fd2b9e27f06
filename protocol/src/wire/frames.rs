//! Outgoing frames in one buffer: written once, sent with one system call.

/// Encoded frames in order. Each is followed by a line feed in the buffer, so
/// that a line transport can send it as it is; other transports take the frames
/// one by one.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Frames {
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

impl Frames {
    /// None yet.
    pub fn new() -> Frames {
        Frames::default()
    }

    /// Adds one frame: `write` appends its bytes, which hold no line feed.
    pub fn push(&mut self, write: impl FnOnce(&mut Vec<u8>)) {
        write(&mut self.bytes);
        self.ends.push(self.bytes.len());
        self.bytes.push(b'\n');
    }

    /// True when there is none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// How many bytes there are, line feeds included.
    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    /// All frames as lines, each with its line feed.
    pub fn as_lines(&self) -> &[u8] {
        &self.bytes
    }

    /// The frames one by one, without line feeds.
    pub fn iter(&self) -> impl Iterator<Item = &[u8]> {
        let mut start = 0;
        self.ends.iter().map(move |end| {
            let frame = &self.bytes[start..*end];
            start = end + 1;
            frame
        })
    }

    /// Forgets the first `count` bytes: they are written.
    pub fn drop_front(&mut self, count: usize) {
        let count = count.min(self.bytes.len());
        self.bytes.drain(..count);
        let gone = self.ends.partition_point(|end| *end < count);
        self.ends.drain(..gone);
        for end in &mut self.ends {
            *end -= count;
        }
    }

    /// Empties the buffer and keeps at most `keep` bytes of its room.
    pub fn clear(&mut self, keep: usize) {
        self.bytes.clear();
        self.ends.clear();
        if self.bytes.capacity() > keep {
            self.bytes.shrink_to(keep);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frames(texts: &[&str]) -> Frames {
        let mut frames = Frames::new();
        for text in texts {
            frames.push(|bytes| bytes.extend_from_slice(text.as_bytes()));
        }
        frames
    }

    #[test]
    fn what_is_written_is_forgotten() {
        let mut all = frames(&["one", "two", "three"]);
        all.drop_front(4);
        assert_eq!(all, frames(&["two", "three"]));
        all.drop_front(2);
        assert_eq!(
            all.as_lines(),
            b"o\nthree\n",
            "a frame may be cut by a write"
        );
        all.drop_front(100);
        assert!(all.is_empty());
        assert_eq!(all.as_lines(), b"");
    }
}
