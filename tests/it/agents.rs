//! Sub-agents over the real binary: three deep with approvals at each level,
//! aborted at any moment, killed at any moment.

use serde_json::json;

use crate::crashes::journal::Journal;
use crate::support::{Host, Stage, processes};

/// Each level runs a command, starts the next level, and runs another; beside
/// the first there is one in the background.
const SCRIPT: &str = r#"
turns:
  - when: {is: "go"}
    steps:
      - call:
          - {tool: task, input: {description: "Behind", prompt: "behind", background: true}}
          - {tool: task, input: {description: "One", prompt: "one"}}
          - {tool: task, input: {description: "Also one", prompt: "one"}}
      - say: "All is done."
  - when: {is: "one"}
    steps:
      - call: [{tool: shell, input: {command: "echo one"}}]
      - call: [{tool: task, input: {description: "Two", prompt: "two"}}]
      - say: "One is done."
  - when: {is: "two"}
    steps:
      - call: [{tool: task, input: {description: "Three", prompt: "three"}}]
      - call: [{tool: shell, input: {command: "sleep 0.02"}}]
      - say: "Two is done."
  - when: {is: "three"}
    steps:
      - call: [{tool: shell, input: {command: "echo three"}}]
      - say: "Three is done."
  - when: {is: "behind"}
    steps:
      - call: [{tool: shell, input: {command: "sleep 0.05"}}]
      - say: "Behind is done."
otherwise:
  - say: "Yes."
"#;

/// Rounds of aborts; the variable GREENROOM_AGENT_ROUNDS changes it.
const ROUNDS: usize = 60;

fn rounds() -> usize {
    let set = std::env::var("GREENROOM_AGENT_ROUNDS").ok();
    set.and_then(|it| it.parse().ok()).unwrap_or(ROUNDS)
}

/// Answers every approval as it comes, for so many lines or to the turn's end.
fn play(host: &mut Host, lines: usize) {
    for _ in 0..lines {
        if !host.is_running() {
            return;
        }
        let line = host.next();
        if line.json["type"] == "approval_needed" {
            let call = line.json["call_id"].clone();
            let id = format!("approve {call}");
            host.send(json!({"id": id, "type": "approve", "call_id": call, "allow": true}));
        }
    }
}

#[test]
fn three_deep_are_answered_from_the_root() {
    let stage = Stage::playing(SCRIPT);
    let mut host = stage.start();
    host.ask(json!({"id": 1, "type": "prompt", "text": "go"}));
    play(&mut host, usize::MAX);
    let root = host.session();
    let depth = |it: &String| it.strip_prefix(&root).unwrap().matches("-a").count();
    let mut depths: Vec<usize> = sessions(&mut host).iter().map(depth).collect();
    depths.sort_unstable();
    assert_eq!(depths, [0, 1, 1, 1, 2, 2, 3, 3]);
    host.finish();
}

#[test]
fn an_abort_at_any_moment_ends_all_of_them_once() {
    let stage = Stage::playing(SCRIPT);
    let mut host = stage.start();
    let mut cut = 0;
    for round in 0..rounds() {
        host.ask(json!({"id": round, "type": "prompt", "text": "go"}));
        play(&mut host, round % 90);
        let abort = format!("abort {round}");
        host.send(json!({"id": abort, "type": "abort"}));
        host.answer(abort);
        cut += usize::from(host.is_running());
        while host.is_running() {
            host.next();
        }
    }
    assert!(cut > rounds() / 2, "{cut} turns were aborted");
    let sessions = sessions(&mut host);
    // Whatever begins twice, is not ended, or ends with an open call, the host's
    // checker finds.
    host.finish();
    for session in sessions {
        Journal::read(&stage.state(), &session).assert_calls_are_paired();
    }
}

fn sessions(host: &mut Host) -> Vec<String> {
    let listed = host.ask(json!({"id": "list", "type": "list_sessions"}));
    let listed = listed["data"]["sessions"].as_array().unwrap().iter();
    listed
        .map(|it| it["id"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn a_kill_at_any_moment_loses_no_session_and_leaves_no_process() {
    let long = "sleep 317.25";
    let script = SCRIPT.replace("sleep 0.02", long);
    let stage = Stage::playing(&script);
    let mut host = stage.start();
    let session = host.session();
    for round in 0..rounds() / 4 {
        host.ask(json!({"id": round, "type": "prompt", "text": "go"}));
        play(&mut host, (round * 7) % 70);
        host.kill();
        let again = stage.command();
        host = Host::spawn(with_session(again, &session), stage.wire());
        let sessions = sessions(&mut host);
        assert!(sessions.contains(&session));
        let state = host.ask(json!({"id": "state", "type": "get_state"}));
        assert_eq!(state["data"]["running"], false);
        assert_eq!(state["data"].get("agents"), None, "none is left running");
    }
    let sessions = sessions(&mut host);
    host.finish();
    processes::wait_until("no command is left", || {
        processes::with_word("317.25").is_empty()
    });
    for session in sessions {
        Journal::read(&stage.state(), &session).assert_calls_are_paired();
    }
}

fn with_session(mut command: std::process::Command, session: &str) -> std::process::Command {
    command.args(["--session", session]);
    command
}
