//! Tools: what they are, what a call would touch, running it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use greenroom_protocol::session::{
    Amendment, CallId, Category, Document, EditKind, Image, Mode, OutputStream, PlanItem,
    PlannedEdit, Question, SessionId, Text,
};
use thiserror::Error;
use tokio::sync::{mpsc, watch};

use super::Work;

/// All tools.
pub trait Tools: Send + Sync {
    /// Every tool, in a stable order.
    fn specs(&self) -> Arc<[ToolSpec]>;

    /// The tools that one session has besides, such as those of servers. Opening
    /// them takes no time: they come when they are there. Nothing: it has none.
    fn extras(&self, _session: &SessionId, _root: &Path) -> Option<Arc<dyn ExtraTools>> {
        None
    }

    /// Reads a call's input and says what it would touch. Writes nothing. What
    /// it returns is what is judged, and exactly that is run.
    fn plan(
        &self,
        tool: &str,
        input: &Document,
        context: &ToolContext,
    ) -> Work<Result<PlannedCall, ToolFault>>;

    /// Runs a planned call. Pieces of output go to `output` as they come.
    /// Dropping the work stops the tool at once, with everything that it
    /// started: process groups get TERM, then KILL two seconds later, by a
    /// reaper that outlives the dropped work.
    fn run(
        &self,
        call: CallId,
        planned: PlannedCall,
        amendment: Option<Amendment>,
        context: ToolContext,
        output: OutputSink,
    ) -> Work<Ran>;
}

/// Tools that a session has besides, for as long as this is held.
pub trait ExtraTools: Send + Sync {
    /// Those that are there now, in a stable order.
    fn specs(&self) -> Vec<ToolSpec>;

    /// What people should know of them; a text a matter, the same one for as long
    /// as it lasts.
    fn notices(&self) -> Vec<Text>;

    /// Fires when either may be another than before.
    fn changed(&self) -> watch::Receiver<u64>;
}

/// What a tool is, for the model and for people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolSpec {
    /// Its name: `[a-z_]+`.
    pub name: Text,
    /// For the model: what it does, when to use it, what it gives.
    pub description: Text,
    /// JSON Schema of the input, an object.
    pub schema: Document,
    /// What kind of act its calls are.
    pub category: Category,
}

/// What a tool must know of its session.
#[derive(Debug, Clone)]
pub struct ToolContext {
    /// The session.
    pub session: SessionId,
    /// The workspace: an absolute path, with links resolved.
    pub root: Arc<PathBuf>,
    /// The turn's mode.
    pub mode: Mode,
}

/// A call that was understood.
#[derive(Debug, Clone, PartialEq)]
pub struct PlannedCall {
    /// The tool.
    pub tool: Text,
    /// What kind of act it is.
    pub category: Category,
    /// One line for a person.
    pub summary: Text,
    /// The command line, of a shell call.
    pub command: Option<Text>,
    /// What it reaches: the URL of a web call, `server/tool` of an MCP call, the
    /// name of a sub-agent. Nothing for all others.
    pub target: Option<Text>,
    /// What it touches.
    pub touches: Vec<Touch>,
    /// What an edit would write.
    pub edits: Vec<PlannedEdit>,
    /// What is to happen.
    pub action: Action,
}

/// What a planned call wants to happen.
#[derive(Debug, Clone, PartialEq)]
pub enum Action {
    /// Run the tool with this input.
    Run(Document),
    /// Ask the user; the answers are the result.
    Ask(Vec<Question>),
    /// Put this in place of the session's plan.
    SetPlan(Vec<PlanItem>),
    /// Have a sub-agent do it; its last message is the result.
    Delegate(AgentTask),
}

/// What a sub-agent is to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentTask {
    /// The name of its definition.
    pub name: Text,
    /// A few words for people.
    pub task: Text,
    /// All that it is told.
    pub prompt: Text,
    /// The turn goes on without waiting for it.
    pub background: bool,
}

/// A path that a call touches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Touch {
    /// Absolute, with links resolved as far as it exists.
    pub path: PathBuf,
    /// As the input named it: absolute, `..` taken by its letters, no link
    /// followed.
    pub named: PathBuf,
    /// Whether it would be changed.
    pub write: bool,
    /// Whether it lies inside the workspace, links resolved.
    pub inside: bool,
}

/// Why a call cannot be planned. The model reads the message and tries anew.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct ToolFault(pub String);

/// Where pieces of output go. Bounded: a tool whose sink is full waits.
pub type OutputSink = mpsc::Sender<(OutputStream, String)>;

/// What a call gave.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Ran {
    /// What the model reads.
    pub text: String,
    /// Whether it failed.
    pub failed: bool,
    /// Pictures for the model.
    pub images: Vec<Image>,
    /// The exit code, of a command that ended by itself.
    pub exit_code: Option<i32>,
    /// Whether the text is less than all.
    pub truncated: bool,
    /// Files that were written.
    pub changed: Vec<FileChange>,
}

/// A file that was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileChange {
    /// As in [`PlannedEdit::path`].
    pub path: Text,
    /// What happened to it.
    pub kind: EditKind,
    /// The change as a unified diff without file names; nothing when it is too
    /// long.
    pub diff: Option<Text>,
}
