//! Conversations that go on: an answer and its results are sent back.

use greenroom_actors::ports::{ModelAnswer, ModelRequest};
use greenroom_protocol::session::CallId;
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
pub(super) async fn messages(rig: &Rig, request: ModelRequest) -> Vec<Value> {
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
pub(super) fn pairs(messages: &[Value]) -> (Vec<String>, Vec<String>) {
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
