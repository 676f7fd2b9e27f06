//! A model that goes on with a conversation.

use std::sync::Arc;
use std::time::Duration;

use greenroom_protocol::session::{
    AssistantMessage, FailureKind, Message, ModelChoice, SessionId, Text, Usage,
};
use thiserror::Error;
use tokio::sync::mpsc;

use super::{ToolSpec, Work};

/// Models of all configured providers.
pub trait Model: Send + Sync {
    /// Makes one call. Pieces go to `sink` as they come; the answer holds
    /// everything that they add up to. Makes no second try: retries are the
    /// tree's matter. Dropping the work closes the connection.
    fn call(&self, request: ModelRequest, sink: ChunkSink)
    -> Work<Result<ModelAnswer, ModelError>>;

    /// What is known of a model, without asking anybody. Nothing when the
    /// provider is not configured.
    fn facts(&self, choice: &ModelChoice) -> Option<ModelFacts>;
}

/// What is known of a model.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ModelFacts {
    /// The model's id, with an empty one resolved to the configured one.
    pub id: Text,
    /// Tokens that fit, when known.
    pub context_window: Option<u64>,
    /// Whether pictures may be sent.
    pub images: bool,
    /// What it costs, when known. Zeros are a price too.
    pub prices: Option<Prices>,
}

/// What a model costs: millionths of a dollar per million tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Prices {
    /// Tokens read that no cache holds.
    pub input: u64,
    /// Tokens written.
    pub output: u64,
    /// Tokens read from the provider's cache.
    pub cached: u64,
}

/// One call.
#[derive(Debug, Clone)]
pub struct ModelRequest {
    /// The session, for providers that route or cache by it.
    pub session: SessionId,
    /// How many sessions stand above it: those above go first where requests
    /// wait.
    pub depth: u32,
    /// Which model.
    pub model: ModelChoice,
    /// The system prompt. Stable from step to step.
    pub system: Text,
    /// The conversation. Each call in it has exactly one result, and none of
    /// the messages is without content.
    pub messages: Arc<Vec<Message>>,
    /// The tools, in a stable order.
    pub tools: Arc<[ToolSpec]>,
    /// The longest answer, in tokens; nothing leaves it to the provider.
    pub answer_tokens: Option<u32>,
}

/// Where pieces go. Bounded: a full sink slows the reading of the stream.
pub type ChunkSink = mpsc::Sender<Chunk>;

/// A piece of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Chunk {
    /// Text, never empty.
    Text(String),
    /// Readable thinking, never empty.
    Thinking(String),
    /// The model begins to write a call of this tool.
    CallDrafted(Text),
    /// The call waits for the provider's limit, as other sessions do; so long at
    /// least, where that is known. Nothing was asked yet.
    Throttled {
        /// From now.
        wait: Option<Duration>,
    },
    /// It waits no more.
    Admitted,
    /// Nothing to tell, but the stream lives (pings, pieces of a call's input).
    Alive,
}

/// A whole answer.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ModelAnswer {
    /// What it said. The session gives its calls ids of its own; until then both
    /// ids of a call are the provider's.
    pub message: AssistantMessage,
    /// What it used, as far as the provider told.
    pub usage: Option<Usage>,
}

/// Why a call gave no whole answer.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{message}")]
pub struct ModelError {
    /// The kind, to act on.
    pub kind: FailureKind,
    /// In words, with the next step; holds no secret.
    pub message: String,
    /// When the provider wants to be asked again.
    pub retry_after: Option<Duration>,
    /// Whether the same request may succeed later.
    pub retryable: bool,
    /// What was used all the same, when known.
    pub usage: Option<Usage>,
}

impl ModelError {
    /// An error that a second try would not mend.
    pub fn lasting(kind: FailureKind, message: impl Into<String>) -> ModelError {
        ModelError {
            kind,
            message: message.into(),
            retry_after: None,
            retryable: false,
            usage: None,
        }
    }

    /// An error that may be gone at the next try.
    pub fn passing(kind: FailureKind, message: impl Into<String>) -> ModelError {
        ModelError {
            retryable: true,
            ..ModelError::lasting(kind, message)
        }
    }
}
