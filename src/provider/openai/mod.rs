//! OpenAI's chat completions: `POST {base_url}/chat/completions`. OpenRouter,
//! Ollama, vLLM, LM Studio, DeepSeek and many others speak it too.
//!
//! [`request`] writes, [`stream`] reads; both are pure. Here they meet the
//! network.

mod calls;
mod chunk;
mod effort;
mod reasoning;
mod request;
mod stream;

use std::sync::Arc;

use greenroom_actors::ports::{ChunkSink, ModelAnswer, ModelError, ModelRequest, Work};

use super::Adapter;
use super::catalogue;
use super::drive::drive;
use super::http::Http;
use super::peer::Peer;

/// A provider that speaks chat completions.
#[derive(Debug, Clone)]
pub struct OpenAi {
    peer: Arc<Peer>,
    http: Arc<Http>,
}

impl OpenAi {
    /// Speaks to a peer over a shared client.
    pub fn new(peer: Arc<Peer>, http: Arc<Http>) -> OpenAi {
        OpenAi { peer, http }
    }
}

impl Adapter for OpenAi {
    fn call(
        &self,
        request: ModelRequest,
        sink: ChunkSink,
    ) -> Work<Result<ModelAnswer, ModelError>> {
        let OpenAi { peer, http } = self.clone();
        Box::pin(async move {
            let model = request.model.model.to_string();
            let mark = peer.mark("openai-chat");
            let target = request::Target {
                model: &model,
                mark: &mark,
                facts: catalogue::find(&model),
                is_openai: peer.host() == Some("api.openai.com"),
            };
            let body = request::body(&request, target)?;
            drop(request);
            let answer = http.post(&peer, "chat/completions", body).await?;
            let decoder = stream::Answer::new(Arc::clone(&peer), model, mark);
            drive(answer, decoder, &peer, &sink).await
        })
    }
}
