//! A reader that tells when a line is too long to be kept: whoever waits for
//! the answer in it learns at once that it will not come.

use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, ReadBuf};
use tokio::sync::watch;

/// The longest message of a server that is kept, in bytes.
pub(super) const LONGEST_MESSAGE: usize = 16 << 20;

/// Passes bytes on and counts those of each line.
pub(super) struct Metered<R> {
    inner: R,
    /// Of the line that is being read.
    length: usize,
    /// How many lines were too long.
    too_long: watch::Sender<u64>,
}

impl<R> Metered<R> {
    /// Tells `too_long` of each line that has more than [`LONGEST_MESSAGE`].
    pub fn new(inner: R, too_long: watch::Sender<u64>) -> Metered<R> {
        Metered {
            inner,
            length: 0,
            too_long,
        }
    }

    fn count(&mut self, bytes: &[u8]) {
        let mut rest = bytes;
        while let Some(end) = memchr::memchr(b'\n', rest) {
            self.lengthen(end);
            self.length = 0;
            rest = rest.get(end + 1..).unwrap_or_default();
        }
        self.lengthen(rest.len());
    }

    fn lengthen(&mut self, by: usize) {
        let before = self.length;
        self.length = before.saturating_add(by);
        if before <= LONGEST_MESSAGE && self.length > LONGEST_MESSAGE {
            self.too_long.send_modify(|count| *count += 1);
        }
    }
}

impl<R: AsyncRead + Unpin> AsyncRead for Metered<R> {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<std::io::Result<()>> {
        let this = self.get_mut();
        let before = buffer.filled().len();
        ready!(Pin::new(&mut this.inner).poll_read(context, buffer))?;
        let read = buffer.filled().get(before..).unwrap_or_default();
        this.count(read);
        Poll::Ready(Ok(()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_line_that_is_too_long_is_told_once() {
        let (sender, told) = watch::channel(0);
        let mut metered = Metered::new(tokio::io::empty(), sender);
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
}
