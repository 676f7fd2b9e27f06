//! What may run without asking.

use std::path::PathBuf;
use std::sync::Arc;

use greenroom_protocol::session::{Mode, Scope, Text};

use super::PlannedCall;

/// Judges calls. Must be quick (below 50 µs) and touch nothing: all facts are
/// in the [`Act`]. A panic counts as deny.
pub trait Guard: Send + Sync {
    /// The judgement on one call.
    fn judge(&self, act: &Act<'_>) -> Judgement;

    /// What a grant for more than once covers: a key that is equal for calls
    /// like this one. Nothing when no such grant is possible.
    fn likeness(&self, act: &Act<'_>) -> Option<Text>;
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
}

/// What the guard says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Judgement {
    /// It runs.
    Allow,
    /// Somebody must say so.
    Ask {
        /// Why, in words: the rule or the mode.
        reason: Text,
        /// How much may be granted; always with [`Scope::Once`].
        scopes: Vec<Scope>,
    },
    /// It does not run, whoever asks.
    Deny {
        /// Why, in words that the model reads.
        reason: Text,
    },
}
