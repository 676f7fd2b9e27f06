//! What lets the provider's cache find a conversation again.

use serde_json::{Value, json};

use super::{Rig, assistant, prompt, request};
use crate::mock_model::{Reply, Service};

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
