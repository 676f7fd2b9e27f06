//! A server that knows no handshake, as from 2026-07-28 on.

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use super::asking::{answer, answering};
use super::stage::{PATIENCE, Stage, call_with, hub, said};

#[tokio::test]
async fn a_server_without_a_handshake_is_discovered() {
    let stage = Stage::new();
    let servers = stage
        .ready(&hub(), &stage.server(&["--start", "modern"]))
        .await;
    let echoed = said(&servers, "echo", r#"{"text": "hä?"}"#).await;
    assert_eq!(echoed, ("hä?".into(), false));
    // The process that was asked for a handshake is gone.
    let alone = async {
        while stage.servers_running() != 1 {
            tokio::time::sleep(std::time::Duration::from_millis(10)).await;
        }
    };
    tokio::time::timeout(PATIENCE, alone).await.unwrap();
}

#[tokio::test]
async fn its_changed_lists_are_listened_to() {
    let stage = Stage::new();
    let servers = stage
        .ready(&hub(), &stage.server(&["--start", "modern"]))
        .await;
    let mut changed = servers.changed();
    changed.mark_unchanged();
    // It tells only who listens: until we do, each change goes unheard.
    let grown = async {
        while !changed.has_changed().unwrap() {
            said(&servers, "grow", "{}").await;
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(PATIENCE, grown).await.unwrap();
    assert!(servers.find("mcp__s__grown0").is_some());
}

#[tokio::test]
async fn a_call_that_needs_more_gets_it_in_rounds() {
    let stage = Stage::new();
    let servers = stage
        .ready(&hub(), &stage.server(&["--start", "modern"]))
        .await;
    let asked = Arc::new(Mutex::new(Vec::new()));
    let answers = ["Ada", "36", "Red", "no"].map(answer).to_vec();
    let ran = call_with(&servers, "rounds", "{}", answering(&asked, Some(answers))).await;
    let content = json!({"name": "Ada", "age": 36, "colour": "r", "sure": false});
    let root = format!("file://{}", stage.root().display());
    let expected = json!({
        "state": "opaque",
        "answers": {
            "who": {"action": "accept", "content": content},
            "where": {"roots": [{"uri": root}]},
        },
    });
    assert_eq!(serde_json::from_str::<Value>(&ran.text).unwrap(), expected);
    assert_eq!(asked.lock().unwrap().len(), 4);
    let (text, _) = said(&servers, "rounds", "{}").await;
    let told: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(told["answers"]["who"], json!({"action": "cancel"}));
    let cases = [
        (
            "sampling_rounds",
            "the call of the MCP server s failed: it wants a model, and Greenroom lends its own to \
             no server",
        ),
        (
            "endless_rounds",
            "the MCP server asked for more in 10 rounds, and was given up",
        ),
    ];
    for (tool, expected) in cases {
        assert_eq!(
            said(&servers, tool, "{}").await,
            (expected.to_owned(), true)
        );
    }
    let (text, failed) = said(&servers, "later", "{}").await;
    assert_eq!(
        (text.as_str(), failed),
        (r#"{"state": "later", "answers": null}"#, false)
    );
}
