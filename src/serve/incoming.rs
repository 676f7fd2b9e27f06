//! What a client has sent and was not taken up yet.

use std::io;

use greenroom_protocol::wire::{Line, LineBuffer};
use tokio::io::{AsyncRead, AsyncReadExt};

/// Bytes that are read at once.
const READ_BYTES: usize = 256 << 10;

/// The input, line by line. Lines are taken out one by one, so that whoever
/// takes them may stop at any, and the input stays unread meanwhile.
pub(super) struct Incoming {
    lines: LineBuffer,
    bytes: Vec<u8>,
    taken: usize,
    filled: usize,
    ended: bool,
    /// The line that the end of the input ended.
    last: Option<Result<String, greenroom_protocol::wire::LineFault>>,
}

impl Incoming {
    pub fn new(line_bytes: usize) -> Incoming {
        Incoming {
            lines: LineBuffer::new(line_bytes),
            bytes: vec![0; READ_BYTES],
            taken: 0,
            filled: 0,
            ended: false,
            last: None,
        }
    }

    /// The next whole line that was read.
    pub fn next_line(&mut self) -> Option<Line<'_>> {
        if self.taken < self.filled {
            let unread = self.bytes.get(self.taken..self.filled).unwrap_or_default();
            let mut lines = self.lines.push(unread);
            let line = lines.next();
            self.taken = self.filled - lines.left();
            if line.is_some() {
                return line;
            }
        }
        let last = self.last.take()?;
        Some(last.map(Into::into))
    }

    /// True when more may be read: all that was read is taken.
    pub fn wants_more(&self) -> bool {
        !self.ended && self.taken >= self.filled
    }

    /// True when the input has ended and its last line is taken.
    pub fn is_over(&self) -> bool {
        self.ended && self.taken >= self.filled && self.last.is_none()
    }

    /// Reads on. Loses nothing when it is dropped before it is done. An input
    /// that fails has ended.
    pub async fn read(&mut self, input: &mut (impl AsyncRead + Unpin)) {
        let read: io::Result<usize> = input.read(&mut self.bytes).await;
        self.taken = 0;
        self.filled = read.unwrap_or(0);
        if self.filled == 0 {
            self.ended = true;
            self.last = self.lines.finish();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn lines_wait_until_they_are_taken() {
        let mut input = &b"one\ntwo\nthr"[..];
        let mut incoming = Incoming::new(100);
        assert!(incoming.wants_more());
        incoming.read(&mut input).await;
        assert_eq!(incoming.next_line(), Some(Ok("one".into())));
        assert!(!incoming.wants_more());
        assert_eq!(incoming.next_line(), Some(Ok("two".into())));
        assert_eq!(incoming.next_line(), None);
        assert!(incoming.wants_more() && !incoming.is_over());
        incoming.read(&mut input).await;
        assert!(!incoming.is_over());
        assert_eq!(incoming.next_line(), Some(Ok("thr".into())));
        assert!(incoming.is_over());
    }
}
