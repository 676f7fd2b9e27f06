//! Sessions as files.

use std::path::PathBuf;
use std::sync::Arc;

use greenroom_protocol::session::{ExportRequest, SessionId, Text};
use thiserror::Error;

use super::Work;

/// Writes sessions to files.
pub trait Exporter: Send + Sync {
    /// Writes one, out of its journal as it is now. Dropping the work stops it
    /// and leaves no file behind.
    fn export(&self, job: ExportJob) -> Work<Result<Exported, ExportFault>>;
}

/// What is to be written.
#[derive(Debug, Clone)]
pub struct ExportJob {
    /// Which session.
    pub session: SessionId,
    /// The workspace: relative paths begin there.
    pub root: Arc<PathBuf>,
    /// As what, and where to.
    pub request: ExportRequest,
}

/// What was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exported {
    /// The file's absolute path.
    pub path: Text,
    /// What was taken out: a count and a kind each, as `2 anthropic key`.
    pub redacted: Vec<Text>,
}

/// Why nothing was written, in words with the next step.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct ExportFault(pub String);
