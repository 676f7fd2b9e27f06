//! How a turn ends. Every ended turn has a reason.

use super::Text;

/// Why a turn ended. No wire may tell success for anything but `Completed`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// The model had said all.
    Completed,
    /// Somebody stopped it.
    Aborted(AbortedBy),
    /// The model or its provider declined to answer.
    Refused,
    /// Something failed and could not be mended.
    Failed(Failure),
    /// A limit was met.
    Limit(LimitKind),
    /// The process went away under it.
    Interrupted(Interruption),
}

/// Who stopped a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AbortedBy {
    /// A client asked for it.
    Client,
    /// The client went away and its wire says that this stops the turn.
    ClientGone,
    /// A signal to the process.
    Signal,
    /// The conversation was reset.
    Reset,
    /// The session was closed.
    Close,
}

/// What failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// The kind, to act on.
    pub kind: FailureKind,
    /// In words, with the next step; holds no secret.
    pub message: Text,
}

/// Kinds of failure, as far as somebody may act on them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FailureKind {
    /// The provider asks to slow down (429).
    RateLimited,
    /// The provider has no capacity (503, 529), also after retries.
    Overloaded,
    /// The key is missing or not accepted (401, 403).
    Auth,
    /// The account has no credit left (402, insufficient quota).
    Quota,
    /// The conversation is too long for the model.
    TooLong,
    /// The provider found the request wrong (400, 404, 413 …).
    Invalid,
    /// The connection broke or the stream was no sense.
    Broken,
    /// Nothing came for longer than the deadline.
    Stalled,
    /// The journal can't be written.
    Storage,
    /// Somebody stopped it.
    Aborted,
    /// A fault of ours; the log has more.
    Internal,
}

/// Which limit was met.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LimitKind {
    /// Model calls in the turn.
    Steps,
    /// The length of one answer of the model.
    AnswerLength,
    /// Tokens in the turn.
    Tokens,
    /// Money in the turn.
    Cost,
    /// Wall time of the turn.
    Time,
    /// Tokens in the whole session.
    SessionTokens,
    /// Money in the whole session.
    SessionCost,
}

/// How the process went away.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Interruption {
    /// It died: the turn was found open when the session was opened again.
    Crash,
    /// The session's actor failed and was started anew.
    Restart,
    /// It was asked to stop and the turn did not end in time.
    Shutdown,
}
