//! What a session is opened with and keeps for as long as this process runs it.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use greenroom_protocol::session::{
    AnswerPolicy, FailureKind, Mode, ModelChange, ModelChoice, SessionId, Text,
};

use crate::limits::{CallPolicy, Limits};
use crate::modes::Modes;
use crate::ports::{ModelFacts, ToolSpec};
use crate::subagents::AgentSpec;

/// Looks a model up, without asking anybody. Nothing when its provider is not
/// configured.
pub type Facts = Arc<dyn Fn(&ModelChoice) -> Option<ModelFacts> + Send + Sync>;

/// Which model is called in place of the first of these, when all of them have
/// failed so; nothing when there is none.
pub type Fallback = Arc<dyn Fn(&[ModelChoice], FailureKind) -> Option<ModelChoice> + Send + Sync>;

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
    /// The modes that it may be in.
    pub modes: Arc<Modes>,
    /// The system prompt.
    pub system: Text,
    /// The tools, in a stable order.
    pub tools: Arc<[ToolSpec]>,
    /// The only tools that it is ever offered, of a sub-agent whose definition
    /// names some; nothing: all.
    pub only_tools: Option<Vec<Text>>,
    /// The sub-agents that it may start.
    pub agents: Arc<[AgentSpec]>,
    /// Where it stands among sessions that start each other.
    pub lineage: Lineage,
    /// Who decides what is asked.
    pub answers: AnswerPolicy,
    /// Whose model writes the session's title, as a change of the session's
    /// own; nothing: the title is the first words.
    pub title_model: Option<ModelChange>,
    /// Limits.
    pub limits: Limits,
    /// Tries and deadlines of model calls.
    pub calls: CallPolicy,
    /// False when the journal is only in memory.
    pub saved: bool,
    /// Models.
    pub facts: Facts,
    /// Models in place of others.
    pub fallback: Fallback,
    /// The configured providers, for people.
    pub providers: Text,
}

/// Where a session stands among sessions that start each other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lineage {
    /// The session that started it, of a sub-agent.
    pub parent: Option<SessionId>,
    /// How many sessions stand above it.
    pub depth: u32,
    /// What the names of its calls begin with. They are unique among all of one
    /// tree: a sub-agent's begin with the name of the call that started it.
    pub calls: Text,
}

impl Default for Lineage {
    fn default() -> Lineage {
        Lineage {
            parent: None,
            depth: 0,
            calls: Text::from("c"),
        }
    }
}

impl Settings {
    /// The system prompt in a mode. The same from turn to turn of it.
    pub fn system_in(&self, mode: &Mode) -> Text {
        let added = self.modes.spec(mode).and_then(|spec| spec.system.as_ref());
        match added {
            Some(added) => format!("{}\n\n{added}", self.system).into(),
            None => self.system.clone(),
        }
    }

    /// Whether it may start sub-agents.
    pub fn delegates(&self) -> bool {
        self.lineage.depth < self.limits.agent_depth && !self.agents.is_empty()
    }
}

impl fmt::Debug for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Settings")
            .field("id", &self.id)
            .field("root", &self.root)
            .finish_non_exhaustive()
    }
}
