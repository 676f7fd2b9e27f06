//! Chat completions, as OpenAI (and DeepSeek, for `reasoning_content`) stream
//! them.

use serde_json::{Value, json};

use super::answer::{Answer, Part, Tokens};

/// The headers of a stream.
pub(super) fn headers() -> Vec<(&'static str, &'static str)> {
    vec![
        ("date", "Tue, 01 Dec 2026 09:00:00 GMT"),
        ("content-type", "text/event-stream; charset=utf-8"),
        ("access-control-expose-headers", "X-Request-ID"),
        ("openai-organization", "user-mock"),
        ("openai-processing-ms", "412"),
        ("openai-version", "2020-10-01"),
        ("x-ratelimit-limit-requests", "10000"),
        ("x-ratelimit-remaining-requests", "9999"),
        ("x-request-id", "req_6f1e2d3c4b5a69788796a5b4c3d2e1f0"),
        (
            "strict-transport-security",
            "max-age=31536000; includeSubDomains; preload",
        ),
        ("cf-cache-status", "DYNAMIC"),
        ("server", "cloudflare"),
        ("alt-svc", "h3=\":443\"; ma=86400"),
    ]
}

/// The events of an answer.
pub(super) fn stream(answer: &Answer) -> Vec<u8> {
    let mut out = String::new();
    let mut event = |delta: Value, finish: Value| push(&mut out, &chunk(delta, finish));
    event(
        json!({"role": "assistant", "content": "", "refusal": null}),
        Value::Null,
    );
    let mut calls = 0;
    for part in &answer.parts {
        match part {
            Part::Thinking { pieces, .. } => {
                for piece in pieces {
                    event(json!({"reasoning_content": piece}), Value::Null);
                }
            }
            Part::Redacted(_) => {}
            Part::Text(pieces) => {
                for piece in pieces {
                    event(json!({"content": piece}), Value::Null);
                }
            }
            Part::Call { id, tool, pieces } => {
                event(
                    json!({"tool_calls": [{
                        "index": calls, "id": id, "type": "function",
                        "function": {"name": tool, "arguments": ""},
                    }]}),
                    Value::Null,
                );
                for piece in pieces {
                    event(
                        json!({"tool_calls": [{
                            "index": calls, "function": {"arguments": piece},
                        }]}),
                        Value::Null,
                    );
                }
                calls += 1;
            }
        }
    }
    let by_itself = if calls > 0 { "tool_calls" } else { "stop" };
    let finish = answer.stop.as_deref().unwrap_or(by_itself);
    event(json!({}), json!(finish));
    if let Some(tokens) = answer.tokens {
        push(&mut out, &usage(tokens));
    }
    out.push_str("data: [DONE]\n\n");
    out.into_bytes()
}

fn push(out: &mut String, chunk: &Value) {
    out.push_str(&format!("data: {chunk}\n\n"));
}

/// One chunk, with the fields in the service's order.
pub(super) fn chunk(delta: Value, finish: Value) -> Value {
    json!({
        "id": "chatcmpl-CiQ7mock3vXWb0cZ1yqf2u9",
        "object": "chat.completion.chunk",
        "created": 1_796_115_600,
        "model": "mock-model-2026-11-01",
        "service_tier": "default",
        "system_fingerprint": "fp_50cad350e4",
        "choices": [{
            "index": 0, "delta": delta, "logprobs": null, "finish_reason": finish,
        }],
        "usage": null,
        "obfuscation": "u3Kq9",
    })
}

/// The chunk after the last one, which `stream_options.include_usage` asks for.
fn usage(tokens: Tokens) -> Value {
    let prompt = tokens.input + tokens.cache_read + tokens.cache_write;
    let mut chunk = chunk(json!({}), Value::Null);
    chunk["choices"] = json!([]);
    chunk["usage"] = json!({
        "prompt_tokens": prompt,
        "completion_tokens": tokens.output,
        "total_tokens": prompt + tokens.output,
        "prompt_tokens_details": {"cached_tokens": tokens.cache_read, "audio_tokens": 0},
        "completion_tokens_details": {
            "reasoning_tokens": 0, "audio_tokens": 0,
            "accepted_prediction_tokens": 0, "rejected_prediction_tokens": 0,
        },
    });
    chunk
}
