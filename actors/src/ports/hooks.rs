//! Commands of the user's own that hear of a session and may object.

use std::path::PathBuf;
use std::sync::Arc;

use greenroom_protocol::session::{Document, SessionId, Text};

use super::Work;

/// Hooks of all events. A hook can make a ruling stricter, never milder: what
/// the guard denies stays denied. Whoever implements this sets the deadlines.
/// Dropping a work ends what it started.
pub trait Hooks: Send + Sync {
    /// Whether no hook waits for this event: then nothing need be prepared.
    fn is_idle(&self, event: HookEvent) -> bool;

    /// Before a planned call is judged or run.
    fn before_tool(&self, call: HookedCall) -> Work<HookVerdict>;

    /// Before a prompt's turn begins.
    fn prompt(&self, place: HookPlace, text: Text) -> Work<HookVerdict>;

    /// Something happened; nothing can be decided about it any more.
    fn notice(&self, place: HookPlace, notice: HookNotice) -> Work<()>;
}

/// What hooks hear of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum HookEvent {
    /// A session began or was loaded.
    SessionStart,
    /// A session is closed.
    SessionEnd,
    /// A prompt came.
    Prompt,
    /// A call is about to run.
    BeforeTool,
    /// A call has its result.
    AfterTool,
    /// Somebody is asked for an approval.
    Approval,
    /// A turn ended.
    TurnEnd,
}

/// Where it happens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HookPlace {
    /// The session.
    pub session: SessionId,
    /// The workspace: an absolute path, with links resolved.
    pub root: Arc<PathBuf>,
}

/// A call that hooks may object to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HookedCall {
    /// Where.
    pub place: HookPlace,
    /// The tool.
    pub tool: Text,
    /// Its input, as it would run.
    pub input: Document,
}

/// What hooks say together: the strictest ruling of all.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct HookVerdict {
    /// The ruling.
    pub ruling: HookRuling,
    /// Why, in words for the model and people; empty when nobody objects.
    pub reason: Text,
    /// Text that the model is given as well, in the order of the hooks.
    pub context: Vec<Text>,
    /// Another input for the call. It must be planned and judged anew.
    pub input: Option<Document>,
}

/// From the mildest to the strictest: the order counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum HookRuling {
    /// No opinion.
    #[default]
    Pass,
    /// It may run without being asked about, unless the guard denies it.
    Allow,
    /// Somebody must say so.
    Ask,
    /// It does not happen.
    Deny,
}

/// What happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HookNotice {
    /// A session began or was loaded.
    SessionStart,
    /// A session is closed.
    SessionEnd,
    /// A call has its result.
    AfterTool {
        /// The tool.
        tool: Text,
        /// The input that ran.
        input: Document,
        /// What the model reads.
        result: Text,
        /// Whether it failed.
        failed: bool,
    },
    /// Somebody is asked for an approval.
    Approval {
        /// The tool.
        tool: Text,
        /// Why it is asked.
        reason: Text,
    },
    /// A turn ended.
    TurnEnd {
        /// How, in one word: `completed`, `aborted`, `failed`.
        outcome: Text,
    },
}

/// No hooks at all.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoHooks;

impl Hooks for NoHooks {
    fn is_idle(&self, _: HookEvent) -> bool {
        true
    }

    fn before_tool(&self, _: HookedCall) -> Work<HookVerdict> {
        Box::pin(std::future::ready(HookVerdict::default()))
    }

    fn prompt(&self, _: HookPlace, _: Text) -> Work<HookVerdict> {
        Box::pin(std::future::ready(HookVerdict::default()))
    }

    fn notice(&self, _: HookPlace, _: HookNotice) -> Work<()> {
        Box::pin(std::future::ready(()))
    }
}
