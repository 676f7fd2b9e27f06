//! Messages, as Anthropic streams them.

use serde_json::{Value, json};

use super::answer::{Answer, Part};

/// The headers of a stream.
pub(super) fn headers() -> Vec<(&'static str, &'static str)> {
    vec![
        ("date", "Tue, 01 Dec 2026 09:00:00 GMT"),
        ("content-type", "text/event-stream; charset=utf-8"),
        ("cache-control", "no-cache"),
        ("anthropic-ratelimit-requests-limit", "4000"),
        ("anthropic-ratelimit-requests-remaining", "3999"),
        ("anthropic-ratelimit-requests-reset", "2026-12-01T09:00:00Z"),
        (
            "anthropic-organization-id",
            "5f0c3a52-0000-4000-8000-6d6f636b0000",
        ),
        ("request-id", "req_011CMockMockMockMockMock"),
        (
            "strict-transport-security",
            "max-age=31536000; includeSubDomains; preload",
        ),
        ("via", "1.1 google"),
        ("cf-cache-status", "DYNAMIC"),
        ("x-robots-tag", "none"),
        ("server", "cloudflare"),
    ]
}

/// The events of an answer.
pub(super) fn stream(answer: &Answer) -> Vec<u8> {
    let mut out = String::new();
    let tokens = answer.tokens.unwrap_or_default();
    let usage = json!({
        "input_tokens": tokens.input,
        "cache_creation_input_tokens": tokens.cache_write,
        "cache_read_input_tokens": tokens.cache_read,
        "cache_creation": {
            "ephemeral_5m_input_tokens": tokens.cache_write, "ephemeral_1h_input_tokens": 0,
        },
        // The first count is a low one; the last is the whole.
        "output_tokens": 1,
        "service_tier": "standard",
    });
    push(
        &mut out,
        "message_start",
        json!({"type": "message_start", "message": {
            "model": "mock-model-2026-11-01", "id": "msg_01MockMockMockMockMock",
            "type": "message", "role": "assistant", "content": [],
            "stop_reason": null, "stop_sequence": null, "usage": usage,
        }}),
    );
    for (index, part) in answer.parts.iter().enumerate() {
        block(&mut out, index, part);
        if index == 0 {
            push(&mut out, "ping", json!({"type": "ping"}));
        }
    }
    let by_itself = match answer.has_calls() {
        true => "tool_use",
        false => "end_turn",
    };
    let reason = answer.stop.as_deref().unwrap_or(by_itself);
    push(
        &mut out,
        "message_delta",
        json!({
            "type": "message_delta",
            "delta": {"stop_reason": reason, "stop_sequence": null},
            "usage": {
                "input_tokens": tokens.input,
                "cache_creation_input_tokens": tokens.cache_write,
                "cache_read_input_tokens": tokens.cache_read,
                "output_tokens": tokens.output,
            },
        }),
    );
    push(&mut out, "message_stop", json!({"type": "message_stop"}));
    out.into_bytes()
}

fn block(out: &mut String, index: usize, part: &Part) {
    let start = match part {
        Part::Thinking { .. } => json!({"type": "thinking", "thinking": "", "signature": ""}),
        Part::Redacted(data) => json!({"type": "redacted_thinking", "data": data}),
        Part::Text(_) => json!({"type": "text", "text": ""}),
        Part::Call { id, tool, .. } => {
            json!({"type": "tool_use", "id": id, "name": tool, "input": {}})
        }
    };
    push(
        out,
        "content_block_start",
        json!({"type": "content_block_start", "index": index, "content_block": start}),
    );
    for delta in deltas(part) {
        push(
            out,
            "content_block_delta",
            json!({"type": "content_block_delta", "index": index, "delta": delta}),
        );
    }
    push(
        out,
        "content_block_stop",
        json!({"type": "content_block_stop", "index": index}),
    );
}

fn deltas(part: &Part) -> Vec<Value> {
    match part {
        Part::Thinking { pieces, signature } => pieces
            .iter()
            .map(|piece| json!({"type": "thinking_delta", "thinking": piece}))
            .chain([json!({"type": "signature_delta", "signature": signature})])
            .collect(),
        Part::Redacted(_) => Vec::new(),
        Part::Text(pieces) => pieces
            .iter()
            .map(|piece| json!({"type": "text_delta", "text": piece}))
            .collect(),
        // The service begins each input with an empty piece.
        Part::Call { pieces, .. } => std::iter::once("")
            .chain(pieces.iter().map(String::as_str))
            .map(|piece| json!({"type": "input_json_delta", "partial_json": piece}))
            .collect(),
    }
}

/// One event. The service pads data with blanks before the last brace, so that
/// lengths tell less.
fn push(out: &mut String, name: &str, data: Value) {
    let data = data.to_string();
    let data = data.strip_suffix('}').unwrap();
    let pad = " ".repeat(data.len() % 13);
    out.push_str(&format!("event: {name}\ndata: {data}{pad}}}\n\n"));
}
