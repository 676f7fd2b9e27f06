use std::sync::Arc;

use expect_test::expect;
use greenroom_actors::ports::{Chunk, ModelAnswer, ModelError};
use greenroom_protocol::session::{FailureKind, Stop};
use serde_json::{Value, json};

use super::Answer;
use crate::provider::Wire;
use crate::provider::peer::Peer;
use crate::provider::testing::{cut, peer, play, play_every_cut};

fn peer_of() -> Arc<Peer> {
    let base = "https://generativelanguage.googleapis.com/v1beta";
    peer("g", Wire::Gemini, base)
}

fn answer(peer: &Arc<Peer>) -> Answer {
    Answer::new(Arc::clone(peer), "gemini-2.5-pro".into(), "gemini:g".into())
}

fn played(stream: &str) -> (Vec<Chunk>, Result<ModelAnswer, ModelError>) {
    let peer = peer_of();
    play_every_cut(|| answer(&peer), stream)
}

/// The service ends its lines with both characters.
fn of(events: &[Value]) -> String {
    let event = |event: &Value| format!("data: {event}\r\n\r\n");
    events.iter().map(event).collect()
}

fn ended(parts: Value, reason: &str) -> Value {
    json!({"candidates": [{"content": {"parts": parts, "role": "model"}, "finishReason": reason, "index": 0}], "usageMetadata": {"promptTokenCount": 1, "totalTokenCount": 1}})
}

const STREAM: &str = "data: {\"candidates\": [{\"content\": {\"parts\": [{\"text\": \"**Plän\",\"thought\": true}],\"role\": \"model\"},\"index\": 0}],\"usageMetadata\": {\"promptTokenCount\": 2006,\"totalTokenCount\": 2070,\"thoughtsTokenCount\": 64},\"modelVersion\": \"gemini-2.5-pro\",\"responseId\": \"r1\"}\r\n\r\ndata: {\"candidates\": [{\"content\": {\"parts\": [{\"text\": \"ing**\",\"thought\": true},{\"text\": \"Hello\"}],\"role\": \"model\"},\"index\": 0}]}\r\n\r\ndata: {\"candidates\": [{\"content\": {\"parts\": [{\"text\": \" wörld 🦀\"},{\"text\": \"\"},{\"executableCode\": {\"language\": \"PYTHON\",\"code\": \"1\"}}],\"role\": \"model\"},\"index\": 0}]}\r\n\r\ndata: {\"candidates\": [{\"content\": {\"parts\": [{\"functionCall\": {\"name\": \"read\",\"args\": {\"path\": 1.0}},\"thoughtSignature\": \"CikB\"},{\"functionCall\": {\"id\": \"g2\",\"name\": \"shell\"}}],\"role\": \"model\"},\"index\": 0}]}\r\n\r\ndata: {\"candidates\": [{\"content\": {\"parts\": [{\"text\": \"\",\"thoughtSignature\": \"RW5k\"}],\"role\": \"model\"},\"finishReason\": \"STOP\",\"index\": 0}],\"usageMetadata\": {\"promptTokenCount\": 2006,\"candidatesTokenCount\": 236,\"totalTokenCount\": 2306,\"cachedContentTokenCount\": 1920,\"thoughtsTokenCount\": 64}}\r\n\r\n";

#[test]
fn thinking_text_calls_and_signatures() {
    let (chunks, answer) = played(STREAM);
    expect![[r#"
        [
            Thinking(
                "**Plän",
            ),
            Thinking(
                "ing**",
            ),
            Text(
                "Hello",
            ),
            Text(
                " wörld 🦀",
            ),
            CallDrafted(
                "read",
            ),
            CallDrafted(
                "shell",
            ),
        ]
    "#]]
    .assert_debug_eq(&chunks);
    let answer = answer.unwrap();
    expect![[r#"
        ModelAnswer {
            message: AssistantMessage {
                text: "Hello wörld 🦀",
                thinking: "**Pläning**",
                calls: [
                    CallRequest {
                        id: CallId(call_0),
                        provider_id: "call_0",
                        tool: "read",
                        input: Document(
                            "{\"path\": 1.0}",
                        ),
                    },
                    CallRequest {
                        id: CallId(g2),
                        provider_id: "g2",
                        tool: "shell",
                        input: Document(
                            "{}",
                        ),
                    },
                ],
                raw: Some(
                    ProviderBlocks {
                        wire: "gemini:g",
                        json: Document(
                            "[{\"text\": \"**Plän\",\"thought\": true},{\"text\": \"ing**\",\"thought\": true},{\"text\": \"Hello\"},{\"text\": \" wörld 🦀\"},{\"executableCode\": {\"language\": \"PYTHON\",\"code\": \"1\"}},{\"functionCall\": {\"name\": \"read\",\"args\": {\"path\": 1.0}},\"thoughtSignature\": \"CikB\"},{\"functionCall\": {\"id\": \"g2\",\"name\": \"shell\"}},{\"text\": \"\",\"thoughtSignature\": \"RW5k\"}]",
                        ),
                    },
                ),
                stop: Calls,
            },
            usage: Some(
                Usage {
                    input: 86,
                    output: 300,
                    cache_read: 1920,
                    cache_write: 0,
                    cost: Cost(
                        3348,
                    ),
                    cost_unknown: false,
                },
            ),
        }
    "#]].assert_debug_eq(&answer);
    expect![[r#"[{"text": "**Plän","thought": true},{"text": "ing**","thought": true},{"text": "Hello"},{"text": " wörld 🦀"},{"executableCode": {"language": "PYTHON","code": "1"}},{"functionCall": {"name": "read","args": {"path": 1.0}},"thoughtSignature": "CikB"},{"functionCall": {"id": "g2","name": "shell"}},{"text": "","thoughtSignature": "RW5k"}]"#]].assert_eq(&answer.message.raw.unwrap().json.0);
}

#[test]
fn why_it_stopped() {
    let text = || json!([{"text": "x"}]);
    for (reason, stop, has_raw) in [
        ("STOP", Stop::End, true),
        ("MAX_TOKENS", Stop::MaxTokens, false),
        ("SAFETY", Stop::Refusal, false),
        ("RECITATION", Stop::Refusal, false),
        ("PROHIBITED_CONTENT", Stop::Refusal, false),
        ("A_REASON_OF_TOMORROW", Stop::End, true),
    ] {
        let message = played(&of(&[ended(text(), reason)])).1.unwrap().message;
        assert_eq!(
            (message.stop, message.raw.is_some()),
            (stop, has_raw),
            "{reason}"
        );
    }
    let thought = json!([{"text": "hm", "thought": true}]);
    let message = played(&of(&[ended(thought, "STOP")])).1.unwrap().message;
    assert_eq!((&*message.thinking, message.raw), ("hm", None));
}

#[test]
fn a_blocked_prompt_is_a_refusal() {
    let blocked = json!({"promptFeedback": {"blockReason": "SAFETY", "safetyRatings": []}, "usageMetadata": {"promptTokenCount": 7, "totalTokenCount": 7}});
    let answer = played(&of(&[blocked])).1.unwrap();
    assert_eq!(
        (&*answer.message.text, answer.message.stop),
        ("", Stop::Refusal)
    );
    assert_eq!(answer.usage.unwrap().input, 7);
}

#[test]
fn a_model_that_gives_up_may_be_asked_again() {
    let malformed = json!({"candidates": [{"finishReason": "MALFORMED_FUNCTION_CALL", "finishMessage": "Malformed function call: print("}]});
    let empty = json!({"candidates": [{"finishReason": "OTHER"}]});
    for (event, words) in [
        (malformed, "(MALFORMED_FUNCTION_CALL): Malformed"),
        (empty, "(OTHER)"),
    ] {
        let error = played(&of(&[event])).1.unwrap_err();
        assert_eq!((error.kind, error.retryable), (FailureKind::Broken, true));
        assert!(error.message.contains(words), "{}", error.message);
    }
}

#[test]
fn errors_within_the_stream() {
    let error = |code: u16, status: &str| json!({"error": {"code": code, "message": "m", "status": status}});
    use FailureKind::{Broken, Overloaded, RateLimited};
    for (event, kind) in [
        (error(503, "UNAVAILABLE"), Overloaded),
        (error(429, "RESOURCE_EXHAUSTED"), RateLimited),
        (error(500, "INTERNAL"), Broken),
    ] {
        let told = played(&of(&[event])).1.unwrap_err();
        assert_eq!((told.kind, told.retryable), (kind, true));
    }
}

#[test]
fn a_stream_that_breaks_off_or_makes_no_sense_is_broken() {
    let in_json = &STREAM[..STREAM.len() - 30];
    let before_end = &STREAM[..STREAM.rfind("data:").unwrap()];
    for stream in [
        "",
        in_json,
        before_end,
        "data: {\"candidates\":\n\n",
        "data: hello\n\n",
        "data: {\"candidates\":[{\"content\":{\"parts\":[7]}}]}\n\n",
    ] {
        let error = play(answer(&peer_of()), &[stream.as_bytes()])
            .1
            .unwrap_err();
        assert_eq!(
            (error.kind, error.retryable),
            (FailureKind::Broken, true),
            "{stream}"
        );
    }
}

#[test]
fn an_answer_without_counts_is_whole_at_the_streams_end() {
    let event =
        json!({"candidates": [{"content": {"parts": [{"text": "x"}]}, "finishReason": "STOP"}]});
    let answer = played(&of(&[event, json!({"of": "tomorrow"})])).1.unwrap();
    assert_eq!((&*answer.message.text, answer.usage), ("x", None));
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig { failure_persistence: None, cases: 64, ..Default::default() })]

    /// However the network cuts the bytes, the same answer comes out.
    #[test]
    fn chunks_never_matter(cuts in proptest::collection::vec(0..STREAM.len(), 0..40)) {
        let peer = peer_of();
        let pieces = cut(STREAM.as_bytes(), cuts);
        let whole = play(answer(&peer), &[STREAM.as_bytes()]);
        proptest::prop_assert_eq!(play(answer(&peer), &pieces), whole);
    }
}
