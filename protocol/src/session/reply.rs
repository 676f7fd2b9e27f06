//! What a command that succeeded answers.

use super::{Message, SessionId, SessionListing, Snapshot, Text, TurnId};

/// One variant a shape of answer, not one a command.
#[derive(Debug, Clone, PartialEq)]
pub enum Reply {
    /// It is done (or nothing was to do).
    Done,
    /// The turn starts; its events follow.
    Started(TurnId),
    /// The message waits in the queue.
    Queued,
    /// The state at the moment of the answer, without the text of a message in
    /// flight: whoever asks was told it.
    State(Box<Snapshot>),
    /// The conversation, oldest first.
    Messages(Vec<Message>),
    /// The session goes on empty.
    Reset(SessionId),
    /// The client is in the fork from now on: the state of it.
    Forked(Box<Snapshot>),
    /// Saved sessions, the latest changed first.
    Sessions(Vec<SessionListing>),
    /// The session was written to a file.
    Exported {
        /// Its absolute path.
        path: Text,
        /// What was taken out: a count and a kind each, as `2 anthropic key`.
        redacted: Vec<Text>,
    },
}
