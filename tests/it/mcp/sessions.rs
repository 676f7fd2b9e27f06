//! Servers beside whole sessions: their tools are offered, judged, run and gone.

use serde_json::json;

use super::stage::Stage as Server;
use crate::support::{Stage, processes, repository};

const SCRIPT: &str = r#"
turns:
  - when: {is: "call"}
    steps:
      - call: [{tool: mcp__s__echo, input: {text: "hello"}}]
      - say: "It said {{last_result}}"
  - when: {is: "child"}
    steps:
      - call: [{tool: task, input: {description: "Call it", prompt: "call"}}]
      - say: "{{last_result}}"
"#;

fn stage(server: &Server) -> Stage {
    let script = repository().join("tests/servers/mcp_server.py");
    let (script, word) = (script.display(), &server.word);
    Stage::playing(SCRIPT).config(&format!(
        "mcp:\n  s: {{command: python3, args: [\"{script}\", --word, {word}]}}\n"
    ))
}

#[test]
fn a_tool_is_asked_about_and_called_and_its_server_goes_with_the_session() {
    let server = Server::new();
    let stage = stage(&server);
    let mut host = stage.start();
    host.ask(json!({"id": 1, "type": "prompt", "text": "call"}));
    let asked = host.wait_type("approval_needed");
    assert_eq!(asked["category"], "mcp");
    assert_eq!(asked["summary"], "s/echo {\"text\":\"hello\"}");
    host.ask(
        json!({"id": 2, "type": "approve", "call_id": "c1", "allow": true, "for_session": true}),
    );
    let result = host.wait_type("tool_result");
    assert_eq!(result["text"], "hello");
    host.wait_type("turn_end");
    // A sub-agent has the same server, and no other process of it.
    host.ask(json!({"id": 3, "type": "prompt", "text": "child"}));
    host.wait_type("approval_needed");
    host.ask(json!({"id": 4, "type": "approve", "call_id": "c2", "allow": true}));
    host.wait_type("approval_needed");
    let of_word = || processes::with_word(&server.word);
    let running = of_word();
    host.ask(json!({"id": 5, "type": "approve", "call_id": "c2.1", "allow": true}));
    let result = host.wait("the result of the child", |line| {
        line["call_id"] == "c2.1" && line["type"] == "tool_result"
    });
    assert_eq!(result["text"], "hello");
    host.wait_type("turn_end");
    assert_eq!(of_word(), running);
    host.finish();
    processes::wait_until("the server is gone", || of_word().is_empty());
}

#[test]
fn a_kill_of_the_host_leaves_no_server() {
    let server = Server::new();
    let stage = stage(&server);
    let mut host = stage.start();
    host.ask(json!({"id": 1, "type": "prompt", "text": "call"}));
    host.wait_type("approval_needed");
    let of_word = || processes::with_word(&server.word);
    assert!(!of_word().is_empty());
    host.kill();
    processes::wait_until("the server is gone", || of_word().is_empty());
}

#[test]
fn a_server_that_cannot_be_started_is_told_and_harms_nobody() {
    let stage = Stage::playing("otherwise: [{say: \"Yes.\"}]")
        .config("mcp:\n  gone: {command: no-such-program-here}\n");
    let mut host = stage.start();
    let notice = host.wait_type("notice");
    let said = notice["text"].as_str().unwrap();
    assert!(said.starts_with("MCP server gone: "), "{said}");
    host.ask(json!({"id": 1, "type": "prompt", "text": "a"}));
    assert_eq!(host.wait_type("turn_end")["status"], "ok");
    host.finish();
}
