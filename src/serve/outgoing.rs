//! Frames that are not yet with the client.

use std::io;

use greenroom_protocol::wire::Frames;
use tokio::io::{AsyncWrite, AsyncWriteExt};

/// Room that the buffer keeps when it is empty.
const KEEP_BYTES: usize = 256 << 10;

/// The output, until it closes.
pub(super) struct Outgoing {
    /// What is to be sent; a dialect adds to it.
    pub frames: Frames,
    /// How much of the frames is written.
    written: usize,
    /// What was given to the output may wait in it, and fail only there.
    flushed: bool,
    open: bool,
}

impl Outgoing {
    pub fn new() -> Outgoing {
        Outgoing {
            frames: Frames::new(),
            written: 0,
            flushed: true,
            open: true,
        }
    }

    /// How many bytes wait.
    pub fn waiting(&self) -> usize {
        self.frames.len() - self.written
    }

    /// True when there is something to do for the output.
    pub fn has_work(&self) -> bool {
        self.open && (self.waiting() > 0 || !self.flushed)
    }

    /// Writes some of what waits, and flushes when it was all. Loses nothing when it is dropped
    /// before it is done. An error closes it: what waits, and what comes later,
    /// goes nowhere.
    pub async fn work(&mut self, output: &mut (impl AsyncWrite + Unpin)) -> io::Result<()> {
        if let Some(bytes) = self.frames.as_lines().get(self.written..)
            && !bytes.is_empty()
        {
            match output.write(bytes).await {
                Ok(0) => return Err(self.close(io::ErrorKind::WriteZero.into())),
                Ok(count) => {
                    self.flushed = false;
                    self.wrote(count);
                }
                Err(error) => return Err(self.close(error)),
            }
        }
        if self.waiting() > 0 {
            return Ok(());
        }
        output.flush().await.map_err(|error| self.close(error))?;
        self.flushed = true;
        Ok(())
    }

    /// Forgets what waits when nobody can get it any more.
    pub fn forget_if_closed(&mut self) {
        if !self.open {
            self.frames.clear(0);
            self.written = 0;
        }
    }

    fn wrote(&mut self, count: usize) {
        self.written += count;
        if self.written >= self.frames.len() {
            self.frames.clear(KEEP_BYTES);
            self.written = 0;
        } else if self.written > self.frames.len() / 2 {
            // A reader who is never quite done must not make it grow.
            self.frames.drop_front(self.written);
            self.written = 0;
        }
    }

    fn close(&mut self, error: io::Error) -> io::Error {
        self.open = false;
        self.forget_if_closed();
        error
    }
}
