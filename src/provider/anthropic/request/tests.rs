use expect_test::expect;
use greenroom_protocol::session::Effort;

use super::body;
use crate::provider::catalogue::find;
use crate::provider::testing::*;

const RAW: &str = r#"[{"type":"thinking","thinking":"hm","signature":"c2ln"},{"type":"text","text":"raw text"},{"type":"tool_use","id":"raw_1","name":"read","input":{"n":1.0}}]"#;

fn written(model: &str, effort: Option<Effort>, messages: Vec<super::Message>) -> String {
    let request = request(model, effort, messages);
    let body = body(&request, model, "anthropic:p", find(model)).unwrap();
    String::from_utf8(body).unwrap()
}

#[test]
fn a_first_request() {
    let written = written(
        "claude-sonnet-4-5",
        Some(Effort::Low),
        vec![user(1, vec![text("Hi")])],
    );
    let expected = expect![[
        r#"{"model":"claude-sonnet-4-5","max_tokens":36096,"stream":true,"thinking":{"type":"enabled","budget_tokens":4096},"system":[{"type":"text","text":"You are an agent.","cache_control":{"type":"ephemeral"}}],"tools":[{"name":"read","description":"The tool read.","input_schema":{"type":"object","properties":{"path":{"type":"string"}}}},{"name":"shell","description":"The tool shell.","input_schema":{ "z": 1.0, "a": {} },"cache_control":{"type":"ephemeral"}}],"messages":[{"role":"user","content":[{"type":"text","text":"Hi","cache_control":{"type":"ephemeral"}}]}]}"#
    ]];
    expected.assert_eq(&written);
}

#[test]
fn a_conversation_with_everything() {
    let messages = rich_conversation("anthropic:p", RAW);
    let written = written("claude-opus-4-6", Some(Effort::High), messages);
    // What goes back verbatim keeps its bytes.
    assert!(written.contains(&RAW[1..RAW.len() - 1]));
    expect![[r#"
        {
          "model": "claude-opus-4-6",
          "max_tokens": 64000,
          "stream": true,
          "thinking": {
            "type": "adaptive",
            "display": "summarized"
          },
          "output_config": {
            "effort": "high"
          },
          "system": [
            {
              "type": "text",
              "text": "You are an agent.",
              "cache_control": {
                "type": "ephemeral"
              }
            }
          ],
          "tools": [
            {
              "name": "read",
              "description": "The tool read.",
              "input_schema": {
                "type": "object",
                "properties": {
                  "path": {
                    "type": "string"
                  }
                }
              }
            },
            {
              "name": "shell",
              "description": "The tool shell.",
              "input_schema": {
                "z": 1.0,
                "a": {}
              },
              "cache_control": {
                "type": "ephemeral"
              }
            }
          ],
          "messages": [
            {
              "role": "user",
              "content": [
                {
                  "type": "text",
                  "text": "Look at this"
                },
                {
                  "type": "image",
                  "source": {
                    "type": "base64",
                    "media_type": "image/png",
                    "data": "iVBORw0KGgo="
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
              "content": [
                {
                  "type": "thinking",
                  "thinking": "hm",
                  "signature": "c2ln"
                },
                {
                  "type": "text",
                  "text": "raw text"
                },
                {
                  "type": "tool_use",
                  "id": "raw_1",
                  "name": "read",
                  "input": {
                    "n": 1.0
                  }
                }
              ]
            },
            {
              "role": "user",
              "content": [
                {
                  "type": "tool_result",
                  "tool_use_id": "raw_1",
                  "content": [
                    {
                      "type": "text",
                      "text": "(no output)"
                    },
                    {
                      "type": "image",
                      "source": {
                        "type": "base64",
                        "media_type": "image/png",
                        "data": "iVBORw0KGgo="
                      }
                    }
                  ],
                  "cache_control": {
                    "type": "ephemeral"
                  }
                }
              ]
            },
            {
              "role": "assistant",
              "content": [
                {
                  "type": "tool_use",
                  "id": "functions_read_0",
                  "name": "read",
                  "input": {
                    "path": 1.0
                  }
                },
                {
                  "type": "tool_use",
                  "id": "raw_1_4_0",
                  "name": "read",
                  "input": {}
                }
              ]
            },
            {
              "role": "user",
              "content": [
                {
                  "type": "tool_result",
                  "tool_use_id": "functions_read_0",
                  "content": [
                    {
                      "type": "text",
                      "text": "no such file"
                    }
                  ],
                  "is_error": true
                },
                {
                  "type": "tool_result",
                  "tool_use_id": "raw_1_4_0",
                  "content": [
                    {
                      "type": "text",
                      "text": "skipped"
                    }
                  ],
                  "is_error": true
                },
                {
                  "type": "text",
                  "text": "go on"
                },
                {
                  "type": "text",
                  "text": "still there?",
                  "cache_control": {
                    "type": "ephemeral"
                  }
                }
              ]
            }
          ]
        }"#]]
    .assert_eq(&pretty(written.as_bytes()));
}

#[test]
fn another_providers_blocks_are_written_anew() {
    let messages = vec![
        user(1, vec![text("Hi")]),
        assistant_raw(2, "said", &[], "anthropic:other", RAW),
        user(3, vec![text("More")]),
    ];
    let written = written("kimi-k3", None, messages);
    expect![[r#"{"model":"kimi-k3","max_tokens":32000,"stream":true,"system":[{"type":"text","text":"You are an agent.","cache_control":{"type":"ephemeral"}}],"tools":[{"name":"read","description":"The tool read.","input_schema":{"type":"object","properties":{"path":{"type":"string"}}}},{"name":"shell","description":"The tool shell.","input_schema":{ "z": 1.0, "a": {} },"cache_control":{"type":"ephemeral"}}],"messages":[{"role":"user","content":[{"type":"text","text":"Hi","cache_control":{"type":"ephemeral"}}]},{"role":"assistant","content":[{"type":"text","text":"said"}]},{"role":"user","content":[{"type":"text","text":"More","cache_control":{"type":"ephemeral"}}]}]}"#]].assert_eq(&written);
}

#[test]
fn a_model_without_eyes_reads_that_a_picture_is_missing() {
    let mut blind = find("claude-opus-4-6").unwrap().clone();
    blind.images = false;
    let picture = super::Part::Image(picture());
    let request = request("m", None, vec![user(1, vec![picture])]);
    let written = body(&request, "m", "anthropic:p", Some(&blind)).unwrap();
    let json: serde_json::Value = serde_json::from_slice(&written).unwrap();
    let block = &json["messages"][0]["content"][0];
    assert_eq!(
        block["text"],
        "[a picture was left out: this model takes none]"
    );
}

/// The provider's cache lives on this: what was sent before is sent again byte
/// by byte, but for the marks, which don't count.
#[test]
fn the_beginning_stays_the_same_from_step_to_step() {
    let messages = rich_conversation("anthropic:p", RAW);
    let unmarked = |count: usize| {
        let messages = messages.iter().take(count).cloned().collect();
        let whole = written("claude-opus-4-6", None, messages);
        let (_, list) = whole.split_once(r#""messages":["#).unwrap();
        let list = list.strip_suffix("]}").unwrap();
        list.replace(r#","cache_control":{"type":"ephemeral"}"#, "")
    };
    for count in 1..messages.len() {
        let (before, after) = (unmarked(count), unmarked(count + 1));
        // Consecutive messages of the user grow into one.
        let before = before.strip_suffix("]}").unwrap();
        assert!(after.starts_with(before), "{before}\n{after}");
    }
}

#[test]
fn a_schema_that_is_no_json_is_told() {
    let mut request = request("m", None, vec![user(1, vec![text("Hi")])]);
    let mut tools = request.tools.to_vec();
    tools[0].schema.0 = "{".into();
    request.tools = tools.into();
    let error = body(&request, "m", "anthropic:p", None).unwrap_err();
    assert!(
        error
            .message
            .starts_with("the schema of tool `read` is no JSON")
    );
}
