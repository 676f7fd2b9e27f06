//! What a session is opened with and keeps for as long as this process runs it.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use greenroom_protocol::session::{AnswerPolicy, Mode, ModelChoice, SessionId, Text};

use crate::limits::{CallPolicy, Limits};
use crate::ports::{ModelFacts, ToolSpec};

/// Looks a model up, without asking anybody. Nothing when its provider is not
/// configured.
pub type Facts = Arc<dyn Fn(&ModelChoice) -> Option<ModelFacts> + Send + Sync>;

/// A session's settings.
#[derive(Clone)]
pub struct Settings {
    /// Its name.
    pub id: SessionId,
    /// The workspace: absolute, links resolved.
    pub root: Arc<PathBuf>,
    /// The mode that it opens with; a resumed session keeps its own when
    /// nothing.
    pub mode: Option<Mode>,
    /// The model that it opens with; a resumed session keeps its own when
    /// nothing.
    pub model: Option<ModelChoice>,
    /// What a new session takes when `model` is nothing.
    pub default_model: ModelChoice,
    /// The system prompt.
    pub system: Text,
    /// The tools, in a stable order.
    pub tools: Arc<[ToolSpec]>,
    /// Who decides what is asked.
    pub answers: AnswerPolicy,
    /// Limits.
    pub limits: Limits,
    /// Tries and deadlines of model calls.
    pub calls: CallPolicy,
    /// False when the journal is only in memory.
    pub saved: bool,
    /// Models.
    pub facts: Facts,
    /// The configured providers, for people.
    pub providers: Text,
}

impl fmt::Debug for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Settings")
            .field("id", &self.id)
            .field("root", &self.root)
            .finish_non_exhaustive()
    }
}
