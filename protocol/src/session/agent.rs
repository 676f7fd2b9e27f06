//! Sub-agents: sessions that a session has started for a part of its work.

use super::{AgentId, CallId, Content, Millis, Text, Usage};

/// What a client may ask of one running sub-agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AgentOrder {
    /// A message for its running turn, as [`super::Command::Steer`].
    Steer(Content),
    /// End it now. Its starter goes on, and reads that it was stopped.
    Interrupt,
    /// Tell its conversation, oldest first, as
    /// [`super::Command::GetMessages`]; also of one that has ended.
    GetMessages {
        /// At most so many, counted from the end; nothing means all.
        limit: Option<usize>,
    },
}

/// A sub-agent that runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentInFlight {
    /// Its session.
    pub agent: AgentId,
    /// The call that started it.
    pub call: CallId,
    /// Its definition's name.
    pub name: Text,
    /// What it is to do, in a few words.
    pub task: Text,
    /// Its starter's turn does not wait for it.
    pub background: bool,
    /// When it began.
    pub started: Millis,
    /// What it used so far, its own sub-agents included.
    pub usage: Usage,
    /// Model calls that it and its own sub-agents made so far.
    pub steps: u32,
}
