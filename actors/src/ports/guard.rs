//! What may run without asking.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use greenroom_protocol::session::{Mode, Scope, Text};

use super::PlannedCall;

/// Judges calls. Must be quick (below 50 µs for usual rules) and change nothing.
/// The facts are in the [`Act`]; to read the disk is allowed for two things, with
/// bounded work: whether rules changed, and where links lead that stand in a
/// command. A panic counts as deny.
pub trait Guard: Send + Sync {
    /// The judgement on one call.
    fn judge(&self, act: &Act<'_>) -> Judgement;

    /// What a grant for more than once covers. Nothing when no such grant is
    /// possible.
    fn likeness(&self, act: &Act<'_>) -> Option<Likeness>;

    /// What people should know of the rules of a workspace, as the last
    /// judgement there found them: a file that broke while we run, one that
    /// nobody trusts. A text a matter, the same one as long as it lasts.
    fn warnings(&self, _root: &Path) -> Vec<Text> {
        Vec::new()
    }
}

/// What a grant for more than once covers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Likeness {
    /// Equal for all calls that it covers, and for no others.
    pub key: Text,
    /// The same in words, for people: `cargo test …`, `edits in /w/src`.
    pub covers: Text,
}

/// What is judged.
#[derive(Debug, Clone)]
pub struct Act<'a> {
    /// The call, as it would run.
    pub call: &'a PlannedCall,
    /// The built-in mode whose policy holds in the turn.
    pub mode: Mode,
    /// The turn's mode by its name, which rules may be for.
    pub named: &'a str,
    /// The workspace.
    pub root: Arc<PathBuf>,
    /// Whether a sub-agent makes the call.
    pub sub_agent: bool,
}

/// What the guard says, each with what decided (`by`), for an audit trail: such
/// as `user deny[2] "no force" on git push -f`, `mode auto` or `floor`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Judgement {
    /// It runs.
    Allow {
        /// The rules that allow it, or the mode.
        by: Text,
    },
    /// Somebody must say so.
    Ask {
        /// Why, in words: the rule or the mode.
        reason: Text,
        /// How much may be granted; always with [`Scope::Once`].
        scopes: Vec<Scope>,
        /// The rule that asks, the mode, or the floor.
        by: Text,
    },
    /// It does not run, whoever asks.
    Deny {
        /// Why, in words that the model reads.
        reason: Text,
        /// The rule that denies it, the mode, or the floor.
        by: Text,
    },
}
