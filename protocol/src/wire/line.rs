//! Cuts a stream of bytes into lines, as JSON-lines dialects frame them.

use std::borrow::Cow;

use memchr::memchr;

/// The longest line that is taken unless configured otherwise: pictures come as
/// base64 inside a line.
pub const LINE_LIMIT: usize = 64 << 20;

/// From this size on a line's room grows by quarters instead of doubling, so
/// that a long line never holds twice its own memory.
const LARGE: usize = 1 << 20;

/// Why a line is no text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineFault {
    /// It is longer than the limit, in bytes; it was skipped to its end.
    TooLong {
        /// The limit.
        limit: usize,
    },
    /// It is not UTF-8.
    NotUtf8,
}

/// Holds the bytes of the line that has not ended yet. What comes out does not
/// depend on how the bytes were cut.
///
/// A line ends with LF and with nothing else; one CR before it is dropped, as
/// are blank lines. The limit counts neither.
#[derive(Debug)]
pub struct LineBuffer {
    pending: Vec<u8>,
    limit: usize,
    /// Inside a line that was too long and is told already.
    skipping: bool,
}

impl Default for LineBuffer {
    fn default() -> LineBuffer {
        LineBuffer::new(LINE_LIMIT)
    }
}

impl LineBuffer {
    /// An empty buffer that takes lines of at most `limit` bytes.
    pub fn new(limit: usize) -> LineBuffer {
        LineBuffer {
            pending: Vec::new(),
            limit,
            skipping: false,
        }
    }

    /// Takes bytes as they came and gives the lines that they end, one by one.
    /// Bytes behind the last line that was taken out are lost when the iterator
    /// is dropped early.
    pub fn push<'a>(&'a mut self, bytes: &'a [u8]) -> Lines<'a> {
        Lines {
            buffer: self,
            rest: bytes,
        }
    }

    /// The last line, when the input ended without a line feed.
    pub fn finish(&mut self) -> Option<Result<String, LineFault>> {
        self.skipping = false;
        owned(std::mem::take(&mut self.pending))
    }

    /// Takes a piece of the line, its last one when `ended`.
    fn take<'a>(&mut self, part: &'a [u8], ended: bool) -> Option<Line<'a>> {
        if self.skipping {
            self.skipping = !ended;
            return None;
        }
        if self.exceeds_limit_with(part) {
            self.pending = Vec::new();
            self.skipping = !ended;
            return Some(Err(LineFault::TooLong { limit: self.limit }));
        }
        if ended && self.pending.is_empty() {
            return borrowed(part);
        }
        self.keep(part);
        if !ended {
            return None;
        }
        let line = owned(std::mem::take(&mut self.pending))?;
        Some(line.map(Cow::Owned))
    }

    /// A CR may be the one before the line feed: it does not count yet.
    fn exceeds_limit_with(&self, part: &[u8]) -> bool {
        let last = part.last().or(self.pending.last());
        let uncounted = usize::from(last == Some(&b'\r'));
        self.limit < self.pending.len() + part.len() - uncounted
    }

    fn keep(&mut self, part: &[u8]) {
        let needed = self.pending.len() + part.len();
        let room = self.pending.capacity();
        if room < needed {
            let growth = if room < LARGE { room } else { room / 4 };
            let wanted = (room + growth).min(self.limit.saturating_add(1));
            let more = wanted.max(needed) - self.pending.len();
            self.pending.reserve_exact(more);
        }
        self.pending.extend_from_slice(part);
    }
}

impl Lines<'_> {
    /// How many bytes have not been taken yet.
    pub fn left(&self) -> usize {
        self.rest.len()
    }
}

/// A line as it was read, or why it is none.
pub type Line<'a> = Result<Cow<'a, str>, LineFault>;

/// The lines that some bytes end. A line that lies in those bytes as a whole is
/// borrowed from them, all others are handed over without being copied.
#[derive(Debug)]
#[must_use = "bytes are taken only as the lines are taken out"]
pub struct Lines<'a> {
    buffer: &'a mut LineBuffer,
    rest: &'a [u8],
}

impl<'a> Iterator for Lines<'a> {
    type Item = Line<'a>;

    fn next(&mut self) -> Option<Line<'a>> {
        while !self.rest.is_empty() {
            let (part, after) = match memchr(b'\n', self.rest) {
                Some(at) => (&self.rest[..at], Some(&self.rest[at + 1..])),
                None => (self.rest, None),
            };
            self.rest = after.unwrap_or_default();
            if let Some(line) = self.buffer.take(part, after.is_some()) {
                return Some(line);
            }
        }
        None
    }
}

fn borrowed(line: &[u8]) -> Option<Line<'_>> {
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    if line.trim_ascii().is_empty() {
        return None;
    }
    let text = std::str::from_utf8(line).map_err(|_| LineFault::NotUtf8);
    Some(text.map(Cow::Borrowed))
}

fn owned(mut line: Vec<u8>) -> Option<Result<String, LineFault>> {
    if line.last() == Some(&b'\r') {
        line.pop();
    }
    if line.trim_ascii().is_empty() {
        return None;
    }
    Some(String::from_utf8(line).map_err(|_| LineFault::NotUtf8))
}

#[cfg(test)]
mod tests;
