//! Why a session does not do what it was asked.

use thiserror::Error;

use super::{AgentId, CallId, EntryId, Text};

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
    #[error("there is no mode {name:?}; there are {known}")]
    UnknownMode { name: Text, known: Text },
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
    /// One of the session's own works, of which there is one at a time.
    #[error("{0} is under way")]
    Busy(Busy),
    #[error("there is nothing to compact")]
    NothingToCompact,
    #[error("the conversation was not compacted: {0}")]
    NotCompacted(Text),
    #[error("the session was not exported: {0}")]
    NotExported(Text),
    #[error("there is no grant {0:?}")]
    NoSuchGrant(Text),
    /// None of that name runs (or, of a question for its messages, ever ran).
    #[error("there is no sub-agent {0}")]
    NoSuchAgent(AgentId),
    #[error("the session has ended")]
    Ended,
    #[error("an internal fault; the log has more")]
    Internal,
}

/// What a session is busy with, beside turns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Busy {
    /// A compaction.
    Compacting,
    /// A fork or a rewind: an entry is looked for in the journal.
    Moving,
}

impl std::fmt::Display for Busy {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Busy::Compacting => "compaction",
            Busy::Moving => "a fork or a rewind",
        })
    }
}
