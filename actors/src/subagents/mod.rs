//! Sub-agents: sessions that a session starts for a part of its work.
//!
//! `spec` says what kinds there are, `machine` keeps who runs and `telling` decides what of
//! them the session tells, all inside the session's machine. `actor` is the
//! pool: it opens the child sessions and watches each as any client would
//! (`watcher`), so a child is a session like all others, with a journal of its
//! own.

mod actor;
mod machine;
mod spec;
mod telling;
mod watcher;

pub use actor::{SubagentsActor, SubagentsMsg};
pub use machine::{Agents, EndedAgent};
pub use spec::{AgentLimits, AgentSpec};
