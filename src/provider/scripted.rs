//! Placeholder: the merge puts the scripted model here.

use greenroom_actors::ports::{ChunkSink, ModelAnswer, ModelError, ModelRequest, Work};
use greenroom_protocol::session::FailureKind;

use super::ProviderConfig;

/// The scripted model.
#[derive(Debug, Clone)]
pub struct Scripted;

impl Scripted {
    /// The script that the configuration names.
    pub fn from_config(_config: &ProviderConfig) -> Scripted {
        Scripted
    }

    /// Plays the next step.
    pub fn call(
        &self,
        _request: ModelRequest,
        _sink: ChunkSink,
    ) -> Work<Result<ModelAnswer, ModelError>> {
        let error = ModelError::lasting(FailureKind::Invalid, "this build has no scripted model");
        Box::pin(async { Err(error) })
    }
}
