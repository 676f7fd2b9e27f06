//! Models, one wire a folder. Adding a provider is a folder and a line in
//! [`Wire`].
//!
//! A wire is a pure writer of requests and a pure reader of streams; [`http`],
//! [`sse`] and [`drive`] do the rest for all of them. [`providers`] is the port
//! that the tree calls. Retries, deadlines of a stream and the conversation
//! itself are the tree's matter; nothing here knows a session.

mod anthropic;
mod call;
mod catalogue;
mod drive;
mod failure;
mod gemini;
mod governor;
mod history;
mod http;
mod joined;
mod listing;
mod openai;
mod peer;
mod providers;
mod reachable;
mod responses;
pub mod scripted;
pub(crate) mod sse;
#[cfg(test)]
mod testing;

pub use catalogue::{Checked, Entry as ModelEntry};
pub use catalogue::{add as add_models, read as read_models};
pub use listing::ModelListing;
pub use providers::Providers;

use std::time::Duration;

use greenroom_actors::ports::{ChunkSink, ModelAnswer, ModelError, ModelFacts, ModelRequest, Work};

use crate::secret::Secret;

/// One wire, bound to one provider.
trait Adapter: Send + Sync {
    /// Makes one call. The request names its model.
    fn call(&self, request: ModelRequest, sink: ChunkSink)
    -> Work<Result<ModelAnswer, ModelError>>;

    /// What the provider itself knows of a model; nothing leaves it to the
    /// catalogue.
    fn facts(&self, _model: &str) -> Option<ModelFacts> {
        None
    }
}

/// One configured provider. Its `Debug` form shows no secret: of headers only
/// the names, of the address neither user, password nor query.
#[derive(Clone)]
pub struct ProviderConfig {
    /// Its name in configuration and on the wires (`anthropic`, `openai`, …).
    pub name: String,
    /// How it is spoken to.
    pub wire: Wire,
    /// Such as `https://api.openai.com/v1`; paths are appended as text, so a
    /// prefix stays. For [`Wire::Scripted`] the path of a script,
    /// [`scripted::DEMO_NAME`], or empty for the built-in one.
    pub base_url: String,
    /// Sent as the wire wants it. Local servers need none.
    pub key: Option<Secret>,
    /// The model used when a session names none.
    pub model: String,
    /// Added to each request.
    pub headers: Vec<(String, String)>,
}

/// How a provider is spoken to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wire {
    /// `POST {base_url}/chat/completions`: OpenAI, OpenRouter, Ollama, vLLM …
    OpenAiChat,
    /// `POST {base_url}/responses`: OpenAI, and servers that follow it.
    OpenAiResponses,
    /// `POST {base_url}/messages`
    Anthropic,
    /// `POST {base_url}/models/{model}:streamGenerateContent`
    Gemini,
    /// A YAML script plays the model; no network, no key.
    Scripted,
}

/// Deadlines of the HTTP side. Retries and stalls are the tree's matter.
#[derive(Debug, Clone, Copy)]
pub struct HttpSettings {
    /// To open a connection. Default 10 s.
    pub connect: Duration,
}
