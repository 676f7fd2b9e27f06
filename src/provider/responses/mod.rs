//! OpenAI's responses: `POST {base_url}/responses`, without a state at the
//! server: each request holds the whole conversation, and what the model thought
//! comes back encrypted.
//!
//! [`request`] writes, [`stream`] reads, [`item`] is one item of an answer; all
//! are pure. Here they meet the network.

mod event;
mod item;
mod request;
mod stream;

use std::sync::Arc;

use greenroom_actors::ports::{ChunkSink, ModelAnswer, ModelError, ModelRequest, Work};

use super::Adapter;
use super::catalogue;
use super::drive::drive;
use super::http::Http;
use super::peer::Peer;

/// A provider that speaks OpenAI's responses.
#[derive(Debug, Clone)]
pub struct Responses {
    peer: Arc<Peer>,
    http: Arc<Http>,
}

impl Responses {
    /// Speaks to a peer over a shared client.
    pub fn new(peer: Arc<Peer>, http: Arc<Http>) -> Responses {
        Responses { peer, http }
    }
}

impl Adapter for Responses {
    fn call(
        &self,
        request: ModelRequest,
        sink: ChunkSink,
    ) -> Work<Result<ModelAnswer, ModelError>> {
        let Responses { peer, http } = self.clone();
        Box::pin(async move {
            let model = request.model.model.to_string();
            let mark = peer.mark("openai-responses");
            let target = request::Target {
                model: &model,
                mark: &mark,
                facts: catalogue::find(&model),
                is_openai: peer.host() == Some("api.openai.com"),
            };
            let body = request::body(&request, target)?;
            drop(request);
            let answer = http.post(&peer, "responses", body).await?;
            let decoder = stream::Answer::new(Arc::clone(&peer), model, mark);
            drive(answer, decoder, &peer, &sink).await
        })
    }
}
