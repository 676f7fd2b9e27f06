//! Anthropic's messages: `POST {base_url}/messages`.
//!
//! [`request`] writes, [`stream`] reads; both are pure. Here they meet the
//! network.

mod block;
mod request;
mod stream;
mod thinking;

use std::sync::Arc;

use greenroom_actors::ports::{ChunkSink, ModelAnswer, ModelError, ModelRequest, Work};

use super::Adapter;
use super::catalogue;
use super::drive::drive;
use super::http::Http;
use super::peer::Peer;

/// A provider that speaks Anthropic's messages.
#[derive(Debug, Clone)]
pub struct Anthropic {
    peer: Arc<Peer>,
    http: Arc<Http>,
}

impl Anthropic {
    /// Speaks to a peer over a shared client.
    pub fn new(peer: Arc<Peer>, http: Arc<Http>) -> Anthropic {
        Anthropic { peer, http }
    }
}

impl Adapter for Anthropic {
    fn call(
        &self,
        request: ModelRequest,
        sink: ChunkSink,
    ) -> Work<Result<ModelAnswer, ModelError>> {
        let Anthropic { peer, http } = self.clone();
        Box::pin(async move {
            let model = request.model.model.to_string();
            let wire = peer.mark("anthropic");
            let facts = catalogue::find(&model);
            let body = request::body(&request, &model, &wire, facts)?;
            drop(request);
            let answer = http.post(&peer, "messages", body).await?;
            let decoder = stream::Answer::new(Arc::clone(&peer), model, wire);
            drive(answer, decoder, &peer, &sink).await
        })
    }
}
