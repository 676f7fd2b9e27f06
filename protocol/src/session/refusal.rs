//! Why a session does not do what it was asked.

use thiserror::Error;

use super::{CallId, EntryId, Feature, Text};

/// States of affairs that stand against a command. Each dialect has its own
/// code and words for them and matches every one.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[allow(missing_docs)]
pub enum Refusal {
    #[error("a turn is running")]
    TurnRunning,
    #[error("there is nothing to send")]
    NothingToSend,
    #[error("call {0} is not waiting for approval")]
    NoSuchApproval(CallId),
    #[error("call {0} is not waiting for an answer")]
    NoSuchQuestion(CallId),
    #[error("call {0} asked no question {1:?}")]
    NoSuchPartOfQuestion(CallId, Text),
    #[error("no provider {name:?} is configured; there are {known}")]
    UnknownProvider { name: Text, known: Text },
    #[error("there is no entry {0}")]
    NoSuchEntry(EntryId),
    /// From 1, as a person counts.
    #[error("image {number} cannot be used: {reason}")]
    BadImage { number: usize, reason: Text },
    #[error("the queue is full (at most {messages} messages and {megabytes} MB)")]
    QueueFull { messages: usize, megabytes: usize },
    /// An abort came while its pictures were still looked at.
    #[error("it was withdrawn by the abort behind it")]
    Withdrawn,
    #[error("the session's journal cannot be written: {0}")]
    Storage(Text),
    #[error("this build has no {0:?} yet")]
    NotSupported(Feature),
    #[error("the session has ended")]
    Ended,
    #[error("an internal fault; the log has more")]
    Internal,
}
