//! For tests of the wires: a conversation with everything in it, and streams
//! played without a network.

mod server;

pub use server::{serve, serve_with};

use std::sync::Arc;

use greenroom_actors::ports::{Chunk, ModelAnswer, ModelError, ModelRequest, ToolSpec};
use greenroom_protocol::session::{
    AssistantMessage, CallEnd, CallId, CallRequest, CallResult, Category, Content, Document,
    Effort, EntryId, Image, ImageFormat, Mention, Message, Millis, ModelChoice, Part,
    ProviderBlocks, Resource, SessionId, Source, Stop,
};

use super::drive::{Decoder, understand};
use super::peer::Peer;
use super::sse::SseParser;
use super::{ProviderConfig, Wire};
use crate::secret::Secret;

/// The key of [`peer`].
pub const KEY: &str = "sk-test-0123456789";

pub fn config(name: &str, wire: Wire, base_url: &str) -> ProviderConfig {
    ProviderConfig {
        name: name.into(),
        wire,
        base_url: base_url.into(),
        key: Some(Secret::new(KEY.into())),
        model: "configured-model".into(),
        headers: Vec::new(),
    }
}

pub fn peer(name: &str, wire: Wire, base_url: &str) -> Arc<Peer> {
    Arc::new(Peer::new(config(name, wire, base_url)))
}

/// Plays a stream in these pieces.
pub fn play<D: Decoder>(
    mut decoder: D,
    pieces: &[&[u8]],
) -> (Vec<Chunk>, Result<ModelAnswer, ModelError>) {
    let peer = peer("p", Wire::OpenAiChat, "https://p.test/v1");
    let mut parser = SseParser::default();
    let mut all = Vec::new();
    for piece in pieces {
        let mut chunks = Vec::new();
        let understood = understand(piece, &mut parser, &mut decoder, &mut chunks, &peer);
        assert!(understood.is_err() || !chunks.is_empty());
        all.append(&mut chunks);
        if let Err(error) = understood {
            return (without_life(all), Err(error));
        }
    }
    let answer = decoder.finish();
    if let Ok(answer) = &answer {
        assert_adds_up(&all, answer);
    }
    (without_life(all), answer)
}

/// The pieces add up to the whole.
fn assert_adds_up(chunks: &[Chunk], answer: &ModelAnswer) {
    let (mut text, mut thinking, mut tools) = (String::new(), String::new(), Vec::new());
    for chunk in chunks {
        match chunk {
            Chunk::Text(piece) => text.push_str(piece),
            Chunk::Thinking(piece) => thinking.push_str(piece),
            Chunk::CallDrafted(tool) => tools.push(tool.clone()),
            Chunk::Throttled { .. } | Chunk::Admitted | Chunk::Alive => {}
        }
    }
    let message = &answer.message;
    assert_eq!((&*text, &*thinking), (&*message.text, &*message.thinking));
    let called = message.calls.iter().map(|call| call.tool.clone());
    assert_eq!(tools, called.collect::<Vec<_>>());
}

/// How the network cuts a stream decides how often it shows life, and nothing
/// else.
fn without_life(mut chunks: Vec<Chunk>) -> Vec<Chunk> {
    chunks.retain(|chunk| *chunk != Chunk::Alive);
    chunks
}

/// Plays a stream whole, and asserts that no cut into two and no cut into
/// single bytes changes anything.
pub fn play_every_cut<D: Decoder>(
    decoder: impl Fn() -> D,
    stream: &str,
) -> (Vec<Chunk>, Result<ModelAnswer, ModelError>) {
    let bytes = stream.as_bytes();
    let whole = play(decoder(), &[bytes]);
    for cut in 0..=bytes.len() {
        let (head, tail) = bytes.split_at(cut);
        assert_eq!(play(decoder(), &[head, tail]), whole, "cut at {cut}");
    }
    let single: Vec<&[u8]> = bytes.chunks(1).collect();
    assert_eq!(play(decoder(), &single), whole);
    whole
}

pub fn request(model: &str, effort: Option<Effort>, messages: Vec<Message>) -> ModelRequest {
    ModelRequest {
        session: SessionId::new("20260101-000000-abcdef"),
        depth: 0,
        model: ModelChoice {
            provider: "p".into(),
            model: model.into(),
            effort,
        },
        system: "You are an agent.".into(),
        messages: Arc::new(messages),
        answer_tokens: None,
        tools: Arc::new([
            tool(
                "read",
                r#"{"type":"object","properties":{"path":{"type":"string"}}}"#,
            ),
            tool("shell", r#"{ "z": 1.0, "a": {} }"#),
        ]),
    }
}

fn tool(name: &str, schema: &str) -> ToolSpec {
    ToolSpec {
        name: name.into(),
        description: format!("The tool {name}.").into(),
        schema: Document(schema.into()),
        category: Category::Read,
    }
}

pub fn user(entry: u64, parts: Vec<Part>) -> Message {
    Message::User {
        entry: EntryId(entry),
        at: Millis(0),
        content: Content { parts },
        source: Source::Prompt,
    }
}

pub fn text(text: &str) -> Part {
    Part::Text(text.into())
}

pub fn picture() -> Image {
    Image {
        format: ImageFormat::Png,
        bytes: Arc::from(&b"\x89PNG\r\n\x1a\n"[..]),
    }
}

/// An assistant message of a text and calls: our name, the provider's, input.
pub fn assistant(entry: u64, text: &str, calls: &[(&str, &str, &str)]) -> Message {
    message(entry, text, calls, None)
}

/// The same with the provider's own blocks.
pub fn assistant_raw(
    entry: u64,
    text: &str,
    calls: &[(&str, &str, &str)],
    wire: &str,
    json: &str,
) -> Message {
    let raw = ProviderBlocks {
        wire: wire.into(),
        json: Document(json.into()),
    };
    message(entry, text, calls, Some(raw))
}

fn message(
    entry: u64,
    text: &str,
    calls: &[(&str, &str, &str)],
    raw: Option<ProviderBlocks>,
) -> Message {
    let calls = calls.iter().map(|(id, provider_id, input)| CallRequest {
        id: CallId::new(*id),
        provider_id: (*provider_id).into(),
        tool: "read".into(),
        input: Document((*input).into()),
    });
    Message::Assistant {
        entry: EntryId(entry),
        at: Millis(0),
        message: Arc::new(AssistantMessage {
            text: text.into(),
            thinking: "hm".into(),
            calls: calls.collect(),
            raw,
            stop: Stop::Calls,
        }),
    }
}

pub fn result(call: &str, end: CallEnd, text: &str, images: Vec<Image>) -> Arc<CallResult> {
    Arc::new(CallResult {
        call: CallId::new(call),
        tool: "read".into(),
        end,
        text: text.into(),
        images,
        exit_code: None,
        truncated: false,
        duration_ms: 0,
    })
}

pub fn results(entry: u64, results: Vec<Arc<CallResult>>) -> Message {
    Message::Results {
        entry: EntryId(entry),
        at: Millis(0),
        results,
    }
}

/// A conversation with everything in it that wires must write down, in the
/// other provider's names where a message is to be written anew.
pub fn rich_conversation(wire: &str, raw: &str) -> Vec<Message> {
    vec![
        user(
            1,
            vec![
                text("Look at this"),
                text(""),
                Part::Image(picture()),
                Part::Mention(Mention {
                    path: "src/a.rs".into(),
                    lines: Some((1, 3)),
                }),
                Part::Resource(Resource {
                    name: "buffer".into(),
                    text: "fn a() {}".into(),
                }),
            ],
        ),
        assistant_raw(2, "raw text", &[("c1", "raw_1", "{}")], wire, raw),
        results(3, vec![result("c1", CallEnd::Done, "", vec![picture()])]),
        assistant(
            4,
            "",
            &[
                ("c2", "functions.read:0", r#"{"path": 1.0}"#),
                ("c3", "raw_1", "{\"pa"),
            ],
        ),
        results(
            5,
            vec![
                result("c2", CallEnd::Failed, "no such file", vec![]),
                result("c3", CallEnd::Skipped, "skipped", vec![]),
            ],
        ),
        user(6, vec![text("go on")]),
        assistant(7, "", &[]),
        user(8, vec![text("still there?")]),
    ]
}

/// JSON over several lines, for snapshots.
pub fn pretty(body: &[u8]) -> String {
    let json: serde_json::Value = serde_json::from_slice(body).unwrap();
    serde_json::to_string_pretty(&json).unwrap()
}

/// The bytes in pieces, cut at these places, in whatever order they come.
pub fn cut(bytes: &[u8], mut at: Vec<usize>) -> Vec<&[u8]> {
    at.sort_unstable();
    at.dedup();
    let mut rest = bytes;
    let mut pieces = Vec::new();
    let mut from = 0;
    for place in at {
        let (piece, tail) = rest.split_at(place - from);
        pieces.push(piece);
        (rest, from) = (tail, place);
    }
    pieces.push(rest);
    pieces
}
