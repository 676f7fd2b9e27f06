//! What the tree needs of the outside world: roles as traits, with the plain
//! data that they take and give. Technologies implement them in `src/`.

mod clock;
mod export;
mod guard;
mod hooks;
pub mod listing;
mod model;
mod store;
mod tool;

pub use clock::{Clock, Ids};
pub use export::{ExportFault, ExportJob, Exported, Exporter};
pub use guard::{Act, Guard, Judgement, Likeness};
pub use hooks::{
    HookEvent, HookNotice, HookPlace, HookRuling, HookVerdict, HookedCall, Hooks, NoHooks,
};
pub use model::{Chunk, ChunkSink, Model, ModelAnswer, ModelError, ModelFacts, ModelRequest};
pub use store::{Batch, Store, StoreError, StoredSession};
pub use tool::{
    Action, FileChange, OutputSink, PlannedCall, Ran, ToolContext, ToolFault, ToolSpec, Tools,
    Touch,
};

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

/// Work that a port does for us. Dropping it cancels it.
pub type Work<T> = Pin<Box<dyn Future<Output = T> + Send + 'static>>;

/// All ports together, cheap to clone.
#[derive(Clone)]
pub struct Ports {
    /// Models of all providers.
    pub model: Arc<dyn Model>,
    /// Tools.
    pub tools: Arc<dyn Tools>,
    /// What may run without asking.
    pub guard: Arc<dyn Guard>,
    /// The journal's place.
    pub store: Arc<dyn Store>,
    /// Sessions as files.
    pub exporter: Arc<dyn Exporter>,
    /// Time of day.
    pub clock: Arc<dyn Clock>,
    /// New names.
    pub ids: Arc<dyn Ids>,
}
