use std::sync::Arc;

use expect_test::expect;
use greenroom_actors::ports::{Chunk, ModelAnswer, ModelError};
use greenroom_protocol::session::{
    AssistantMessage, CallId, Cost, Document, FailureKind, ProviderBlocks, Stop, Usage,
};
use serde_json::{Value, json};

use super::Answer;
use crate::provider::Wire;
use crate::provider::peer::Peer;
use crate::provider::testing::{peer, play, play_every_cut};

fn answer(peer: &Arc<Peer>) -> Answer {
    Answer::new(
        Arc::clone(peer),
        "gpt-4.1-2025-04-14".into(),
        "openai-chat:o".into(),
    )
}

fn played(stream: &str) -> (Vec<Chunk>, Result<ModelAnswer, ModelError>) {
    let peer = peer("o", Wire::OpenAiChat, "https://api.openai.com/v1");
    play_every_cut(|| answer(&peer), stream)
}

/// A stream of these deltas and a reason, as other servers than OpenAI send it.
fn of_deltas(deltas: &[Value], reason: &str) -> String {
    let delta = |delta| {
        format!(
            "data: {}\n\n",
            json!({"choices": [{"index": 0, "delta": delta}]})
        )
    };
    let end = json!({"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]});
    let deltas: String = deltas.iter().map(delta).collect();
    format!("{deltas}data: {end}\n\ndata: [DONE]\n\n")
}

fn message(deltas: &[Value], reason: &str) -> AssistantMessage {
    played(&of_deltas(deltas, reason)).1.unwrap().message
}

fn calls(message: &AssistantMessage) -> Vec<(&str, &str, &str)> {
    message
        .calls
        .iter()
        .map(|call| (&*call.provider_id, &*call.tool, &*call.input.0))
        .collect()
}

#[test]
fn text() {
    let stream = r#"data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1750000000,"model":"gpt-4.1-2025-04-14","service_tier":"default","system_fingerprint":"fp_1","choices":[{"index":0,"delta":{"role":"assistant","content":"","refusal":null},"logprobs":null,"finish_reason":null}],"usage":null,"obfuscation":"ab"}

data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1750000000,"model":"gpt-4.1-2025-04-14","choices":[{"index":0,"delta":{"content":"Hello"},"logprobs":null,"finish_reason":null}],"usage":null}

data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1750000000,"model":"gpt-4.1-2025-04-14","choices":[{"index":0,"delta":{"content":" wörld 🦀"},"logprobs":null,"finish_reason":null}],"usage":null}

data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1750000000,"model":"gpt-4.1-2025-04-14","choices":[{"index":0,"delta":{},"logprobs":null,"finish_reason":"stop"}],"usage":null}

data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1750000000,"model":"gpt-4.1-2025-04-14","choices":[],"usage":{"prompt_tokens":2006,"completion_tokens":300,"total_tokens":2306,"prompt_tokens_details":{"cached_tokens":1920,"audio_tokens":0},"completion_tokens_details":{"reasoning_tokens":0,"audio_tokens":0,"accepted_prediction_tokens":0,"rejected_prediction_tokens":0}}}

data: [DONE]

"#;
    let (chunks, answer) = played(stream);
    assert_eq!(
        chunks,
        [Chunk::Text("Hello".into()), Chunk::Text(" wörld 🦀".into())]
    );
    let expected = ModelAnswer {
        message: AssistantMessage {
            text: "Hello wörld 🦀".into(),
            raw: Some(ProviderBlocks {
                wire: "openai-chat:o".into(),
                json: Document(r#"{"role":"assistant","content":"Hello wörld 🦀"}"#.into()),
            }),
            stop: Stop::End,
            ..AssistantMessage::default()
        },
        // 86 × 2 + 300 × 8 + 1920 × 0.5 = 3532 micro-dollars.
        usage: Some(Usage {
            input: 86,
            output: 300,
            cache_read: 1920,
            cache_write: 0,
            cost: Cost(3532),
            cost_unknown: false,
        }),
    };
    assert_eq!(answer, Ok(expected));
}

#[test]
fn parallel_calls() {
    let stream = r#"data: {"choices":[{"index":0,"delta":{"role":"assistant","content":null},"finish_reason":null}]}

data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"call_A","type":"function","function":{"name":"read","arguments":""}}]},"finish_reason":null}]}

data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"path\":"}}]},"finish_reason":null}]}

data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":" 1.0}"}},{"index":1,"id":"call_B","type":"function","function":{"name":"shell","arguments":"{\"co"}}]},"finish_reason":null}]}

data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":1,"function":{"arguments":"mmand\""}}]},"finish_reason":null}]}

data: {"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}

data: [DONE]

"#;
    let (chunks, answer) = played(stream);
    assert_eq!(
        chunks,
        [
            Chunk::CallDrafted("read".into()),
            Chunk::CallDrafted("shell".into())
        ]
    );
    let answer = answer.unwrap();
    assert_eq!(answer.usage, None);
    let message = answer.message;
    assert_eq!(message.stop, Stop::Calls);
    assert_eq!(message.calls[0].id, CallId::new("call_A"));
    assert_eq!(
        calls(&message),
        [
            ("call_A", "read", r#"{"path": 1.0}"#),
            ("call_B", "shell", r#"{"command""#)
        ]
    );
    // The input that can't be read must not break the next request.
    expect![[r#"{"role":"assistant","content":null,"tool_calls":[{"id":"call_A","type":"function","function":{"name":"read","arguments":"{\"path\": 1.0}"}},{"id":"call_B","type":"function","function":{"name":"shell","arguments":"{}"}}]}"#]].assert_eq(&message.raw.unwrap().json.0);
}

#[test]
fn thinking_under_each_of_its_names_and_several_fields_in_one_event() {
    let deltas = [
        json!({"role": "assistant", "reasoning_content": "a", "reasoning": "a", "content": null}),
        json!({"reasoning": "b", "content": ""}),
        json!({"content": [{"type": "thinking", "thinking": [{"type": "text", "text": "c"}]}, {"type": "text", "text": "X"}]}),
        json!({"reasoning_content": "d", "content": "Y", "tool_calls": [{"index": 0, "id": "i", "function": {"name": "read", "arguments": {"n": 1}}, "extra_content": {"google": {"thought_signature": "s"}}}]}),
        json!({"reasoning_details": [{"type": "reasoning.encrypted", "data": "e", "index": 0}]}),
    ];
    let (chunks, answer) = played(&of_deltas(&deltas, "tool_calls"));
    let thinking = |text: &str| Chunk::Thinking(text.into());
    assert_eq!(
        chunks,
        [
            thinking("a"),
            thinking("b"),
            thinking("c"),
            Chunk::Text("X".into()),
            thinking("d"),
            Chunk::Text("Y".into()),
            Chunk::CallDrafted("read".into()),
        ]
    );
    let message = answer.unwrap().message;
    assert_eq!((&*message.text, &*message.thinking), ("XY", "abcd"));
    assert_eq!(calls(&message), [("i", "read", r#"{"n":1}"#)]);
    expect![[r#"{"role":"assistant","content":"XY","reasoning_content":"ad","reasoning_details":[{"type":"reasoning.encrypted","data":"e","index":0}],"tool_calls":[{"id":"i","type":"function","function":{"name":"read","arguments":"{\"n\":1}"},"extra_content":{"google":{"thought_signature":"s"}}}]}"#]].assert_eq(&message.raw.unwrap().json.0);
}

fn piece(index: Option<u64>, id: Option<&str>, name: Option<&str>, arguments: &str) -> Value {
    let function = json!({"name": name, "arguments": arguments});
    json!({"tool_calls": [{"index": index, "id": id, "function": function}]})
}

#[test]
fn servers_that_number_and_name_calls_badly() {
    // All calls have the number 0, and names tell them apart (Gemini).
    let same_number = [
        piece(Some(0), Some("a"), Some("read"), r#"{"n":1}"#),
        piece(Some(0), Some("b"), Some("read"), r#"{"n":2}"#),
    ];
    let expected = [("a", "read", r#"{"n":1}"#), ("b", "read", r#"{"n":2}"#)];
    assert_eq!(calls(&message(&same_number, "stop")), expected);
    // Neither numbers nor names.
    let nothing = [
        piece(None, None, Some("read"), r#"{"n":1}"#),
        piece(None, None, Some("read"), r#"{"n":"#),
        piece(None, None, None, "2}"),
    ];
    let expected = [
        ("call_0", "read", r#"{"n":1}"#),
        ("call_1", "read", r#"{"n":2}"#),
    ];
    assert_eq!(calls(&message(&nothing, "tool_calls")), expected);
    // The name comes with every piece.
    let repeated = [
        piece(Some(0), Some("a"), Some("read"), r#"{"n":"#),
        piece(Some(0), Some("a"), Some("read"), "1}"),
        piece(Some(1), Some("a"), Some("list"), ""),
    ];
    let expected = [("a", "read", r#"{"n":1}"#), ("call_1", "list", "{}")];
    assert_eq!(calls(&message(&repeated, "tool_calls")), expected);
}

#[test]
fn a_long_input_takes_linear_work() {
    // Copying what is there at each of these pieces would move some 20 GB.
    let fragment = "x".repeat(10);
    let mut deltas = vec![piece(Some(0), Some("a"), Some("write"), r#"{"text":""#)];
    deltas.extend((0..20_000).map(|_| piece(Some(0), None, None, &fragment)));
    deltas.push(piece(Some(0), None, None, r#""}"#));
    let peer = peer("o", Wire::OpenAiChat, "https://api.openai.com/v1");
    let stream = of_deltas(&deltas, "tool_calls");
    let message = play(answer(&peer), &[stream.as_bytes()]).1.unwrap().message;
    assert_eq!(message.calls[0].input.0.len(), 200_000 + 11);
}

#[test]
fn why_it_stopped() {
    let text = json!({"content": "x"});
    let call = piece(Some(0), Some("a"), Some("read"), "{}");
    let refusal = json!({"refusal": "I can't."});
    let cases = [
        (vec![text.clone()], "stop", Stop::End, true),
        (vec![text.clone(), call.clone()], "stop", Stop::Calls, true),
        (vec![call.clone()], "function_call", Stop::Calls, true),
        (vec![text.clone()], "length", Stop::MaxTokens, false),
        (vec![text.clone()], "content_filter", Stop::Refusal, true),
        (vec![refusal.clone()], "stop", Stop::Refusal, true),
        (vec![text], "a_reason_of_tomorrow", Stop::End, true),
    ];
    for (deltas, reason, stop, has_raw) in cases {
        let message = message(&deltas, reason);
        assert_eq!(
            (message.stop, message.raw.is_some()),
            (stop, has_raw),
            "{reason}"
        );
    }
    assert_eq!(&*message(&[refusal], "stop").text, "I can't.");
}

#[test]
fn either_end_will_do() {
    let text = r#"data: {"choices":[{"index":0,"delta":{"content":"x"}}]}"#;
    let reason = r#"data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}"#;
    for stream in [
        format!("{text}\n\n{reason}\n\n"),
        format!("{text}\n\ndata: [DONE]\n\n"),
        format!(": OPENROUTER PROCESSING\n\n{text}\n\ndata: [DONE]\n\ndata: junk\n\n"),
    ] {
        assert_eq!(
            played(&stream).1.unwrap().message.text,
            "x".into(),
            "{stream}"
        );
    }
}

#[test]
fn usage_as_other_servers_tell_it() {
    let cases = [
        // DeepSeek.
        (
            json!({"prompt_tokens": 100, "completion_tokens": 5, "prompt_cache_hit_tokens": 64}),
            (36, 5, 64, 0),
        ),
        // Moonshot.
        (
            json!({"prompt_tokens": 100, "completion_tokens": 5, "cached_tokens": 10}),
            (90, 5, 10, 0),
        ),
        // Cache writes are a part of the prompt.
        (
            json!({"prompt_tokens": 100, "completion_tokens": 5, "prompt_tokens_details": {"cached_tokens": 10, "cache_write_tokens": 80}}),
            (10, 5, 10, 80),
        ),
        // xAI counts thinking only in the total.
        (
            json!({"prompt_tokens": 100, "completion_tokens": 5, "total_tokens": 125}),
            (100, 25, 0, 0),
        ),
        // Nonsense must not become a huge number.
        (
            json!({"prompt_tokens": 1, "completion_tokens": null, "prompt_tokens_details": {"cached_tokens": 9, "cache_write_tokens": 9}}),
            (0, 0, 1, 0),
        ),
    ];
    for (told, expected) in cases {
        let stream = format!(
            "data: {}\n\ndata: [DONE]\n\n",
            json!({"choices": [], "usage": told})
        );
        let usage = played(&stream).1.unwrap().usage.unwrap();
        let counts = (
            usage.input,
            usage.output,
            usage.cache_read,
            usage.cache_write,
        );
        assert_eq!(counts, expected, "{told}");
    }
    let stream = format!(
        "data: {}\n\ndata: [DONE]\n\n",
        json!({"choices": [], "usage": {"prompt_tokens": 1, "completion_tokens": 1, "cost": 0.0021}})
    );
    assert_eq!(played(&stream).1.unwrap().usage.unwrap().cost, Cost(2100));
}

#[test]
fn errors_within_the_stream() {
    let cases = [
        (
            r#"{"error":{"code":502,"message":"Upstream failed"},"choices":[]}"#,
            FailureKind::Broken,
            true,
        ),
        (
            r#"{"error":{"message":"Rate limit reached","type":"rate_limit_error"}}"#,
            FailureKind::RateLimited,
            true,
        ),
        (
            r#"{"error":{"message":"too long","code":"context_length_exceeded","type":"invalid_request_error"}}"#,
            FailureKind::TooLong,
            false,
        ),
        (
            r#"{"choices":[{"index":0,"delta":{},"finish_reason":"error"}]}"#,
            FailureKind::Broken,
            true,
        ),
    ];
    for (json, kind, retryable) in cases {
        let error = played(&format!("data: {json}\n\n")).1.unwrap_err();
        assert_eq!((error.kind, error.retryable), (kind, retryable), "{json}");
    }
}

#[test]
fn a_stream_that_breaks_off_or_makes_no_sense_is_broken() {
    for stream in [
        "",
        "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"x\"}}]}\n\n",
        "data: {\"choices\":\n\n",
        "data: hello\n\n",
        // The last event has no blank line behind it.
        "data: [DONE]\n",
    ] {
        let error = played(stream).1.unwrap_err();
        assert_eq!(
            (error.kind, error.retryable),
            (FailureKind::Broken, true),
            "{stream}"
        );
    }
}
