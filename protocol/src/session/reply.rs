//! What a command that succeeded answers.

use super::{Message, SessionId, Snapshot, TurnId};

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
}
