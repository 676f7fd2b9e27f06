//! The real providers against the mock server: what they send, what they make
//! of what comes back, and how they fail.

mod answers;
mod caching;
mod cuts;
mod dropping;
mod errors;
mod history;
mod junk;
mod requests;
mod round_trips;
mod secrets;
mod streaming;

use std::sync::Arc;
use std::time::Duration;

use greenroom::provider::{HttpSettings, ProviderConfig, Providers, Wire};
use greenroom::secret::Secret;
use greenroom_actors::ports::{Chunk, Model, ModelAnswer, ModelError, ModelRequest};
use greenroom_protocol::session::{
    AssistantMessage, CallEnd, CallRequest, CallResult, Content, EntryId, Message, Millis,
    ModelChoice, SessionId, Source,
};
use tokio::sync::mpsc;

use crate::mock_model::{MockModel, Service, wait};

/// The key that is sent, and that must never be seen again.
const KEY: &str = "sk-mock-51Hq9ZkVerySecretKeyOfNobody";

/// One provider of a service, at the mock.
struct Rig {
    mock: MockModel,
    providers: Providers,
}

impl Rig {
    async fn new(service: Service) -> Rig {
        let mock = MockModel::start().await;
        let providers = providers(config(service, mock.url()));
        Rig { mock, providers }
    }

    /// Makes one call and collects its pieces, without the mere signs of life.
    async fn call(&self, request: ModelRequest) -> (Vec<Chunk>, Result<ModelAnswer, ModelError>) {
        call(&self.providers, request).await
    }

    /// Asks with one prompt.
    async fn ask(&self) -> (Vec<Chunk>, Result<ModelAnswer, ModelError>) {
        self.call(request(vec![prompt(1, "hello")])).await
    }
}

async fn call(
    providers: &Providers,
    request: ModelRequest,
) -> (Vec<Chunk>, Result<ModelAnswer, ModelError>) {
    let (sink, mut pieces) = mpsc::channel(16);
    let work = providers.call(request, sink);
    let collect = async {
        let mut chunks = Vec::new();
        while let Some(chunk) = pieces.recv().await {
            if chunk != Chunk::Alive {
                chunks.push(chunk);
            }
        }
        chunks
    };
    let both = async { tokio::join!(work, collect) };
    let (answer, chunks) = wait(both, "the end of a call").await;
    (chunks, answer)
}

fn providers(config: ProviderConfig) -> Providers {
    let http = HttpSettings {
        connect: Duration::from_secs(10),
    };
    Providers::ungoverned(vec![config], http)
}

fn config(service: Service, base_url: String) -> ProviderConfig {
    ProviderConfig {
        name: "mock".into(),
        wire: match service {
            Service::OpenAi => Wire::OpenAiChat,
            Service::Anthropic => Wire::Anthropic,
        },
        base_url,
        key: Some(Secret::new(KEY.into())),
        model: "mock-model".into(),
        headers: Vec::new(),
    }
}

/// A request of these messages, without a system prompt and tools.
fn request(messages: Vec<Message>) -> ModelRequest {
    ModelRequest {
        session: SessionId::new("20261201-090000-aaaaaa"),
        depth: 0,
        model: ModelChoice {
            provider: "mock".into(),
            model: "".into(),
            effort: None,
        },
        system: "".into(),
        messages: Arc::new(messages),
        tools: Arc::from([]),
        answer_tokens: None,
    }
}

fn prompt(entry: u64, text: &str) -> Message {
    said(entry, Content::text(text))
}

fn said(entry: u64, content: Content) -> Message {
    Message::User {
        entry: EntryId(entry),
        at: Millis(0),
        content,
        source: Source::Prompt,
    }
}

fn assistant(entry: u64, message: AssistantMessage) -> Message {
    Message::Assistant {
        entry: EntryId(entry),
        at: Millis(0),
        message: Arc::new(message),
    }
}

fn results(entry: u64, results: Vec<CallResult>) -> Message {
    Message::Results {
        entry: EntryId(entry),
        at: Millis(0),
        results: results.into_iter().map(Arc::new).collect(),
    }
}

fn result(call: &CallRequest, text: &str) -> CallResult {
    CallResult {
        call: call.id.clone(),
        tool: call.tool.clone(),
        end: CallEnd::Done,
        text: text.into(),
        images: Vec::new(),
        exit_code: None,
        truncated: false,
        duration_ms: 0,
    }
}

/// Chunks with neighbours of one kind joined: how a stream was cut into pieces
/// is the network's matter.
fn joined(chunks: &[Chunk]) -> Vec<Chunk> {
    let mut all: Vec<Chunk> = Vec::new();
    for chunk in chunks {
        match (all.last_mut(), chunk) {
            (Some(Chunk::Text(text)), Chunk::Text(more)) => text.push_str(more),
            (Some(Chunk::Thinking(text)), Chunk::Thinking(more)) => text.push_str(more),
            _ => all.push(chunk.clone()),
        }
    }
    all
}

fn text(piece: &str) -> Chunk {
    Chunk::Text(piece.into())
}
