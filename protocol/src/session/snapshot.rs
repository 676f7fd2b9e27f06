//! The state of a session at one moment, between two events.

use super::{
    AgentInFlight, Approval, Ask, Call, EntryId, Millis, Mode, ModelChoice, PlanItem, SessionId,
    Text, TurnId, Usage,
};

/// Everything that a client who joins must know to go on from event `seq`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snapshot {
    /// The session itself.
    pub info: SessionInfo,
    /// The last event before this moment.
    pub seq: u64,
    /// The turn in flight.
    pub turn: Option<TurnInFlight>,
    /// Calls that wait for a decision, oldest first.
    pub approvals: Vec<Approval>,
    /// Calls that wait for an answer, oldest first.
    pub questions: Vec<Ask>,
    /// Messages that wait.
    pub queue: QueueSizes,
    /// The agent's plan.
    pub plan: Vec<PlanItem>,
    /// How many messages the conversation has.
    pub messages: usize,
    /// How this process came by the session.
    pub opening: Opening,
    /// What was granted for the rest of the session, oldest first.
    pub grants: Vec<Grant>,
    /// The sub-agents that run, at any depth, oldest first.
    pub agents: Vec<AgentInFlight>,
}

/// Calls that run without asking until the session ends, since somebody said
/// so.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grant {
    /// Its name, to revoke it.
    pub name: Text,
    /// What it covers, in words.
    pub covers: Text,
}

/// A session as lists and states show it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionInfo {
    /// Its name.
    pub id: SessionId,
    /// A short text for people; empty before the first prompt.
    pub title: Text,
    /// The workspace: an absolute path.
    pub root: Text,
    /// What the next turn uses.
    pub mode: Mode,
    /// What the next turn uses.
    pub model: ModelChoice,
    /// What it is doing.
    pub status: Status,
    /// False when the journal is only in memory.
    pub saved: bool,
    /// Tokens that the next model call sends, about.
    pub context: u64,
    /// The context window of the model, when known.
    pub context_window: Option<u64>,
    /// The whole session's.
    pub usage: Usage,
    /// Finished turns.
    pub turns: u64,
    /// When it was first opened.
    pub created: Millis,
    /// The session that it goes on from, of a fork.
    pub fork_of: Option<(SessionId, EntryId)>,
}

/// A saved session as a list shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionListing {
    /// Its name.
    pub id: SessionId,
    /// A short text for people; empty before the first prompt.
    pub title: Text,
    /// Of the next turn.
    pub mode: Mode,
    /// Of the next turn.
    pub model: ModelChoice,
    /// The workspace: an absolute path.
    pub root: Text,
    /// The session that started it, of a sub-agent.
    pub parent: Option<SessionId>,
    /// The session that it goes on from, of a fork.
    pub fork_of: Option<(SessionId, EntryId)>,
    /// What it is doing, or how its last turn ended.
    pub status: Status,
    /// When it last changed.
    pub updated: Millis,
    /// Finished turns.
    pub turns: u64,
    /// What the whole session used.
    pub usage: Usage,
}

/// What a session is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// Nothing.
    Idle,
    /// A turn runs.
    Running,
    /// A turn runs and waits for an approval or an answer.
    Waiting,
    /// Nothing; the last turn failed.
    Failed,
}

/// How this process came by the session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Opening {
    /// It is new.
    New,
    /// It was there; its last turn had ended.
    Resumed,
    /// It was there, and a turn was cut by the end of its process.
    ResumedAfterInterruption,
}

/// The turn in flight.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TurnInFlight {
    /// Its name.
    pub turn: TurnId,
    /// When it was admitted.
    pub started: Millis,
    /// Model calls so far, the running one included.
    pub steps: u32,
    /// The assistant message that is being written.
    pub entry: Option<EntryId>,
    /// Its text so far: later text events add to exactly this.
    pub text: Text,
    /// Its thinking so far.
    pub thinking: Text,
    /// Calls told and without a result, in order.
    pub calls: Vec<CallInFlight>,
}

/// A call told and without a result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallInFlight {
    /// As it was told.
    pub call: Call,
    /// True when it runs; false while it waits.
    pub running: bool,
}

/// How many messages wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct QueueSizes {
    /// For the next tool boundary.
    pub steers: usize,
    /// For the end of the turn.
    pub follow_ups: usize,
}
