//! Log lines, on standard error only.
//!
//! Logging never holds up a session and never ends the process: lines go
//! through a bounded queue to a thread of their own, so that a host that does
//! not read our standard error loses log lines and nothing else. Known secrets
//! are taken out on the way. Nothing is started before the first line is
//! logged.

mod queue;
mod redacting;

#[cfg(test)]
mod tests;

use std::io;
use std::sync::Arc;
use std::time::Duration;

use tracing::Subscriber;
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::{Layer, Registry};

use crate::config::{LogFormat, LogSettings};
use crate::redact::Redactor;
use queue::Queue;
use redacting::Redacting;

/// How long the end of the process waits for the last lines to be read.
const LAST_LINES: Duration = Duration::from_millis(300);

/// Starts logging for the whole process, without what the redactor finds: it is
/// made when the first line is logged. Hold what it returns until the end:
/// dropping it waits for the last lines, for at most 300 ms. A second call
/// changes nothing.
#[must_use = "the last lines are written when it is dropped"]
pub fn init(
    settings: &LogSettings,
    redactor: impl FnOnce() -> Redactor + Send + 'static,
) -> Logging {
    let writer = Redacting::new(io::stderr(), Box::new(redactor));
    let queue = Arc::new(Queue::new(Box::new(writer), left_out_line(settings.format)));
    let subscriber = subscriber(settings, Writer(queue.clone()));
    // It fails when somebody else, such as a test, has set one.
    let _ = tracing::subscriber::set_global_default(subscriber);
    Logging(queue)
}

/// Logging that goes on; see [`init`].
pub struct Logging(Arc<Queue>);

impl Drop for Logging {
    fn drop(&mut self) {
        self.0.flush(LAST_LINES);
    }
}

fn subscriber(settings: &LogSettings, writer: Writer) -> Box<dyn Subscriber + Send + Sync> {
    // Errors of the writer must not be told on standard error in turn: that
    // would panic when it is closed.
    let plain = tracing_subscriber::fmt::layer()
        .with_ansi(false)
        .log_internal_errors(false)
        .with_writer(writer);
    let targets = settings.level.targets();
    match settings.format {
        LogFormat::Text => Box::new(Registry::default().with(plain.with_filter(targets))),
        LogFormat::Json => Box::new(Registry::default().with(plain.json().with_filter(targets))),
    }
}

/// The line that tells how many lines had no room, in the form of the others.
fn left_out_line(format: LogFormat) -> fn(u64) -> String {
    match format {
        LogFormat::Text => |count| {
            format!(" WARN greenroom: {count} log lines were left out: nobody reads fast enough\n")
        },
        LogFormat::Json => |count| {
            format!(
                "{{\"level\":\"WARN\",\"target\":\"greenroom\",\"fields\":{{\"message\":\
                 \"log lines were left out: nobody reads fast enough\",\"count\":{count}}}}}\n"
            )
        },
    }
}

/// Gives each event's text to the queue.
#[derive(Clone)]
struct Writer(Arc<Queue>);

impl<'a> MakeWriter<'a> for Writer {
    type Writer = Writer;

    fn make_writer(&'a self) -> Writer {
        self.clone()
    }
}

impl io::Write for Writer {
    /// Takes one whole line: that is how the formatter calls it.
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        self.0.push(line);
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
