//! Conversations that go on: an answer and its results are sent back.

use greenroom_actors::ports::{ModelAnswer, ModelRequest};
use greenroom_protocol::session::{
    AssistantMessage, CallEnd, CallId, CallRequest, CallResult, Content, Document, EntryId, Image,
    ImageFormat, Message, Millis, ProviderBlocks, Source, Stop,
};
use serde_json::{Value, json};

use super::{Rig, assistant, prompt, request, result, results};
use crate::mock_model::{Answer, Reply, Service};

/// Lets the service answer, and asks again with the answer and one result for
/// each call in the conversation. Gives the answer and the second request's
/// messages.
async fn round_trip(service: Service, answer: Answer) -> (ModelAnswer, Vec<Value>) {
    let rig = Rig::new(service).await;
    rig.mock.push(Reply::answer(answer));
    let (_, answer) = rig.ask().await;
    let answer = answer.unwrap();
    let calls = &answer.message.calls;
    let given = calls
        .iter()
        .map(|call| result(call, &format!("{} ran", call.tool)));
    let conversation = vec![
        prompt(1, "hello"),
        assistant(2, answer.message.clone()),
        results(3, given.collect()),
    ];
    (answer, messages(&rig, request(conversation)).await)
}

/// The messages of a request as they came, without marks for the cache.
async fn messages(rig: &Rig, request: ModelRequest) -> Vec<Value> {
    rig.mock.push(Reply::text("ok"));
    rig.call(request).await.1.unwrap();
    let body = rig.mock.requests().last().unwrap().body.clone();
    let mut messages = body["messages"].as_array().unwrap().clone();
    for message in &mut messages {
        for block in message["content"].as_array_mut().into_iter().flatten() {
            block.as_object_mut().unwrap().shift_remove("cache_control");
        }
    }
    messages
}

#[tokio::test]
async fn anthropic_gets_its_blocks_back_as_it_wrote_them() {
    let answer = Answer::new()
        .think(&["Let me ", "see."], "EqQBCgIYAhIM+/==")
        .think_secretly("ZW5jcnlwdGVk")
        .say(&["First."])
        .call("toolu_1", "shell", &["{\"z\": 1.50, ", "\"a\":\"ü\"}"])
        .say(&["Then."])
        .call("toolu_2", "read_file", &[]);
    let (_, messages) = round_trip(Service::Anthropic, answer).await;
    assert_eq!(
        messages,
        [
            json!({"role": "user", "content": [{"type": "text", "text": "hello"}]}),
            json!({"role": "assistant", "content": [
                {"type": "thinking", "thinking": "Let me see.", "signature": "EqQBCgIYAhIM+/=="},
                {"type": "redacted_thinking", "data": "ZW5jcnlwdGVk"},
                {"type": "text", "text": "First."},
                {"type": "tool_use", "id": "toolu_1", "name": "shell",
                    "input": {"z": 1.50, "a": "ü"}},
                {"type": "text", "text": "Then."},
                {"type": "tool_use", "id": "toolu_2", "name": "read_file", "input": {}},
            ]}),
            json!({"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": "toolu_1",
                    "content": [{"type": "text", "text": "shell ran"}]},
                {"type": "tool_result", "tool_use_id": "toolu_2",
                    "content": [{"type": "text", "text": "read_file ran"}]},
            ]}),
        ]
    );
}

#[tokio::test]
async fn openai_gets_its_calls_back_with_their_results() {
    let answer = Answer::new()
        .say(&["First."])
        .call("call_1", "shell", &["{\"z\": 1.50, ", "\"a\":\"ü\"}"])
        .call("call_2", "read_file", &["{}"]);
    let (_, messages) = round_trip(Service::OpenAi, answer).await;
    let call = |id: &str, name: &str, arguments: &str| {
        json!({"id": id, "type": "function",
            "function": {"name": name, "arguments": arguments}})
    };
    assert_eq!(
        messages,
        [
            json!({"role": "user", "content": "hello"}),
            json!({"role": "assistant", "content": "First.", "tool_calls": [
                call("call_1", "shell", "{\"z\": 1.50, \"a\":\"ü\"}"),
                call("call_2", "read_file", "{}"),
            ]}),
            json!({"role": "tool", "tool_call_id": "call_1", "content": "shell ran"}),
            json!({"role": "tool", "tool_call_id": "call_2", "content": "read_file ran"}),
        ]
    );
}

/// The names of the calls, and those under which results go back, in a list of
/// messages of either wire.
fn pairs(messages: &[Value]) -> (Vec<String>, Vec<String>) {
    let (mut calls, mut results) = (Vec::new(), Vec::new());
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    for message in messages {
        for call in message["tool_calls"].as_array().into_iter().flatten() {
            calls.push(text(&call["id"]));
        }
        if message["role"] == "tool" {
            results.push(text(&message["tool_call_id"]));
        }
        for block in message["content"].as_array().into_iter().flatten() {
            match block["type"].as_str() {
                Some("tool_use") => calls.push(text(&block["id"])),
                Some("tool_result") => results.push(text(&block["tool_use_id"])),
                _ => {}
            }
        }
    }
    (calls, results)
}

#[tokio::test]
async fn calls_without_ids_of_their_own_are_paired_all_the_same() {
    for service in Service::ALL {
        let answer = Answer::new()
            .call("", "a", &["{}"])
            .call("same", "b", &["{}"])
            .call("same", "c", &["{}"]);
        let (_, messages) = round_trip(service, answer).await;
        let (calls, results) = pairs(&messages);
        assert_eq!(calls, results, "{service:?}");
        let distinct: std::collections::BTreeSet<&String> = calls.iter().collect();
        assert_eq!(distinct.len(), 3, "{service:?} {calls:?}");
    }
}

#[tokio::test]
async fn results_are_found_by_the_session_s_own_ids() {
    for service in Service::ALL {
        let rig = Rig::new(service).await;
        rig.mock
            .push(Reply::answer(Answer::new().call("p1", "a", &["{}"]).call(
                "p2",
                "b",
                &["{}"],
            )));
        let mut message = rig.ask().await.1.unwrap().message;
        for (number, call) in message.calls.iter_mut().enumerate() {
            call.id = CallId::new(format!("ours-{number}"));
        }
        let given = message
            .calls
            .iter()
            .map(|call| result(call, "done"))
            .collect();
        let conversation = vec![prompt(1, "x"), assistant(2, message), results(3, given)];
        let (calls, results) = pairs(&messages(&rig, request(conversation)).await);
        assert_eq!(
            (calls.clone(), results),
            (vec!["p1".into(), "p2".into()], calls)
        );
    }
}

#[tokio::test]
async fn an_input_that_was_no_json_does_not_break_the_conversation() {
    for service in Service::ALL {
        let answer = Answer::new().call("c1", "shell", &["{\"command\": \"ls"]);
        let (answer, messages) = round_trip(service, answer).await;
        assert_eq!(&*answer.message.calls[0].input.0, "{\"command\": \"ls");
        match service {
            Service::OpenAi => {
                let arguments = &messages[1]["tool_calls"][0]["function"]["arguments"];
                let parsed: Value = serde_json::from_str(arguments.as_str().unwrap()).unwrap();
                assert_eq!(parsed, json!({}));
            }
            Service::Anthropic => assert_eq!(messages[1]["content"][0]["input"], json!({})),
        }
    }
}

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

/// The number of marks, and whether each is where it helps: on the last block
/// of tools, system prompt or a message.
fn cache_marks(body: &Value) -> usize {
    let is_marked = |block: &Value| block.get("cache_control").is_some();
    let mut lists = vec![&body["tools"], &body["system"]];
    lists.extend(
        body["messages"]
            .as_array()
            .unwrap()
            .iter()
            .map(|message| &message["content"]),
    );
    let mut marks = 0;
    for list in lists {
        let Some(blocks) = list.as_array() else {
            continue;
        };
        let (last, earlier) = blocks.split_last().unwrap();
        assert!(
            !earlier.iter().any(is_marked),
            "only the last block of a list"
        );
        marks += usize::from(is_marked(last));
    }
    marks
}

#[tokio::test]
async fn the_end_of_what_is_sent_is_marked_for_the_cache() {
    let rig = Rig::new(Service::Anthropic).await;
    let mut conversation = Vec::new();
    for turn in 0..5 {
        conversation.push(prompt(2 * turn + 1, "go on"));
        let mut request = request(conversation.clone());
        request.system = "You are careful.".into();
        rig.mock.push(Reply::text("well"));
        let answer = rig.call(request).await.1.unwrap();
        conversation.push(assistant(2 * turn + 2, answer.message));
    }
    for request in rig.mock.requests() {
        let body = request.body;
        let last = body["messages"].as_array().unwrap().last().unwrap();
        let block = last["content"].as_array().unwrap().last().unwrap();
        assert_eq!(
            block["cache_control"],
            json!({"type": "ephemeral"}),
            "{body}"
        );
        let marks = cache_marks(&body);
        assert!((2..=4).contains(&marks), "the service takes four: {marks}");
    }
    // What was sent before is sent the same again, or the cache is of no use.
    let texts: Vec<Vec<Value>> = rig
        .mock
        .requests()
        .iter()
        .map(|request| without_marks(request.body["messages"].as_array().unwrap()))
        .collect();
    for pair in texts.windows(2) {
        assert!(pair[1].starts_with(&pair[0]), "{pair:?}");
    }
}

fn without_marks(messages: &[Value]) -> Vec<Value> {
    let mut messages = messages.to_vec();
    for message in &mut messages {
        for block in message["content"].as_array_mut().unwrap() {
            block.as_object_mut().unwrap().shift_remove("cache_control");
        }
    }
    messages
}
