//! Known secrets are taken out of log lines on their way to standard error.

use std::cell::LazyCell;
use std::io::{self, Write};

use crate::redact::{Redactor, Tally};

/// Makes the redactor when the first line comes.
pub(super) type MakeRedactor = Box<dyn FnOnce() -> Redactor + Send>;

/// Takes whole lines, and writes them without secrets. It works on the log's
/// own thread, and only when something is logged.
pub(super) struct Redacting<W> {
    writer: W,
    redactor: LazyCell<Redactor, MakeRedactor>,
}

impl<W: Write> Redacting<W> {
    /// In front of that writer.
    pub(super) fn new(writer: W, redactor: MakeRedactor) -> Redacting<W> {
        Redacting {
            writer,
            redactor: LazyCell::new(redactor),
        }
    }
}

impl<W: Write> Write for Redacting<W> {
    /// Takes all of it: that is whole lines.
    fn write(&mut self, lines: &[u8]) -> io::Result<usize> {
        let text = String::from_utf8_lossy(lines);
        let clean = self.redactor.redact(&text, &mut Tally::default());
        self.writer.write_all(clean.as_bytes())?;
        Ok(lines.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer.flush()
    }
}
