use std::sync::Arc;

use expect_test::expect;
use greenroom_actors::ports::{Chunk, ModelAnswer, ModelError};
use greenroom_protocol::session::{FailureKind, Stop};
use serde_json::{Value, json};

use super::Answer;
use crate::provider::Wire;
use crate::provider::peer::Peer;
use crate::provider::testing::{peer, play_every_cut};

fn answer(peer: &Arc<Peer>) -> Answer {
    let mark = "openai-responses:o".into();
    Answer::new(Arc::clone(peer), "gpt-4.1-2025-04-14".into(), mark)
}

fn played(stream: &str) -> (Vec<Chunk>, Result<ModelAnswer, ModelError>) {
    let peer = peer("o", Wire::OpenAiResponses, "https://api.openai.com/v1");
    play_every_cut(|| answer(&peer), stream)
}

/// A stream of these events, each under its name, as OpenAI sends it.
fn of(events: &[Value]) -> String {
    let event = |event: &Value| {
        let name = event["type"].as_str().unwrap();
        format!("event: {name}\ndata: {event}\n\n")
    };
    events.iter().map(event).collect()
}

fn completed(output: Value) -> Value {
    json!({"type": "response.completed", "sequence_number": 99, "response": {"id": "resp_1", "status": "completed", "error": null, "incomplete_details": null, "output": output, "usage": null}})
}

const STREAM: &str = r#"event: response.created
data: {"type":"response.created","sequence_number":0,"response":{"id":"resp_1","object":"response","status":"in_progress","error":null,"incomplete_details":null,"output":[],"store":false,"usage":null}}

event: response.in_progress
data: {"type":"response.in_progress","sequence_number":1,"response":{"id":"resp_1","status":"in_progress","output":[]}}

event: response.output_item.added
data: {"type":"response.output_item.added","sequence_number":2,"output_index":0,"item":{"id":"rs_1","type":"reasoning","encrypted_content":"gAAAAstart","summary":[]}}

event: response.reasoning_summary_part.added
data: {"type":"response.reasoning_summary_part.added","item_id":"rs_1","output_index":0,"summary_index":0,"part":{"type":"summary_text","text":""}}

event: response.reasoning_summary_text.delta
data: {"type":"response.reasoning_summary_text.delta","item_id":"rs_1","output_index":0,"summary_index":0,"delta":"**Plän","obfuscation":"x"}

event: response.reasoning_summary_text.delta
data: {"type":"response.reasoning_summary_text.delta","item_id":"rs_1","output_index":0,"summary_index":0,"delta":"ing**"}

event: response.reasoning_summary_text.delta
data: {"type":"response.reasoning_summary_text.delta","item_id":"rs_1","output_index":0,"summary_index":1,"delta":"Then."}

event: response.output_item.done
data: {"type":"response.output_item.done","output_index":0,"item":{"id":"rs_1","type":"reasoning","encrypted_content":"gAAAAA==", "summary":[{"type":"summary_text","text":"**Plän\u0069ng**"},{"type":"summary_text","text":"Then."}]}}

event: response.output_item.added
data: {"type":"response.output_item.added","output_index":1,"item":{"id":"msg_1","type":"message","status":"in_progress","content":[],"role":"assistant"}}

event: response.content_part.added
data: {"type":"response.content_part.added","item_id":"msg_1","output_index":1,"content_index":0,"part":{"type":"output_text","annotations":[],"logprobs":[],"text":""}}

event: response.output_text.delta
data: {"type":"response.output_text.delta","item_id":"msg_1","output_index":1,"content_index":0,"delta":"Hello","logprobs":[]}

event: response.output_text.delta
data: {"type":"response.output_text.delta","item_id":"msg_1","output_index":1,"content_index":0,"delta":" wörld 🦀"}

event: response.output_text.done
data: {"type":"response.output_text.done","item_id":"msg_1","output_index":1,"content_index":0,"text":"Hello wörld 🦀"}

event: response.output_item.done
data: {"type":"response.output_item.done","output_index":1,"item":{"id":"msg_1","type":"message","status":"completed","phase":"commentary","content":[{"type":"output_text","annotations":[],"logprobs":[],"text":"Hello wörld 🦀"}],"role":"assistant"}}

event: response.output_item.added
data: {"type":"response.output_item.added","output_index":2,"item":{"id":"fc_1","type":"function_call","status":"in_progress","arguments":"","call_id":"call_A","name":"read"}}

event: response.function_call_arguments.delta
data: {"type":"response.function_call_arguments.delta","item_id":"fc_1","output_index":2,"delta":"{\"path\":"}

event: response.output_item.added
data: {"type":"response.output_item.added","output_index":3,"item":{"id":"fc_2","type":"function_call","status":"in_progress","arguments":"","call_id":"call_B","name":"shell"}}

event: response.function_call_arguments.delta
data: {"type":"response.function_call_arguments.delta","item_id":"fc_1","output_index":2,"delta":" 1.0}"}

event: response.function_call_arguments.done
data: {"type":"response.function_call_arguments.done","item_id":"fc_1","output_index":2,"arguments":"{\"path\": 1.0}"}

event: response.output_item.done
data: {"type":"response.output_item.done","output_index":2,"item":{"id":"fc_1","type":"function_call","status":"completed","arguments":"{\"path\": 1.0}","call_id":"call_A","name":"read"}}

event: response.output_item.done
data: {"type":"response.output_item.done","output_index":3,"item":{"id":"fc_2","type":"function_call","status":"completed","arguments":"{\"co","call_id":"call_B","name":"shell"}}

event: response.output_item.done
data: {"type":"response.output_item.done","output_index":4,"item":{"id":"x_1","type":"item_of_tomorrow","state":[1.0, {"deep":null}]}}

event: response.completed
data: {"type":"response.completed","sequence_number":30,"response":{"id":"resp_1","status":"completed","error":null,"incomplete_details":null,"output":[{"type":"not_read"}],"usage":{"input_tokens":2006,"input_tokens_details":{"cached_tokens":1920},"output_tokens":300,"output_tokens_details":{"reasoning_tokens":64},"total_tokens":2306}}}

"#;

#[test]
fn thinking_text_calls_and_unknown_items() {
    let (chunks, answer) = played(STREAM);
    expect![[r#"
        [
            Thinking(
                "**Plän",
            ),
            Thinking(
                "ing**",
            ),
            Thinking(
                "\n\nThen.",
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
                thinking: "**Pläning**\n\nThen.",
                calls: [
                    CallRequest {
                        id: CallId(call_A),
                        provider_id: "call_A",
                        tool: "read",
                        input: Document(
                            "{\"path\": 1.0}",
                        ),
                    },
                    CallRequest {
                        id: CallId(call_B),
                        provider_id: "call_B",
                        tool: "shell",
                        input: Document(
                            "{\"co",
                        ),
                    },
                ],
                raw: Some(
                    ProviderBlocks {
                        wire: "openai-responses:o",
                        json: Document(
                            "[{\"id\":\"rs_1\",\"type\":\"reasoning\",\"encrypted_content\":\"gAAAAA==\", \"summary\":[{\"type\":\"summary_text\",\"text\":\"**Plän\\u0069ng**\"},{\"type\":\"summary_text\",\"text\":\"Then.\"}]},{\"id\":\"msg_1\",\"type\":\"message\",\"status\":\"completed\",\"phase\":\"commentary\",\"content\":[{\"type\":\"output_text\",\"annotations\":[],\"logprobs\":[],\"text\":\"Hello wörld 🦀\"}],\"role\":\"assistant\"},{\"id\":\"fc_1\",\"type\":\"function_call\",\"status\":\"completed\",\"arguments\":\"{\\\"path\\\": 1.0}\",\"call_id\":\"call_A\",\"name\":\"read\"},{\"id\":\"fc_2\",\"type\":\"function_call\",\"status\":\"completed\",\"arguments\":\"{}\",\"call_id\":\"call_B\",\"name\":\"shell\"},{\"id\":\"x_1\",\"type\":\"item_of_tomorrow\",\"state\":[1.0, {\"deep\":null}]}]",
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
                        3532,
                    ),
                    cost_unknown: false,
                },
            ),
        }
    "#]].assert_debug_eq(&answer);
    expect![[r#"[{"id":"rs_1","type":"reasoning","encrypted_content":"gAAAAA==", "summary":[{"type":"summary_text","text":"**Plän\u0069ng**"},{"type":"summary_text","text":"Then."}]},{"id":"msg_1","type":"message","status":"completed","phase":"commentary","content":[{"type":"output_text","annotations":[],"logprobs":[],"text":"Hello wörld 🦀"}],"role":"assistant"},{"id":"fc_1","type":"function_call","status":"completed","arguments":"{\"path\": 1.0}","call_id":"call_A","name":"read"},{"id":"fc_2","type":"function_call","status":"completed","arguments":"{}","call_id":"call_B","name":"shell"},{"id":"x_1","type":"item_of_tomorrow","state":[1.0, {"deep":null}]}]"#]].assert_eq(&answer.message.raw.unwrap().json.0);
}

#[test]
fn items_that_come_only_whole_are_told_all_the_same() {
    let message = json!({"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "One."}]});
    let thought = json!({"type": "reasoning", "summary": [], "content": [{"type": "reasoning_text", "text": "hm"}]});
    let call = json!({"type": "function_call", "call_id": "c", "name": "read", "arguments": "{}"});
    let done = |number: u64, item: &Value| json!({"type": "response.output_item.done", "output_index": number, "item": item});
    let one_by_one = of(&[
        done(0, &thought),
        done(1, &message),
        done(2, &message),
        done(3, &call),
        completed(json!([])),
    ]);
    let mut unnumbered =
        vec![json!({"type": "response.output_item.added", "item": {"type": "reasoning"}})];
    for item in [&thought, &message, &message, &call] {
        unnumbered.push(json!({"type": "response.output_item.done", "item": item}));
    }
    unnumbered.push(completed(json!([])));
    let unnumbered = of(&unnumbered);
    let at_the_end = of(&[completed(json!([thought, message, message, call]))]);
    for stream in [one_by_one, unnumbered, at_the_end] {
        let (chunks, answer) = played(&stream);
        assert_eq!(
            chunks,
            [
                Chunk::Thinking("hm".into()),
                Chunk::Text("One.".into()),
                Chunk::Text("\n\nOne.".into()),
                Chunk::CallDrafted("read".into()),
            ]
        );
        let message_back = answer.unwrap().message;
        assert_eq!(message_back.stop, Stop::Calls);
        let raw: Value = serde_json::from_str(&message_back.raw.unwrap().json.0).unwrap();
        assert_eq!(raw, json!([thought, message, message, call]));
    }
}

#[test]
fn missing_and_repeated_names_of_calls_are_mended_in_what_goes_back() {
    let call =
        |id: Value| json!({"type": "function_call", "call_id": id, "name": "a.b", "arguments": ""});
    let output = json!([call("x".into()), call("x".into()), call(Value::Null)]);
    let message = played(&of(&[completed(output)])).1.unwrap().message;
    let names: Vec<&str> = message
        .calls
        .iter()
        .map(|call| &*call.provider_id)
        .collect();
    assert_eq!(names, ["x", "call_1", "call_2"]);
    expect![[r#"[{"type":"function_call","call_id":"x","name":"a_b","arguments":"{}"},{"type":"function_call","call_id":"call_1","name":"a_b","arguments":"{}"},{"type":"function_call","call_id":"call_2","name":"a_b","arguments":"{}"}]"#]].assert_eq(&message.raw.unwrap().json.0);
}

#[test]
fn thinking_that_the_server_did_not_keep_does_not_go_back() {
    let thought = json!({"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "hm"}]});
    let message = json!({"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "x"}]});
    let back = |output: Value| played(&of(&[completed(output)])).1.unwrap().message.raw;
    assert_eq!(back(json!([thought])), None);
    let kept = back(json!([thought, message])).unwrap();
    assert_eq!(&*kept.json.0, json!([message]).to_string());
}

#[test]
fn why_it_stopped() {
    let delta = json!({"type": "response.output_text.delta", "output_index": 0, "delta": "x"});
    let refusal = json!({"type": "response.refusal.delta", "output_index": 0, "delta": "I can't."});
    let incomplete = |reason: &str| json!({"type": "response.incomplete", "response": {"status": "incomplete", "incomplete_details": {"reason": reason}}});
    let whole = || completed(json!([]));
    for (events, text, stop) in [
        ([delta.clone(), whole()], "x", Stop::End),
        ([refusal, whole()], "I can't.", Stop::Refusal),
        (
            [delta.clone(), incomplete("max_output_tokens")],
            "x",
            Stop::MaxTokens,
        ),
        ([delta, incomplete("content_filter")], "x", Stop::Refusal),
    ] {
        let message = played(&of(&events)).1.unwrap().message;
        assert_eq!((&*message.text, message.stop), (text, stop));
        assert_eq!(message.raw, None);
    }
}

#[test]
fn errors_within_the_stream() {
    let failed = |code: &str, message: &str| json!({"type": "response.failed", "response": {"status": "failed", "error": {"code": code, "message": message}, "usage": null}});
    let error = |code: &str| json!({"type": "error", "code": code, "message": "m", "param": null, "sequence_number": 3});
    use FailureKind::{Broken, Invalid, Overloaded, Quota, RateLimited, TooLong};
    for (event, kind, retryable) in [
        (failed("server_error", "An error occurred"), Broken, true),
        (
            failed("rate_limit_exceeded", "Rate limit reached"),
            RateLimited,
            true,
        ),
        (
            failed(
                "context_length_exceeded",
                "Your input exceeds the context window",
            ),
            TooLong,
            false,
        ),
        (
            failed("insufficient_quota", "You exceeded your current quota"),
            Quota,
            false,
        ),
        (failed("server_is_overloaded", "busy"), Overloaded, true),
        (failed("invalid_prompt", "flagged"), Invalid, false),
        (error("server_error"), Broken, true),
        (error("rate_limit_exceeded"), RateLimited, true),
        (
            json!({"type": "error", "error": {"type": "invalid_request_error", "code": "context_length_exceeded", "message": "m"}}),
            TooLong,
            false,
        ),
        (
            json!({"type": "response.failed", "response": {"status": "failed", "error": null}}),
            Broken,
            true,
        ),
        (
            json!({"type": "response.completed", "response": {"status": "cancelled"}}),
            Broken,
            true,
        ),
    ] {
        let told = played(&of(std::slice::from_ref(&event))).1.unwrap_err();
        assert_eq!((told.kind, told.retryable), (kind, retryable), "{event}");
    }
}

#[test]
fn a_stream_that_breaks_off_or_makes_no_sense_is_broken() {
    let cut = STREAM.split("event: response.completed").next().unwrap();
    let in_json = &STREAM[..STREAM.len() - 20];
    for stream in [
        "",
        cut,
        in_json,
        "data: {\"type\":\n\n",
        "data: hello\n\n",
        "data: [DONE]\n\n",
        "data: {\"type\":\"response.output_item.done\",\"output_index\":0,\"item\":7}\n\n",
        "data: {\"type\":\"response.completed\",\"response\":7}\n\n",
    ] {
        let peer = peer("o", Wire::OpenAiResponses, "https://api.openai.com/v1");
        let played = crate::provider::testing::play(answer(&peer), &[stream.as_bytes()]);
        let error = played.1.unwrap_err();
        assert_eq!(
            (error.kind, error.retryable),
            (FailureKind::Broken, true),
            "{stream}"
        );
    }
}

#[test]
fn events_that_nobody_knows_do_no_harm() {
    let stream = of(&[
        json!({"type": "response.of_tomorrow", "delta": {"x": 1}, "item": null}),
        json!({"type": "response.output_item.added", "output_index": 0}),
        json!({"type": "keepalive"}),
        completed(json!([])),
    ]);
    assert_eq!(played(&format!("data:\n\n{stream}data: junk\n\n")).0, []);
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig { failure_persistence: None, cases: 64, ..Default::default() })]

    /// However the network cuts the bytes, the same answer comes out.
    #[test]
    fn chunks_never_matter(cuts in proptest::collection::vec(0..STREAM.len(), 0..40)) {
        let peer = peer("o", Wire::OpenAiResponses, "https://api.openai.com/v1");
        let pieces = crate::provider::testing::cut(STREAM.as_bytes(), cuts);
        let whole = crate::provider::testing::play(answer(&peer), &[STREAM.as_bytes()]);
        proptest::prop_assert_eq!(crate::provider::testing::play(answer(&peer), &pieces), whole);
    }
}
