//! What one tool is to the toolbox, and what it is given.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use greenroom_actors::ports::{
    Action, OutputSink, PlannedCall, Ran, ToolContext, ToolFault, ToolSpec, Touch, Work,
};
use greenroom_protocol::session::{Amendment, CallId, Category, Document, Text};

use super::jobs::Jobs;
use super::outputs::Outputs;
use super::seen::SeenFiles;
use super::settings::ToolSettings;
use super::shell::CommandHost;

/// One tool.
pub(super) trait Tool: Send + Sync {
    /// What the model and people are told of it.
    fn spec(&self) -> ToolSpec;

    /// Reads an input. May read files: it runs on a thread that may block.
    fn plan(&self, input: &Document, scene: &Scene) -> Result<PlannedCall, ToolFault>;

    /// Does what was planned.
    fn run(&self, job: Job) -> Work<Ran>;

    /// Whether its results are never much longer than what a model is to read.
    /// Those of others are cut.
    fn bounds_itself(&self) -> bool {
        false
    }
}

/// Where a call takes place.
#[derive(Clone)]
pub(super) struct Scene {
    /// Session, workspace and mode.
    pub context: ToolContext,
    /// What all calls share.
    pub kit: Arc<Kit>,
}

impl Scene {
    /// What kind of act it is to read a path (absolute, links resolved): the
    /// session's own outputs, which it was given already, are its own matter,
    /// wherever they lie.
    pub fn reading(&self, path: &Path) -> Category {
        match self.kit.outputs.owns(&self.context.session, path) {
            true => Category::Session,
            false => Category::Read,
        }
    }
}

/// What all calls share.
pub(super) struct Kit {
    /// The limits.
    pub settings: ToolSettings,
    /// What the sessions have read.
    pub seen: SeenFiles,
    /// How commands are started.
    pub host: CommandHost,
    /// Where outputs are kept that are cut.
    pub outputs: Outputs,
    /// Commands in the background.
    pub jobs: Arc<Jobs>,
}

/// A planned call that runs.
pub(super) struct Job {
    /// Its name.
    pub call: CallId,
    /// What was planned.
    pub planned: PlannedCall,
    /// What the one who approved wants instead.
    pub amendment: Option<Amendment>,
    /// Where.
    pub scene: Scene,
    /// Where pieces of output go.
    pub output: OutputSink,
}

/// A planned call without edits or a command.
pub(super) fn planned(
    tool: &str,
    category: Category,
    summary: impl Into<Text>,
    touches: Vec<Touch>,
    input: &Document,
) -> PlannedCall {
    PlannedCall {
        tool: Text::from(tool),
        category,
        summary: summary.into(),
        command: None,
        target: None,
        touches,
        edits: Vec::new(),
        action: Action::Run(input.clone()),
    }
}

/// A result that failed, with what the model reads.
pub(super) fn failed(text: impl Into<String>) -> Ran {
    Ran {
        text: text.into(),
        failed: true,
        ..Ran::default()
    }
}

/// A result that succeeded, with what the model reads.
pub(super) fn done(text: impl Into<String>) -> Ran {
    Ran {
        text: text.into(),
        ..Ran::default()
    }
}

/// A result at once, without any work.
pub(super) fn at_once(ran: Ran) -> Work<Ran> {
    Box::pin(std::future::ready(ran))
}

/// Told to work on a blocking thread when nobody waits for it any more.
#[derive(Debug, Clone, Default)]
pub(super) struct Stop(Arc<AtomicBool>);

impl Stop {
    /// Whether the work is to end.
    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// Tells the work to end.
    pub fn set(&self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

struct StopOnDrop(Stop);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.set();
    }
}

/// Runs blocking work on a thread for it. Dropping the returned work tells the
/// thread to stop.
pub(super) fn in_background(work: impl FnOnce(&Stop) -> Ran + Send + 'static) -> Work<Ran> {
    let stop = Stop::default();
    let on_drop = StopOnDrop(stop.clone());
    Box::pin(async move {
        let _on_drop = on_drop;
        match tokio::task::spawn_blocking(move || work(&stop)).await {
            Ok(ran) => ran,
            Err(error) => {
                tracing::error!(%error, "a tool broke down");
                failed("the tool broke down: an internal error, told in the log")
            }
        }
    })
}
