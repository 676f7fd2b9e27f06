use expect_test::expect;
use greenroom_protocol::session::Effort;

use super::{Target, body};
use crate::provider::catalogue::find;
use crate::provider::testing::*;

const RAW: &str = r#"{"role":"assistant","content":"raw text","tool_calls":[{"id":"raw_1","type":"function","function":{"name":"read","arguments":"{\"n\":1.0}"}}]}"#;

fn written(
    model: &str,
    effort: Option<Effort>,
    is_openai: bool,
    messages: Vec<super::Message>,
) -> String {
    let target = Target {
        model,
        mark: "openai-chat:p",
        facts: find(model),
        is_openai,
    };
    let body = body(&request(model, effort, messages), target).unwrap();
    String::from_utf8(body).unwrap()
}

#[test]
fn a_first_request() {
    let messages = || vec![user(1, vec![text("Hi")])];
    expect![[r#"{"model":"gpt-5.2","stream":true,"stream_options":{"include_usage":true},"reasoning_effort":"xhigh","prompt_cache_key":"20260101-000000-abcdef","tools":[{"type":"function","function":{"name":"read","description":"The tool read.","parameters":{"type":"object","properties":{"path":{"type":"string"}}}}},{"type":"function","function":{"name":"shell","description":"The tool shell.","parameters":{ "z": 1.0, "a": {} }}}],"messages":[{"role":"system","content":"You are an agent."},{"role":"user","content":"Hi"}]}"#]].assert_eq(&written("gpt-5.2", Some(Effort::Max), true, messages()));
    expect![[r#"{"model":"qwen3","stream":true,"stream_options":{"include_usage":true},"tools":[{"type":"function","function":{"name":"read","description":"The tool read.","parameters":{"type":"object","properties":{"path":{"type":"string"}}}}},{"type":"function","function":{"name":"shell","description":"The tool shell.","parameters":{ "z": 1.0, "a": {} }}}],"messages":[{"role":"system","content":"You are an agent."},{"role":"user","content":"Hi"}]}"#]].assert_eq(&written("qwen3", None, false, messages()));
}

#[test]
fn a_conversation_with_everything() {
    let messages = rich_conversation("openai-chat:p", RAW);
    let written = written("qwen3", Some(Effort::Off), false, messages);
    assert!(written.contains(RAW));
    expect![[r#"
        {
          "model": "qwen3",
          "stream": true,
          "stream_options": {
            "include_usage": true
          },
          "reasoning_effort": "none",
          "tools": [
            {
              "type": "function",
              "function": {
                "name": "read",
                "description": "The tool read.",
                "parameters": {
                  "type": "object",
                  "properties": {
                    "path": {
                      "type": "string"
                    }
                  }
                }
              }
            },
            {
              "type": "function",
              "function": {
                "name": "shell",
                "description": "The tool shell.",
                "parameters": {
                  "z": 1.0,
                  "a": {}
                }
              }
            }
          ],
          "messages": [
            {
              "role": "system",
              "content": "You are an agent."
            },
            {
              "role": "user",
              "content": [
                {
                  "type": "text",
                  "text": "Look at this"
                },
                {
                  "type": "image_url",
                  "image_url": {
                    "url": "data:image/png;base64,iVBORw0KGgo="
                  }
                },
                {
                  "type": "text",
                  "text": "[file: src/a.rs, lines 1-3]"
                },
                {
                  "type": "text",
                  "text": "[buffer]\n```\nfn a() {}\n```"
                }
              ]
            },
            {
              "role": "assistant",
              "content": "raw text",
              "tool_calls": [
                {
                  "id": "raw_1",
                  "type": "function",
                  "function": {
                    "name": "read",
                    "arguments": "{\"n\":1.0}"
                  }
                }
              ]
            },
            {
              "role": "tool",
              "tool_call_id": "raw_1",
              "content": "(no output)"
            },
            {
              "role": "user",
              "content": [
                {
                  "type": "text",
                  "text": "[pictures that read gave]"
                },
                {
                  "type": "image_url",
                  "image_url": {
                    "url": "data:image/png;base64,iVBORw0KGgo="
                  }
                }
              ]
            },
            {
              "role": "assistant",
              "content": null,
              "tool_calls": [
                {
                  "id": "functions_read_0",
                  "type": "function",
                  "function": {
                    "name": "read",
                    "arguments": "{\"path\": 1.0}"
                  }
                },
                {
                  "id": "raw_1_4_0",
                  "type": "function",
                  "function": {
                    "name": "read",
                    "arguments": "{}"
                  }
                }
              ]
            },
            {
              "role": "tool",
              "tool_call_id": "functions_read_0",
              "content": "no such file"
            },
            {
              "role": "tool",
              "tool_call_id": "raw_1_4_0",
              "content": "skipped"
            },
            {
              "role": "user",
              "content": "go on\n\nstill there?"
            }
          ]
        }"#]]
    .assert_eq(&pretty(written.as_bytes()));
}

#[test]
fn another_providers_message_is_written_anew() {
    let messages = vec![
        user(1, vec![text("Hi")]),
        assistant_raw(2, "said", &[], "openai-chat:other", RAW),
        assistant_raw(
            3,
            "and",
            &[],
            "openai-chat",
            r#"{"role":"assistant","content":"bare"}"#,
        ),
        user(4, vec![text("More")]),
    ];
    let written = written("m", None, false, messages);
    let (_, list) = written.split_once(r#""messages":"#).unwrap();
    expect![[r#"[{"role":"system","content":"You are an agent."},{"role":"user","content":"Hi"},{"role":"assistant","content":"said"},{"role":"assistant","content":"bare"},{"role":"user","content":"More"}]}"#]].assert_eq(list);
}

#[test]
fn pieces_without_a_picture_are_one_text() {
    let written = written("m", None, false, vec![user(1, vec![text("a"), text("b")])]);
    let expected = r#"{"role":"user","content":"a\n\nb"}"#;
    assert!(written.contains(expected), "{written}");
}

#[test]
fn a_model_without_eyes_reads_that_a_picture_is_missing() {
    let picture = super::Part::Image(picture());
    let written = written("o3-mini", None, false, vec![user(1, vec![picture])]);
    let expected = r#"{"role":"user","content":"[a picture was left out: this model takes none]"}"#;
    assert!(written.contains(expected), "{written}");
}

/// Servers' caches live on this.
#[test]
fn the_beginning_stays_the_same_from_step_to_step() {
    let messages = rich_conversation("openai-chat:p", RAW);
    let mut before = String::new();
    for count in 1..=messages.len() {
        let messages = messages.iter().take(count).cloned().collect();
        let whole = written("m", None, false, messages);
        let whole = whole.strip_suffix("]}").unwrap().to_owned();
        // A user's words that nobody answered grow at their end.
        let before_end = before.strip_suffix("\"}").unwrap_or(&before);
        assert!(whole.starts_with(before_end), "{before}\n{whole}");
        before = whole;
    }
}
