use std::sync::Arc;

use expect_test::expect;
use greenroom_actors::ports::{Chunk, ModelAnswer, ModelError};
use greenroom_protocol::session::{
    AssistantMessage, CallId, CallRequest, Cost, Document, FailureKind, ProviderBlocks, Stop, Usage,
};

use super::Answer;
use crate::provider::Wire;
use crate::provider::peer::Peer;
use crate::provider::testing::{peer, play, play_every_cut};

fn answer(peer: &Arc<Peer>) -> Answer {
    let model = "claude-sonnet-4-5-20250929".to_owned();
    Answer::new(Arc::clone(peer), model, "anthropic:a".into())
}

fn played(stream: &str) -> (Vec<Chunk>, Result<ModelAnswer, ModelError>) {
    let peer = peer("a", Wire::Anthropic, "https://api.anthropic.com/v1");
    play_every_cut(|| answer(&peer), stream)
}

fn raw(json: &str) -> Option<ProviderBlocks> {
    Some(ProviderBlocks {
        wire: "anthropic:a".into(),
        json: Document(json.into()),
    })
}

const START: &str = r#"event: message_start
data: {"type":"message_start","message":{"model":"claude-sonnet-4-5-20250929","id":"msg_01","type":"message","role":"assistant","content":[],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":25,"cache_creation_input_tokens":100,"cache_read_input_tokens":2000,"cache_creation":{"ephemeral_5m_input_tokens":100,"ephemeral_1h_input_tokens":0},"output_tokens":1,"service_tier":"standard"}}}

"#;

#[test]
fn text() {
    let stream = [
        START,
        r#"event: content_block_start
data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}     }

event: ping
data: {"type": "ping"}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Grüß"}          }

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":" Gott 🦀"}  }

event: content_block_stop
data: {"type":"content_block_stop","index":0        }

event: message_delta
data: {"type":"message_delta","delta":{"stop_reason":"end_turn","stop_sequence":null},"usage":{"input_tokens":25,"cache_creation_input_tokens":100,"cache_read_input_tokens":2000,"output_tokens":15}       }

event: message_stop
data: {"type":"message_stop"       }

"#,
    ]
    .concat();
    let (chunks, answer) = played(&stream);
    assert_eq!(
        chunks,
        [Chunk::Text("Grüß".into()), Chunk::Text(" Gott 🦀".into())]
    );
    let expected = ModelAnswer {
        message: AssistantMessage {
            text: "Grüß Gott 🦀".into(),
            raw: raw(r#"[{"type":"text","text":"Grüß Gott 🦀"}]"#),
            stop: Stop::End,
            ..AssistantMessage::default()
        },
        // 25 × 3 + 15 × 15 + 2000 × 0.3 + 100 × 3.75 = 1275 micro-dollars.
        usage: Some(Usage {
            input: 25,
            output: 15,
            cache_read: 2000,
            cache_write: 100,
            cost: Cost(1275),
            cost_unknown: false,
        }),
    };
    assert_eq!(answer, Ok(expected));
}

#[test]
fn signed_thinking_and_parallel_calls() {
    let stream = [
        START,
        r#"event: content_block_start
data: {"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"Let me"}}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":" see."}}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"EqQBCgIYAhIM"}}

event: content_block_stop
data: {"type":"content_block_stop","index":0}

event: content_block_start
data: {"type":"content_block_start","index":1,"content_block":{"type":"redacted_thinking","data":"EmwKAhgBEgy3"}}

event: content_block_stop
data: {"type":"content_block_stop","index":1}

event: content_block_start
data: {"type":"content_block_start","index":2,"content_block":{"type":"text","text":""}}

event: content_block_stop
data: {"type":"content_block_stop","index":2}

event: content_block_start
data: {"type":"content_block_start","index":3,"content_block":{"type":"tool_use","id":"toolu_01A","name":"read","input":{},"caller":{"type":"direct"}}}

event: content_block_delta
data: {"type":"content_block_delta","index":3,"delta":{"type":"input_json_delta","partial_json":""}}

event: content_block_delta
data: {"type":"content_block_delta","index":3,"delta":{"type":"input_json_delta","partial_json":"{\"path\": \"a.r"}}

event: content_block_delta
data: {"type":"content_block_delta","index":3,"delta":{"type":"input_json_delta","partial_json":"s\", \"n\": 1.0}"}}

event: content_block_stop
data: {"type":"content_block_stop","index":3}

event: content_block_start
data: {"type":"content_block_start","index":4,"content_block":{"type":"tool_use","id":"toolu_01B","name":"list","input":{}}}

event: content_block_stop
data: {"type":"content_block_stop","index":4}

event: content_block_start
data: {"type":"content_block_start","index":5,"content_block":{"type":"tool_use","id":"toolu_01C","name":"shell","input":{}}}

event: content_block_delta
data: {"type":"content_block_delta","index":5,"delta":{"type":"input_json_delta","partial_json":"{\"command\": "}}

event: content_block_stop
data: {"type":"content_block_stop","index":5}

event: message_delta
data: {"type":"message_delta","delta":{"stop_reason":"tool_use","stop_sequence":null},"usage":{"output_tokens":89}}

event: message_stop
data: {"type":"message_stop"}

"#,
    ]
    .concat();
    let (chunks, answer) = played(&stream);
    assert_eq!(
        chunks,
        [
            Chunk::Thinking("Let me".into()),
            Chunk::Thinking(" see.".into()),
            Chunk::CallDrafted("read".into()),
            Chunk::CallDrafted("list".into()),
            Chunk::CallDrafted("shell".into()),
        ]
    );
    let call = |id: &str, tool: &str, input: &str| CallRequest {
        id: CallId::new(id),
        provider_id: id.into(),
        tool: tool.into(),
        input: Document(input.into()),
    };
    let expected = AssistantMessage {
        text: "".into(),
        thinking: "Let me see.".into(),
        calls: vec![
            call("toolu_01A", "read", r#"{"path": "a.rs", "n": 1.0}"#),
            call("toolu_01B", "list", "{}"),
            call("toolu_01C", "shell", r#"{"command": "#),
        ],
        raw: raw(concat!(
            r#"[{"type":"thinking","thinking":"Let me see.","signature":"EqQBCgIYAhIM"},"#,
            r#"{"type":"redacted_thinking","data":"EmwKAhgBEgy3"},"#,
            r#"{"type":"tool_use","id":"toolu_01A","name":"read","caller":{"type":"direct"},"input":{"path": "a.rs", "n": 1.0}},"#,
            r#"{"type":"tool_use","id":"toolu_01B","name":"list","input":{}},"#,
            r#"{"type":"tool_use","id":"toolu_01C","name":"shell","input":{}}]"#,
        )),
        stop: Stop::Calls,
    };
    let answer = answer.unwrap();
    assert_eq!(answer.message, expected);
    let usage = answer.usage.unwrap();
    assert_eq!(
        (usage.input, usage.output, usage.cache_read),
        (25, 89, 2000)
    );
}

#[test]
fn blocks_that_we_do_not_know_go_back_whole() {
    let stream = [
        START,
        r#"data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":"One."}}

data: {"type":"content_block_start","index":1,"content_block":{"type":"server_tool_use","id":"srvtoolu_1","name":"web_search","input":{}}}

data: {"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{\"query\":\"x\"}"}}

data: {"type":"content_block_start","index":2,"content_block":{"type":"web_search_tool_result","tool_use_id":"srvtoolu_1","content":[{"url":"u"}]}}

data: {"type":"content_block_start","index":3,"content_block":{"type":"novelty","text":"not for readers","state":null}}

data: {"type":"content_block_delta","index":3,"delta":{"type":"novelty_delta","state":"a"}}

data: {"type":"content_block_delta","index":3,"delta":{"type":"novelty_delta","state":"b"}}

data: {"type":"content_block_start","index":4,"content_block":{"type":"text","text":"","citations":[]}}

data: {"type":"content_block_delta","index":4,"delta":{"type":"citations_delta","citation":{"url":"u"}}}

data: {"type":"content_block_delta","index":4,"delta":{"type":"text_delta","text":"Two."}}

data: {"type":"an_event_of_tomorrow"}

data: {"type":"message_delta","delta":{"stop_reason":"end_turn"}}

data: {"type":"message_stop"}

"#,
    ]
    .concat();
    let (chunks, answer) = played(&stream);
    assert_eq!(
        chunks,
        [Chunk::Text("One.".into()), Chunk::Text("\n\nTwo.".into())]
    );
    let message = answer.unwrap().message;
    assert_eq!(&*message.text, "One.\n\nTwo.");
    assert_eq!(message.calls, []);
    let expected = expect![[
        r#"[{"type":"text","text":"One."},{"type":"server_tool_use","id":"srvtoolu_1","name":"web_search","input":{"query":"x"}},{"type":"web_search_tool_result","tool_use_id":"srvtoolu_1","content":[{"url":"u"}]},{"type":"novelty","text":"not for readers","state":"ab"},{"type":"text","text":"Two.","citations":[{"url":"u"}]}]"#
    ]];
    expected.assert_eq(&message.raw.unwrap().json.0);
}

fn ended(reason: &str, blocks: &str) -> AssistantMessage {
    let stream = format!(
        "{START}{blocks}data: {{\"type\":\"message_delta\",\"delta\":{{\"stop_reason\":\"{reason}\"}}}}\n\ndata: {{\"type\":\"message_stop\"}}\n\n"
    );
    played(&stream).1.unwrap().message
}

#[test]
fn why_it_stopped() {
    let text = "data: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"x\"}}\n\n";
    let cases = [
        ("end_turn", Stop::End, true),
        ("stop_sequence", Stop::End, true),
        ("max_tokens", Stop::MaxTokens, false),
        ("model_context_window_exceeded", Stop::MaxTokens, false),
        ("refusal", Stop::Refusal, true),
        ("pause_turn", Stop::End, true),
        ("a_reason_of_tomorrow", Stop::End, true),
    ];
    for (reason, stop, has_raw) in cases {
        let message = ended(reason, text);
        assert_eq!(
            (message.stop, message.raw.is_some()),
            (stop, has_raw),
            "{reason}"
        );
    }
}

#[test]
fn nothing_but_thinking_does_not_go_back() {
    let thinking = "data: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"thinking\",\"thinking\":\"hm\",\"signature\":\"s\"}}\n\n";
    let message = ended("end_turn", thinking);
    assert_eq!((&*message.thinking, message.raw), ("hm", None));
}

#[test]
fn names_of_calls_are_made_when_they_are_missing() {
    let call = |index: u32| {
        format!(
            "data: {{\"type\":\"content_block_start\",\"index\":{index},\"content_block\":{{\"type\":\"tool_use\",\"name\":\"read\",\"input\":{{\"n\":{index}}}}}}}\n\n"
        )
    };
    let message = ended("tool_use", &[call(0), call(1)].concat());
    let names: Vec<&str> = message
        .calls
        .iter()
        .map(|call| &*call.provider_id)
        .collect();
    assert_eq!(names, ["call_0", "call_1"]);
    let raw = message.raw.unwrap().json.0;
    assert!(raw.contains(r#""id":"call_1","input":{"n":1}"#), "{raw}");
}

#[test]
fn an_error_within_the_stream_has_its_kind() {
    let stream = format!(
        "{START}event: error\ndata: {{\"type\":\"error\",\"error\":{{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}}}}\n\n"
    );
    let error = played(&stream).1.unwrap_err();
    assert_eq!(
        (error.kind, error.retryable),
        (FailureKind::Overloaded, true)
    );
}

#[test]
fn a_stream_that_breaks_off_or_makes_no_sense_is_broken() {
    let peer = peer("a", Wire::Anthropic, "https://api.anthropic.com/v1");
    let cases = [
        "",
        START,
        "data: {\"type\":\n\n",
        "data: {}\n\n",
        "data: {\"type\":\"content_block_delta\",\"index\":7,\"delta\":{\"type\":\"text_delta\",\"text\":\"x\"}}\n\n",
        "data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"}}\n\n",
    ];
    for stream in cases {
        let error = play(answer(&peer), &[stream.as_bytes()]).1.unwrap_err();
        assert_eq!(
            (error.kind, error.retryable),
            (FailureKind::Broken, true),
            "{stream}"
        );
    }
}

#[test]
fn what_follows_the_end_does_not_matter() {
    let stream = format!("{START}data: {{\"type\":\"message_stop\"}}\n\ndata: junk\n\n");
    assert!(played(&stream).1.is_ok());
}
