//! Reads an answer: bytes to events, events to pieces, pieces to the sink.
//!
//! The same for every wire; what an event means is the [`Decoder`]'s matter.

use greenroom_actors::ports::{Chunk, ChunkSink, ModelAnswer, ModelError};
use greenroom_protocol::session::{FailureKind, Usage};

use super::failure::classify_event;
use super::http::Body;
use super::peer::Peer;
use super::sse::{SseEvent, SseParser};

/// The longest answer, in bytes of the stream.
pub const MAX_ANSWER: usize = 64 * 1024 * 1024;

/// As much of an answer that is no stream is read, in bytes.
const MAX_DOCUMENT: usize = 64 * 1024;

/// Understands one wire's events. Pure.
pub trait Decoder {
    /// Takes an event and adds the pieces that it holds to `out`.
    fn event(&mut self, event: &SseEvent, out: &mut Vec<Chunk>) -> Result<(), ModelError>;

    /// True when the wire has said that nothing follows.
    fn is_done(&self) -> bool;

    /// What was used so far, as far as the provider told.
    fn usage(&self) -> Option<Usage>;

    /// Ends the answer: after the wire's own end, or at the end of the stream,
    /// which may have come too early.
    fn finish(self) -> Result<ModelAnswer, ModelError>;
}

/// Reads an answer to its end.
pub async fn drive(
    mut body: Body,
    mut decoder: impl Decoder,
    peer: &Peer,
    sink: &ChunkSink,
) -> Result<ModelAnswer, ModelError> {
    check_is_stream(&mut body, peer).await?;
    let told = pump(&mut body, &mut decoder, peer, sink).await;
    let usage = decoder.usage();
    let answer = match told {
        Ok(()) => decoder.finish(),
        Err(error) => Err(error),
    };
    if answer.is_ok() {
        body.end().await;
    }
    answer.map_err(|error| ModelError {
        usage: error.usage.or(usage),
        ..error
    })
}

async fn pump(
    body: &mut Body,
    decoder: &mut impl Decoder,
    peer: &Peer,
    sink: &ChunkSink,
) -> Result<(), ModelError> {
    let mut parser = SseParser::default();
    let mut chunks = Vec::new();
    let mut read = 0;
    while !decoder.is_done() {
        let next = tokio::select! {
            next = body.next(peer) => next?,
            () = sink.closed() => return Err(nobody_listens()),
        };
        let Some(bytes) = next else {
            return Ok(());
        };
        read += bytes.as_ref().len();
        if read > MAX_ANSWER {
            return Err(too_long(peer));
        }
        let understood = understand(bytes.as_ref(), &mut parser, decoder, &mut chunks, peer);
        // What came before an error is delivered all the same, so that it does
        // not matter how the network cut the bytes.
        for chunk in chunks.drain(..) {
            sink.send(chunk).await.map_err(|_| nobody_listens())?;
        }
        understood?;
    }
    Ok(())
}

/// Takes the next bytes of a stream and adds the pieces that they hold to
/// `chunks`, at least one. Pure.
pub fn understand(
    bytes: &[u8],
    parser: &mut SseParser,
    decoder: &mut impl Decoder,
    chunks: &mut Vec<Chunk>,
    peer: &Peer,
) -> Result<(), ModelError> {
    let mut events = Vec::new();
    let parsed = parser.push(bytes, &mut events);
    for event in &events {
        if !decoder.is_done() {
            decoder.event(event, chunks)?;
        }
    }
    // Comments and halves of events are life too.
    if chunks.is_empty() {
        chunks.push(Chunk::Alive);
    }
    parsed.map_err(|error| broken(peer, &error.to_string()))
}

/// The error of a stream that makes no sense or ends too early.
pub fn broken(peer: &Peer, reason: &str) -> ModelError {
    let message = format!(
        "the stream of provider `{}` broke: {}",
        peer.name(),
        peer.redact(reason)
    );
    ModelError::passing(FailureKind::Broken, message)
}

fn too_long(peer: &Peer) -> ModelError {
    let message = format!(
        "the answer of provider `{}` is longer than {} MiB and was cut off",
        peer.name(),
        MAX_ANSWER / (1024 * 1024)
    );
    ModelError::lasting(FailureKind::Broken, message)
}

fn nobody_listens() -> ModelError {
    ModelError::lasting(FailureKind::Broken, "nobody reads the answer any more")
}

/// Some servers answer 200 with a document: an error, or a web page.
async fn check_is_stream(body: &mut Body, peer: &Peer) -> Result<(), ModelError> {
    let kind = body.headers().get("content-type");
    let kind = kind.and_then(|value| value.to_str().ok()).unwrap_or("");
    let kind = kind.to_ascii_lowercase();
    if kind.starts_with("text/html") {
        let message = format!(
            "provider `{}` answers with a web page at {}; check base_url, which often ends with /v1",
            peer.name(),
            peer.shown_url()
        );
        return Err(ModelError::lasting(FailureKind::Invalid, message));
    }
    if !kind.starts_with("application/json") {
        return Ok(());
    }
    let document = body.read_at_most(MAX_DOCUMENT).await;
    let has_error = serde_json::from_slice::<serde_json::Value>(&document)
        .is_ok_and(|json| json.get("error").is_some());
    if has_error {
        let text = String::from_utf8_lossy(&document);
        return Err(classify_event(&text, peer));
    }
    let message = format!(
        "provider `{}` answers with a document instead of a stream; it must support \"stream\": true",
        peer.name()
    );
    Err(ModelError::lasting(FailureKind::Invalid, message))
}
