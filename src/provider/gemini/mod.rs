//! Google's Gemini: `POST {base_url}/models/{model}:streamGenerateContent`.
//!
//! [`request`] writes, with [`schema`] and [`thinking`]; [`stream`] reads what
//! [`chunk`] describes; all are pure. Here they meet the network.

mod chunk;
mod request;
mod schema;
mod stream;
mod thinking;

use std::sync::Arc;

use greenroom_actors::ports::{ChunkSink, ModelAnswer, ModelError, ModelRequest, Work};

use super::Adapter;
use super::catalogue;
use super::drive::drive;
use super::http::Http;
use super::peer::Peer;

/// A provider that speaks Gemini's API.
#[derive(Debug, Clone)]
pub struct Gemini {
    peer: Arc<Peer>,
    http: Arc<Http>,
}

impl Gemini {
    /// Speaks to a peer over a shared client.
    pub fn new(peer: Arc<Peer>, http: Arc<Http>) -> Gemini {
        Gemini { peer, http }
    }
}

impl Adapter for Gemini {
    fn call(
        &self,
        request: ModelRequest,
        sink: ChunkSink,
    ) -> Work<Result<ModelAnswer, ModelError>> {
        let Gemini { peer, http } = self.clone();
        Box::pin(async move {
            let model = bare_model(&request.model.model).to_owned();
            let mark = peer.mark("gemini");
            let body = request::body(&request, &model, &mark, catalogue::find(&model))?;
            let path = path(&request.model.model);
            drop(request);
            let answer = http.post(&peer, &path, body).await?;
            let decoder = stream::Answer::new(Arc::clone(&peer), model, mark);
            drive(answer, decoder, &peer, &sink).await
        })
    }
}

/// The model's id without the collection that the service's list puts before it.
pub(super) fn bare_model(model: &str) -> &str {
    model.strip_prefix("models/").unwrap_or(model)
}

/// Where a model is called. Its id may hold anything, and is one segment.
fn path(model: &str) -> String {
    let (collection, id) = match model.strip_prefix("tunedModels/") {
        Some(id) => ("tunedModels", id),
        None => ("models", bare_model(model)),
    };
    let mut path = format!("{collection}/");
    for byte in id.bytes() {
        match byte {
            b'-' | b'.' | b'_' | b'~' => path.push(char::from(byte)),
            _ if byte.is_ascii_alphanumeric() => path.push(char::from(byte)),
            _ => path.push_str(&format!("%{byte:02X}")),
        }
    }
    path.push_str(":streamGenerateContent?alt=sse");
    path
}

#[cfg(test)]
mod tests {
    use super::path;

    #[test]
    fn a_model_is_one_segment_of_the_path() {
        let end = ":streamGenerateContent?alt=sse";
        for (model, expected) in [
            ("gemini-2.5-pro", "models/gemini-2.5-pro"),
            ("models/gemini-2.5-pro", "models/gemini-2.5-pro"),
            ("tunedModels/mine", "tunedModels/mine"),
            ("../x?y", "models/..%2Fx%3Fy"),
        ] {
            assert_eq!(path(model), format!("{expected}{end}"));
        }
    }
}
