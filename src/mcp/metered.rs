//! A reader that tells when a line is too long to be kept: whoever waits for
//! the answer in it learns at once that it will not come. A line that would take
//! much memory although it is short ends the connection.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, ReadBuf};
use tokio::sync::watch;

use super::guarded::Watch;

/// The longest message of a server that is kept, in bytes.
pub(super) const LONGEST_MESSAGE: usize = 16 << 20;

/// As many values may one message hold: each takes some hundred bytes while it is
/// read, however short it is written.
const MOST_VALUES: usize = 500_000;

/// Passes bytes on and counts what they say.
pub(super) struct Metered<R> {
    inner: R,
    line: Line,
    /// How many lines were too long.
    too_long: watch::Sender<u64>,
    cutting: Arc<Watch>,
}

/// What was read of a line.
#[derive(Default)]
struct Line {
    length: usize,
    values: usize,
    in_text: bool,
    after_backslash: bool,
}

impl<R> Metered<R> {
    /// Tells `too_long` of each line that has more than [`LONGEST_MESSAGE`]; cuts
    /// the connection at one of more than [`MOST_VALUES`] values.
    pub fn new(inner: R, too_long: watch::Sender<u64>, cutting: Arc<Watch>) -> Metered<R> {
        Metered {
            inner,
            line: Line::default(),
            too_long,
            cutting,
        }
    }

    /// Whether the bytes may be read.
    fn count(&mut self, bytes: &[u8]) -> bool {
        for byte in bytes {
            if *byte == b'\n' {
                self.line = Line::default();
                continue;
            }
            self.line.take(*byte);
            if self.line.length == LONGEST_MESSAGE + 1 {
                self.too_long.send_modify(|count| *count += 1);
            }
            if self.line.values > MOST_VALUES && self.line.length <= LONGEST_MESSAGE {
                self.cutting
                    .cut("it sent a message of more than 500,000 values");
                return false;
            }
        }
        true
    }
}

impl Line {
    fn take(&mut self, byte: u8) {
        self.length = self.length.saturating_add(1);
        let escaped = std::mem::take(&mut self.after_backslash);
        match byte {
            b'"' if !escaped => self.in_text = !self.in_text,
            b'\\' if self.in_text => self.after_backslash = !escaped,
            b',' | b'[' | b'{' if !self.in_text => self.values += 1,
            _ => (),
        }
    }
}

impl<R: AsyncRead + Unpin> AsyncRead for Metered<R> {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let before = buffer.filled().len();
        ready!(Pin::new(&mut this.inner).poll_read(context, buffer))?;
        let read = buffer.filled().get(before..).unwrap_or_default();
        match this.count(read) {
            true => Poll::Ready(Ok(())),
            false => Poll::Ready(Err(io::Error::other("too many values"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn metered() -> (Metered<tokio::io::Empty>, watch::Receiver<u64>) {
        let (sender, told) = watch::channel(0);
        (
            Metered::new(tokio::io::empty(), sender, Arc::default()),
            told,
        )
    }

    #[test]
    fn each_line_that_is_too_long_is_told_once() {
        let (mut metered, told) = metered();
        let half = vec![b'x'; LONGEST_MESSAGE / 2 + 1];
        metered.count(&half);
        metered.count(b"\n");
        metered.count(&half);
        assert_eq!(*told.borrow(), 0);
        metered.count(&half);
        metered.count(&half);
        assert_eq!(*told.borrow(), 1);
        metered.count(b"\nshort\n");
        metered.count(&half);
        metered.count(&half);
        assert_eq!(*told.borrow(), 2);
    }

    #[test]
    fn values_are_counted_outside_of_texts() {
        let (mut metered, _told) = metered();
        metered.count(br#"{"a,[": "x\\\",{\\", "b": [1, 2]}"#);
        assert_eq!(metered.line.values, 4);
        metered.count(b"\n");
        assert_eq!(metered.line.values, 0);
        assert!(metered.count(&vec![b'['; MOST_VALUES]));
        assert!(!metered.count(b"["));
        assert!(metered.cutting.trouble().is_some());
        // However many commas a text has.
        let (mut metered, _told) = super::tests::metered();
        metered.count(b"\"");
        assert!(metered.count(&vec![b','; 2 * MOST_VALUES]));
    }
}
