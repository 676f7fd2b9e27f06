//! Commands that run in the background of a session.

use greenroom_protocol::session::{SessionId, Text};
use tokio::sync::mpsc;

/// Knows the commands that sessions have running in the background. They belong
/// to a session, not to a turn: an abort leaves them alone.
pub trait JobBoard: Send + Sync {
    /// From now on tells the ends of a session's jobs to this receiver, and to
    /// no earlier one (what waits in that one stays there); the first receiver
    /// also gets the ends from before it was asked for. Not told are jobs that
    /// the session itself killed. Bounded: at most 64 wait, further ones are left
    /// out (and still found by the tool that lists jobs). Nothing when there can
    /// be no jobs. It ends when the session is closed.
    fn ends(&self, session: &SessionId) -> Option<mpsc::Receiver<JobEnded>>;

    /// Ends all jobs of a session, but for those that were asked to outlive it,
    /// and forgets the session. Returns at once: processes get TERM, then KILL
    /// two seconds later, by reapers that outlive the call.
    fn close_session(&self, session: &SessionId);

    /// The same for all sessions.
    fn close(&self);
}

/// A job that has ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobEnded {
    /// Its name in the session: `job1`.
    pub job: Text,
    /// The command line.
    pub command: Text,
    /// How it ended.
    pub end: JobEnd,
    /// The last of what it wrote, at most 4 KiB and whole lines where possible.
    pub tail: Text,
    /// How long it ran, in seconds.
    pub seconds: u64,
}

/// How a job ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JobEnd {
    /// By itself, with this exit code.
    Exited(i32),
    /// By this signal.
    Signalled(i32),
    /// The system does not tell.
    Lost,
}
