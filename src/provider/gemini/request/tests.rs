use expect_test::expect;
use greenroom_protocol::session::{CallEnd, Effort};

use super::body;
use crate::provider::catalogue::find;
use crate::provider::testing::*;

const RAW: &str = r#"[{"text":"hm","thought":true},{"text":"raw text"},{"functionCall":{"id":"g1","name":"read","args":{"n":1.0}},"thoughtSignature":"c2ln"}]"#;

fn written(model: &str, effort: Option<Effort>, messages: Vec<super::Message>) -> String {
    let request = request(model, effort, messages);
    let body = body(&request, model, "gemini:p", find(model)).unwrap();
    String::from_utf8(body).unwrap()
}

#[test]
fn a_first_request() {
    let messages = vec![user(1, vec![text("Hi")])];
    expect![[r#"{"systemInstruction":{"parts":[{"text":"You are an agent."}]},"tools":[{"functionDeclarations":[{"name":"read","description":"The tool read.","parameters":{"type":"object","properties":{"path":{"type":"string"}}}},{"name":"shell","description":"The tool shell."}]}],"generationConfig":{"thinkingConfig":{"includeThoughts":true,"thinkingBudget":4096}},"contents":[{"role":"user","parts":[{"text":"Hi"}]}]}"#]].assert_eq(&written("gemini-2.5-pro", Some(Effort::Low), messages));
}

#[test]
fn a_conversation_with_everything() {
    let messages = rich_conversation("gemini:p", RAW);
    let written = written("gemini-3-pro-preview", None, messages);
    // What goes back verbatim keeps its bytes.
    assert!(written.contains(&RAW[1..RAW.len() - 1]));
    let (_, contents) = written.split_once(r#""contents":"#).unwrap();
    expect![[r#"
        [
          {
            "role": "user",
            "parts": [
              {
                "text": "Look at this"
              },
              {
                "inlineData": {
                  "mimeType": "image/png",
                  "data": "iVBORw0KGgo="
                }
              },
              {
                "text": "[file: src/a.rs, lines 1-3]"
              },
              {
                "text": "[buffer]\n```\nfn a() {}\n```"
              }
            ]
          },
          {
            "role": "model",
            "parts": [
              {
                "text": "hm",
                "thought": true
              },
              {
                "text": "raw text"
              },
              {
                "functionCall": {
                  "id": "g1",
                  "name": "read",
                  "args": {
                    "n": 1.0
                  }
                },
                "thoughtSignature": "c2ln"
              }
            ]
          },
          {
            "role": "user",
            "parts": [
              {
                "functionResponse": {
                  "id": "g1",
                  "name": "read",
                  "response": {
                    "output": "(no output)"
                  }
                }
              }
            ]
          },
          {
            "role": "user",
            "parts": [
              {
                "text": "[pictures that read gave]"
              },
              {
                "inlineData": {
                  "mimeType": "image/png",
                  "data": "iVBORw0KGgo="
                }
              }
            ]
          },
          {
            "role": "model",
            "parts": [
              {
                "functionCall": {
                  "name": "read",
                  "args": {
                    "path": 1.0
                  }
                },
                "thoughtSignature": "skip_thought_signature_validator"
              },
              {
                "functionCall": {
                  "name": "read",
                  "args": {}
                }
              }
            ]
          },
          {
            "role": "user",
            "parts": [
              {
                "functionResponse": {
                  "name": "read",
                  "response": {
                    "error": "no such file"
                  }
                }
              },
              {
                "functionResponse": {
                  "name": "read",
                  "response": {
                    "error": "skipped"
                  }
                }
              }
            ]
          },
          {
            "role": "user",
            "parts": [
              {
                "text": "go on"
              },
              {
                "text": "still there?"
              }
            ]
          }
        ]"#]]
    .assert_eq(&pretty(contents.strip_suffix('}').unwrap().as_bytes()));
}

#[test]
fn another_providers_answer_is_written_anew() {
    let other = assistant_raw(2, "said", &[("c1", "g:1", "{}")], "gemini:other", RAW);
    let messages = || {
        vec![
            user(1, vec![text("Hi")]),
            other.clone(),
            results(3, vec![result("c1", CallEnd::Done, "out", vec![])]),
        ]
    };
    for (model, is_signed) in [("gemini-2.5-pro", false), ("gemini-3-flash-preview", true)] {
        let written = written(model, None, messages());
        assert_eq!(written.contains(super::NO_SIGNATURE), is_signed, "{model}");
        assert!(
            written.contains(r#"{"functionResponse":{"name":"read","response":{"output":"out"}}}"#),
            "{written}"
        );
    }
}

#[test]
fn the_longest_answer_leaves_room_for_thinking() {
    let mut request = request("gemini-2.5-pro", Some(Effort::Low), Vec::new());
    request.answer_tokens = Some(1_000);
    let body = body(
        &request,
        "gemini-2.5-pro",
        "gemini:p",
        find("gemini-2.5-pro"),
    )
    .unwrap();
    let body = String::from_utf8(body).unwrap();
    assert!(body.contains(r#""maxOutputTokens":5096"#), "{body}");
}

/// The provider's cache lives on this.
#[test]
fn the_beginning_stays_the_same_from_step_to_step() {
    let messages = rich_conversation("gemini:p", RAW);
    let mut before = String::new();
    for count in 1..=messages.len() {
        let messages = messages.iter().take(count).cloned().collect();
        let whole = written("gemini-2.5-pro", None, messages);
        let whole = whole.strip_suffix("]}]}").unwrap().to_owned();
        assert!(whole.starts_with(&before), "{before}\n{whole}");
        before = whole;
    }
}
