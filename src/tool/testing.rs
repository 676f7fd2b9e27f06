//! A workspace in a temporary folder, and a toolbox that works in it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use greenroom_actors::ports::{PlannedCall, Ran, ToolContext, ToolFault, Tools};
use greenroom_protocol::session::{
    Amendment, CallId, Document, Mode, OutputStream, SessionId, Text,
};
use serde_json::Value;
use tempfile::TempDir;
use tokio::sync::mpsc;

use super::{ToolSettings, Toolbox};

/// A workspace with a toolbox. The workspace is `w` in the temporary folder, so
/// that there is an outside, too.
pub(super) struct Bench {
    pub toolbox: Toolbox,
    pub context: ToolContext,
    outer: TempDir,
}

impl Bench {
    pub fn new() -> Bench {
        Bench::with(ToolSettings::default())
    }

    pub fn with(settings: ToolSettings) -> Bench {
        let outer = TempDir::new().unwrap();
        let root = outer.path().canonicalize().unwrap().join("w");
        std::fs::create_dir(&root).unwrap();
        Bench {
            toolbox: Toolbox::new(settings),
            context: ToolContext {
                session: SessionId::new("20260101-000000-aaaaaa"),
                root: Arc::new(root),
                mode: Mode::Auto,
            },
            outer,
        }
    }

    pub fn root(&self) -> &Path {
        &self.context.root
    }

    /// The folder that the workspace lies in.
    pub fn outside(&self) -> PathBuf {
        self.outer.path().canonicalize().unwrap()
    }

    pub fn put(&self, path: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.root().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, content).unwrap();
        path
    }

    pub fn get(&self, path: &str) -> String {
        std::fs::read_to_string(self.root().join(path)).unwrap()
    }

    pub async fn plan(&self, tool: &str, input: Value) -> Result<PlannedCall, ToolFault> {
        let input = Document(Text::from(input.to_string()));
        self.toolbox.plan(tool, &input, &self.context).await
    }

    /// The fault of an input that cannot be planned.
    pub async fn fault(&self, tool: &str, input: Value) -> String {
        self.plan(tool, input).await.unwrap_err().0
    }

    pub async fn run_planned(&self, planned: PlannedCall, amendment: Option<Amendment>) -> Ran {
        self.run_and_hear(planned, amendment).await.0
    }

    /// Runs a call; gives its result and what was streamed.
    pub async fn run_and_hear(
        &self,
        planned: PlannedCall,
        amendment: Option<Amendment>,
    ) -> (Ran, Vec<(OutputStream, String)>) {
        let (sink, mut source) = mpsc::channel(16);
        let call = CallId::new(format!("c{}", fastrand::u32(..)));
        let context = self.context.clone();
        let work = self.toolbox.run(call, planned, amendment, context, sink);
        let hear = async {
            let mut heard = Vec::new();
            while let Some(piece) = source.recv().await {
                heard.push(piece);
            }
            heard
        };
        tokio::join!(work, hear)
    }

    /// Plans and runs.
    pub async fn call(&self, tool: &str, input: Value) -> Ran {
        let planned = self.plan(tool, input).await.unwrap();
        self.run_planned(planned, None).await
    }
}
