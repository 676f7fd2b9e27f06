//! A command's output on its way to clients and to the model, until the command
//! has ended.

use std::io;
use std::process::ExitStatus;
use std::time::Duration;

use greenroom_actors::ports::OutputSink;
use greenroom_protocol::session::OutputStream;
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::time::{Instant, sleep_until, timeout, timeout_at};

use super::super::outputs::Whole;
use super::super::text::{HeadTail, Utf8Pieces};
use super::leash::Leash;

/// How long output is read on when the command itself has ended: a process in
/// the background may hold the pipe for ever.
const GRACE: Duration = Duration::from_millis(500);

/// How much is read at once.
const PIECE: usize = 8 << 10;
/// As many pieces as two pipes of the usual size hold.
const DRAINED_PIECES: usize = 2 * (64 << 10) / PIECE;

/// What bounds a command.
pub(super) struct PumpLimits {
    /// How long it may run.
    pub time: Duration,
    /// Bytes that are kept for the model.
    pub kept: usize,
    /// Bytes that are streamed.
    pub streamed: usize,
}

/// A command that has ended.
pub(super) struct Ended {
    /// How.
    pub how: How,
    /// What it wrote, both streams in the order of reading.
    pub text: String,
    /// Whether `text` is less than all.
    pub truncated: bool,
}

/// How a command ended.
pub(super) enum How {
    /// By itself, or by somebody's signal.
    Exited(ExitStatus),
    /// Its time was up.
    TimedOut,
    /// The system does not tell.
    Lost(io::Error),
}

/// Reads a command's output to its end. Dropping this stops the command.
pub(super) async fn pump(
    mut leash: Leash,
    sink: &OutputSink,
    limits: &PumpLimits,
    whole: Whole,
) -> Ended {
    let mut stdout = Pipe::new(leash.take_stdout());
    let mut stderr = Pipe::new(leash.take_stderr());
    let mut text = Kept {
        text: HeadTail::new(limits.kept),
        whole,
    };
    let mut stream = Stream {
        sink,
        left: limits.streamed,
    };
    let mut how: Option<How> = None;
    let time_up = Instant::now() + limits.time;
    // When reading ends at the latest: first by the time limit, then by grace.
    let mut deadline = time_up;
    let mut late = false;
    loop {
        if how.is_some() && stdout.is_closed() && stderr.is_closed() {
            break;
        }
        let step = tokio::select! {
            piece = stdout.read(), if !stdout.is_closed() => {
                Step::Piece(OutputStream::Stdout, piece)
            }
            piece = stderr.read(), if !stderr.is_closed() => {
                Step::Piece(OutputStream::Stderr, piece)
            }
            status = leash.wait(), if how.is_none() => Step::Exited(status),
            () = sleep_until(deadline) => Step::Late,
        };
        match step {
            Step::Piece(from, piece) => {
                text.push(&piece).await;
                let sending = Instant::now();
                // A client that does not read must not keep the command longer
                // than its time; nor does it cost grace.
                let latest = time_up.max(sending + GRACE);
                let _ = timeout_at(latest, stream.send(from, piece)).await;
                if how.is_some() {
                    deadline += sending.elapsed();
                }
            }
            Step::Exited(status) => {
                how = Some(status.map_or_else(How::Lost, How::Exited));
                deadline = Instant::now() + GRACE;
            }
            Step::Late if how.is_none() => {
                leash.terminate();
                how = Some(How::TimedOut);
                deadline = Instant::now() + GRACE;
            }
            Step::Late => {
                late = true;
                break;
            }
        }
    }
    if late {
        drain(&mut stdout, &mut stderr, &mut text, &mut stream).await;
    }
    leash.release();
    let note = text.whole.finish().await;
    let (text, truncated) = text.text.finish(&note);
    Ended {
        how: how.unwrap_or(How::TimedOut),
        text,
        truncated,
    }
}

/// Reads what lies in the pipes already: on a busy machine the grace may pass
/// before a single read.
async fn drain<O, E>(
    stdout: &mut Pipe<O>,
    stderr: &mut Pipe<E>,
    text: &mut Kept,
    stream: &mut Stream<'_>,
) where
    O: AsyncRead + Unpin,
    E: AsyncRead + Unpin,
{
    for _ in 0..DRAINED_PIECES {
        let (from, piece) = tokio::select! {
            biased;
            piece = stdout.read(), if !stdout.is_closed() => (OutputStream::Stdout, piece),
            piece = stderr.read(), if !stderr.is_closed() => (OutputStream::Stderr, piece),
            () = std::future::ready(()) => return,
        };
        text.push(&piece).await;
        let _ = timeout(GRACE, stream.send(from, piece)).await;
    }
}

/// What is kept of the output.
struct Kept {
    /// For the model.
    text: HeadTail,
    /// In a file.
    whole: Whole,
}

impl Kept {
    async fn push(&mut self, piece: &str) {
        self.text.push(piece);
        self.whole.push(piece).await;
    }
}

enum Step {
    Piece(OutputStream, String),
    Exited(io::Result<ExitStatus>),
    Late,
}

/// One of a command's streams.
pub(in crate::tool) struct Pipe<R> {
    reader: Option<R>,
    decoder: Utf8Pieces,
    buffer: Vec<u8>,
}

impl<R: AsyncRead + Unpin> Pipe<R> {
    /// Of a reader that is open, or of none.
    pub fn new(reader: Option<R>) -> Pipe<R> {
        Pipe {
            reader,
            decoder: Utf8Pieces::default(),
            buffer: vec![0; PIECE],
        }
    }

    /// Whether nothing more will come.
    pub fn is_closed(&self) -> bool {
        self.reader.is_none()
    }

    /// The next text; may be empty. Nothing is lost when this is dropped.
    pub async fn read(&mut self) -> String {
        let Some(reader) = &mut self.reader else {
            return std::future::pending().await;
        };
        match reader.read(&mut self.buffer).await {
            Ok(length) if length > 0 => {
                let piece = self.buffer.get(..length).unwrap_or_default();
                self.decoder.push(piece)
            }
            _ => {
                self.reader = None;
                self.decoder.finish()
            }
        }
    }
}

/// The way to the clients, up to a bound.
struct Stream<'a> {
    sink: &'a OutputSink,
    left: usize,
}

impl Stream<'_> {
    async fn send(&mut self, from: OutputStream, mut piece: String) {
        if piece.is_empty() || self.left == 0 {
            return;
        }
        if piece.len() >= self.left {
            piece.truncate(piece.floor_char_boundary(self.left));
            piece.push_str("\n[output goes on, but is shown no further]\n");
            self.left = 0;
        } else {
            self.left -= piece.len();
        }
        // Nobody listens any more: the command runs on all the same.
        let _ = self.sink.send((from, piece)).await;
    }
}
