//! Conversations as a session keeps them: other providers' answers, failures,
//! steers, answers that were cut.

use greenroom_protocol::session::{
    AssistantMessage, CallEnd, CallId, CallRequest, CallResult, Content, Document, EntryId, Image,
    ImageFormat, Message, Millis, ProviderBlocks, Source, Stop,
};
use serde_json::{Value, json};

use super::round_trips::{messages, pairs};
use super::{Rig, assistant, prompt, request, result, results};
use crate::mock_model::Service;

/// A message as another wire, or an older version, would have left it.
fn foreign() -> (AssistantMessage, Vec<CallResult>) {
    let call = |id: &str, provider: &str, tool: &str, input: &str| CallRequest {
        id: CallId::new(id),
        provider_id: provider.into(),
        tool: tool.into(),
        input: Document(input.into()),
    };
    let calls = vec![
        call("k1", "functions.shell:0", "shell", "{\"command\":\"ls\"}"),
        call("k2", "functions.shell:0", "no such tool!", "nonsense"),
    ];
    let given = calls.iter().map(|call| result(call, "")).collect();
    let message = AssistantMessage {
        text: "On it.".into(),
        thinking: "Secret thoughts.".into(),
        calls,
        raw: Some(ProviderBlocks {
            wire: "another-wire".into(),
            json: Document("{\"never\":\"sent\"}".into()),
        }),
        stop: Stop::Calls,
    };
    (message, given)
}

#[tokio::test]
async fn another_wire_s_answers_go_as_plain_text_and_calls() {
    for service in Service::ALL {
        let rig = Rig::new(service).await;
        let (message, given) = foreign();
        let conversation = vec![prompt(1, "x"), assistant(2, message), results(3, given)];
        let messages = messages(&rig, request(conversation)).await;
        let sent = serde_json::to_string(&messages).unwrap();
        assert!(
            !sent.contains("never") && !sent.contains("Secret thoughts"),
            "{sent}"
        );
        assert!(sent.contains("On it."), "{sent}");
        let (calls, results) = pairs(&messages);
        assert_eq!(calls, results, "{service:?}");
        assert_ne!(calls[0], calls[1], "{service:?}");
        let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
        for name in calls {
            assert!(
                !name.is_empty() && name.chars().all(is_plain),
                "{service:?} {name}"
            );
        }
        let names: Vec<&Value> = match service {
            Service::OpenAi => {
                let calls = messages[1]["tool_calls"].as_array().unwrap().iter();
                calls.map(|call| &call["function"]["name"]).collect()
            }
            Service::Anthropic => {
                let blocks = messages[1]["content"].as_array().unwrap().iter();
                blocks
                    .map(|block| &block["name"])
                    .filter(|name| !name.is_null())
                    .collect()
            }
        };
        assert_eq!(names[0], "shell");
        assert!(
            names[1].as_str().unwrap().chars().all(is_plain),
            "{names:?}"
        );
        // Servers refuse a result without a word.
        assert!(
            !sent.contains("\"content\":\"\"") && !sent.contains("\"text\":\"\""),
            "{sent}"
        );
    }
}

#[tokio::test]
async fn failures_and_pictures_of_tools_are_told() {
    let call = CallRequest {
        id: CallId::new("c1"),
        provider_id: "c1".into(),
        tool: "view".into(),
        input: Document::default(),
    };
    let message = AssistantMessage {
        calls: vec![call.clone()],
        stop: Stop::Calls,
        ..AssistantMessage::default()
    };
    let given = CallResult {
        end: CallEnd::Refused,
        images: vec![Image {
            format: ImageFormat::Gif,
            bytes: b"GIF89a"[..].into(),
        }],
        ..result(&call, "not allowed")
    };
    let conversation = || {
        vec![
            prompt(1, "x"),
            assistant(2, message.clone()),
            results(3, vec![given.clone()]),
        ]
    };

    let rig = Rig::new(Service::Anthropic).await;
    let sent = messages(&rig, request(conversation())).await;
    assert_eq!(
        sent[2],
        json!({"role": "user", "content": [{
            "type": "tool_result", "tool_use_id": "c1", "is_error": true,
            "content": [
                {"type": "text", "text": "not allowed"},
                {"type": "image", "source": {
                    "type": "base64", "media_type": "image/gif", "data": "R0lGODlh",
                }},
            ],
        }]})
    );

    let rig = Rig::new(Service::OpenAi).await;
    let sent = messages(&rig, request(conversation())).await;
    assert_eq!(
        sent[2],
        json!({"role": "tool", "tool_call_id": "c1", "content": "not allowed"})
    );
    // A tool message holds only text there: the picture follows as a user's.
    assert_eq!(sent[3]["role"], "user");
    let pieces = sent[3]["content"].as_array().unwrap();
    let url = json!({"url": "data:image/gif;base64,R0lGODlh"});
    assert_eq!(
        pieces.last().unwrap(),
        &json!({"type": "image_url", "image_url": url})
    );
}

#[tokio::test]
async fn a_message_of_the_user_after_results_comes_after_them() {
    let call = CallRequest {
        id: CallId::new("c1"),
        provider_id: "c1".into(),
        tool: "view".into(),
        input: Document::default(),
    };
    let message = AssistantMessage {
        calls: vec![call.clone()],
        stop: Stop::Calls,
        ..AssistantMessage::default()
    };
    let steer = Message::User {
        entry: EntryId(4),
        at: Millis(0),
        content: Content::text("rather not"),
        source: Source::Steer,
    };
    for service in Service::ALL {
        let rig = Rig::new(service).await;
        let conversation = vec![
            prompt(1, "x"),
            assistant(2, message.clone()),
            results(3, vec![result(&call, "seen")]),
            steer.clone(),
        ];
        let sent = messages(&rig, request(conversation)).await;
        match service {
            Service::OpenAi => {
                let roles: Vec<&Value> = sent.iter().map(|message| &message["role"]).collect();
                assert_eq!(roles, ["user", "assistant", "tool", "user"]);
                assert_eq!(sent[3]["content"], "rather not");
            }
            // Roles take turns there, and results must come first.
            Service::Anthropic => {
                let roles: Vec<&Value> = sent.iter().map(|message| &message["role"]).collect();
                assert_eq!(roles, ["user", "assistant", "user"]);
                assert_eq!(sent[2]["content"][0]["type"], "tool_result");
                assert_eq!(
                    sent[2]["content"][1],
                    json!({"type": "text", "text": "rather not"})
                );
            }
        }
    }
}

#[tokio::test]
async fn answers_that_were_cut_go_as_far_as_they_came() {
    for service in Service::ALL {
        let rig = Rig::new(service).await;
        let cut = |text: &str, thinking: &str, stop| AssistantMessage {
            text: text.into(),
            thinking: thinking.into(),
            stop,
            ..AssistantMessage::default()
        };
        let conversation = vec![
            prompt(1, "one"),
            assistant(2, cut("As far as ", "", Stop::Aborted)),
            prompt(3, "two"),
            // Thinking alone cannot go back without its signature.
            assistant(4, cut("", "Hm.", Stop::Failed)),
            prompt(5, "three"),
        ];
        let sent = messages(&rig, request(conversation)).await;
        let text = serde_json::to_string(&sent).unwrap();
        assert!(text.contains("As far as"), "{text}");
        assert!(!text.contains("Hm."), "{text}");
        let mut last = Value::Null;
        for message in &sent {
            let is_empty = message["content"] == "" || message["content"] == json!([]);
            assert!(
                !is_empty && !message["content"].is_null(),
                "{service:?} {text}"
            );
            if service == Service::Anthropic {
                assert_ne!(message["role"], last, "{text}");
                last = message["role"].clone();
            }
        }
    }
}
