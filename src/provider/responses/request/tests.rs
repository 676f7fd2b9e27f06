use expect_test::expect;
use greenroom_protocol::session::{CallEnd, Effort};

use super::{Target, body};
use crate::provider::catalogue::find;
use crate::provider::testing::*;

const RAW: &str = r#"[{"id":"rs_1","type":"reasoning","summary":[],"encrypted_content":"gAAA"},{"type":"message","role":"assistant","content":[{"type":"output_text","text":"raw text"}]},{"type":"function_call","call_id":"raw_1","name":"read","arguments":"{\"n\":1.0}"}]"#;

fn written(
    model: &str,
    effort: Option<Effort>,
    is_openai: bool,
    messages: Vec<super::Message>,
) -> String {
    let target = Target {
        model,
        mark: "openai-responses:p",
        facts: find(model),
        is_openai,
    };
    let body = body(&request(model, effort, messages), target).unwrap();
    String::from_utf8(body).unwrap()
}

#[test]
fn a_first_request() {
    let messages = || vec![user(1, vec![text("Hi")])];
    expect![[r#"{"model":"gpt-5.6","stream":true,"store":false,"include":["reasoning.encrypted_content"],"reasoning":{"effort":"xhigh","summary":"auto"},"prompt_cache_key":"20260101-000000-abcdef","instructions":"You are an agent.","tools":[{"type":"function","name":"read","description":"The tool read.","parameters":{"type":"object","properties":{"path":{"type":"string"}}},"strict":false},{"type":"function","name":"shell","description":"The tool shell.","parameters":{ "z": 1.0, "a": {} },"strict":false}],"input":[{"type":"message","role":"user","content":[{"type":"input_text","text":"Hi"}]}]}"#]].assert_eq(&written("gpt-5.6", Some(Effort::Max), true, messages()));
    expect![[r#"{"model":"qwen3","stream":true,"store":false,"include":["reasoning.encrypted_content"],"instructions":"You are an agent.","tools":[{"type":"function","name":"read","description":"The tool read.","parameters":{"type":"object","properties":{"path":{"type":"string"}}},"strict":false},{"type":"function","name":"shell","description":"The tool shell.","parameters":{ "z": 1.0, "a": {} },"strict":false}],"input":[{"type":"message","role":"user","content":[{"type":"input_text","text":"Hi"}]}]}"#]].assert_eq(&written("qwen3", None, false, messages()));
}

#[test]
fn how_models_are_asked_to_think() {
    let asked = |model: &str, effort| {
        let body = written(model, effort, false, Vec::new());
        let json: serde_json::Value = serde_json::from_str(&body).unwrap();
        format!("{} {}", json["include"], json["reasoning"])
    };
    let shown: String = [
        ("gpt-5.6", None),
        ("gpt-5.6", Some(Effort::Off)),
        ("gpt-5", Some(Effort::Off)),
        ("gpt-4.1", Some(Effort::High)),
        ("unknown", None),
        ("unknown", Some(Effort::Off)),
        ("unknown", Some(Effort::Max)),
    ]
    .map(|(model, effort)| format!("{model} {effort:?}: {}\n", asked(model, effort)))
    .concat();
    expect![[r#"
        gpt-5.6 None: ["reasoning.encrypted_content"] {"summary":"auto"}
        gpt-5.6 Some(Off): ["reasoning.encrypted_content"] {"effort":"none"}
        gpt-5 Some(Off): ["reasoning.encrypted_content"] {"effort":"minimal","summary":"auto"}
        gpt-4.1 Some(High): null null
        unknown None: ["reasoning.encrypted_content"] null
        unknown Some(Off): ["reasoning.encrypted_content"] {"effort":"none"}
        unknown Some(Max): ["reasoning.encrypted_content"] {"effort":"high","summary":"auto"}
    "#]]
    .assert_eq(&shown);
}

#[test]
fn a_conversation_with_everything() {
    let messages = rich_conversation("openai-responses:p", RAW);
    let written = written("qwen3", Some(Effort::Low), false, messages);
    // What goes back verbatim keeps its bytes.
    assert!(written.contains(&RAW[1..RAW.len() - 1]));
    let (_, input) = written.split_once(r#""input":"#).unwrap();
    expect![[r#"
        [
          {
            "type": "message",
            "role": "user",
            "content": [
              {
                "type": "input_text",
                "text": "Look at this"
              },
              {
                "type": "input_image",
                "image_url": "data:image/png;base64,iVBORw0KGgo="
              },
              {
                "type": "input_text",
                "text": "[file: src/a.rs, lines 1-3]"
              },
              {
                "type": "input_text",
                "text": "[buffer]\n```\nfn a() {}\n```"
              }
            ]
          },
          {
            "id": "rs_1",
            "type": "reasoning",
            "summary": [],
            "encrypted_content": "gAAA"
          },
          {
            "type": "message",
            "role": "assistant",
            "content": [
              {
                "type": "output_text",
                "text": "raw text"
              }
            ]
          },
          {
            "type": "function_call",
            "call_id": "raw_1",
            "name": "read",
            "arguments": "{\"n\":1.0}"
          },
          {
            "type": "function_call_output",
            "call_id": "raw_1",
            "output": [
              {
                "type": "input_text",
                "text": "(no output)"
              },
              {
                "type": "input_image",
                "image_url": "data:image/png;base64,iVBORw0KGgo="
              }
            ]
          },
          {
            "type": "function_call",
            "call_id": "functions_read_0",
            "name": "read",
            "arguments": "{\"path\": 1.0}"
          },
          {
            "type": "function_call",
            "call_id": "raw_1_4_0",
            "name": "read",
            "arguments": "{}"
          },
          {
            "type": "function_call_output",
            "call_id": "functions_read_0",
            "output": "no such file"
          },
          {
            "type": "function_call_output",
            "call_id": "raw_1_4_0",
            "output": "skipped"
          },
          {
            "type": "message",
            "role": "user",
            "content": [
              {
                "type": "input_text",
                "text": "go on"
              }
            ]
          },
          {
            "type": "message",
            "role": "user",
            "content": [
              {
                "type": "input_text",
                "text": "still there?"
              }
            ]
          }
        ]"#]]
    .assert_eq(&pretty(input.strip_suffix('}').unwrap().as_bytes()));
}

#[test]
fn another_wires_answer_is_written_anew() {
    let other = assistant_raw(2, "said", &[("c1", "fc:1", "{}")], "openai-chat:p", "{}");
    let messages = vec![
        user(1, vec![text("Hi")]),
        other,
        results(3, vec![result("c1", CallEnd::Done, "out", vec![])]),
    ];
    let written = written("m", None, false, messages);
    let (_, input) = written.split_once(r#""input":"#).unwrap();
    expect![[r#"[{"type":"message","role":"user","content":[{"type":"input_text","text":"Hi"}]},{"type":"message","role":"assistant","content":"said"},{"type":"function_call","call_id":"fc_1","name":"read","arguments":"{}"},{"type":"function_call_output","call_id":"fc_1","output":"out"}]}"#]].assert_eq(input);
}

#[test]
fn the_longest_answer_is_long_enough_to_be_taken() {
    let mut request = request("m", None, Vec::new());
    request.answer_tokens = Some(1);
    let target = Target {
        model: "m",
        mark: "openai-responses:p",
        facts: None,
        is_openai: false,
    };
    let body = String::from_utf8(body(&request, target).unwrap()).unwrap();
    assert!(body.contains(r#""max_output_tokens":16"#), "{body}");
}

/// Servers' caches live on this.
#[test]
fn the_beginning_stays_the_same_from_step_to_step() {
    let messages = rich_conversation("openai-responses:p", RAW);
    let mut before = String::new();
    for count in 1..=messages.len() {
        let messages = messages.iter().take(count).cloned().collect();
        let whole = written("m", None, false, messages);
        let whole = whole.strip_suffix("]}").unwrap().to_owned();
        assert!(whole.starts_with(&before), "{before}\n{whole}");
        before = whole;
    }
}
