//! Signals: idle, in a turn, twice, together with the end of input; and nothing
//! of a tool is left running.

use rustix::process::Signal;
use serde_json::json;

use crate::support::{Host, Stage, processes};

/// A turn that runs a command which ignores TERM, with a child that has left
/// its group. Both have this word in their command lines.
fn stubborn(stage: &Stage, word: &str) -> Host {
    let mut host = stage.start();
    host.send(json!({"id": "1", "type": "prompt", "text": "go"}));
    host.wait_type("tool_call");
    processes::wait_until("both processes run", || {
        processes::with_word(word).len() >= 2 && stage.workspace().join("begun").exists()
    });
    host
}

fn stage_of(word: &str) -> Stage {
    let forever = "while :; do sleep 0.05; done";
    let child = format!("setsid sh -c 'trap : TERM; touch begun; {forever}' {word}");
    let command = format!("trap '' TERM INT; {child} & sh -c 'trap : TERM; {forever}' {word}");
    let script = json!({"otherwise": [
        {"call": [{"tool": "shell", "input": {"command": command}}]},
        {"say": "Done."},
    ]});
    Stage::playing(&script.to_string())
}

/// A word that no other test, and no other run, has in its command lines.
fn word(name: &str) -> String {
    format!("greenroom-test-{name}-{}", std::process::id())
}

fn nothing_is_left(word: &str) {
    let left = processes::with_word(word);
    assert!(left.is_empty(), "left running: {left:?}");
}

#[test]
fn an_abort_ends_the_turn_at_once_and_the_tool_soon() {
    let word = &word("abort");
    let stage = stage_of(word).flags(&["--mode", "full"]);
    let mut host = stubborn(&stage, word);
    host.send(json!({"id": "2", "type": "abort"}));
    let result = host.wait_type("tool_result");
    assert_eq!(result["is_error"], true);
    assert_eq!(host.wait_type("turn_end")["status"], "aborted");
    // The next prompt need not wait for the last tool's death.
    let answer = host.ask(json!({"id": "3", "type": "get_state"}));
    assert_eq!(answer["data"]["running"], false);
    processes::wait_until("the tool is gone", || processes::with_word(word).is_empty());
    assert_eq!(host.finish().code, Some(0));
}

#[test]
fn a_signal_in_a_turn_leaves_nothing_running() {
    let signals = [Signal::INT, Signal::TERM, Signal::HUP];
    for (name, signal) in ["int", "term", "hup"].into_iter().zip(signals) {
        let word = &word(name);
        let stage = stage_of(word).flags(&["--mode", "full"]);
        let host = stubborn(&stage, word);
        host.signal(signal);
        let ended = host.wait_end();
        nothing_is_left(word);
        assert_eq!(ended.code, Some(130));
        let types = ["message_end", "turn_end", "session_end"];
        let last: Vec<_> = ended.lines[ended.lines.len() - 3..]
            .iter()
            .map(|line| line.json["type"].as_str().unwrap())
            .collect();
        assert_eq!(last, types);
    }
}

#[test]
fn the_end_of_autohands_input_leaves_nothing_running() {
    let word = &word("eof");
    let stage = stage_of(word).autohand().flags(&["--unrestricted"]);
    let mut host = stage.start();
    host.send(json!({"id": "1", "type": "prompt", "message": "go"}));
    host.wait_type("tool_execution_start");
    processes::wait_until("both run", || processes::with_word(word).len() >= 2);
    assert_eq!(host.finish().code, Some(0));
    nothing_is_left(word);
}

#[test]
fn a_killed_daemon_is_no_trouble_for_the_next() {
    // kill -9 can't clean up, so this tool ends by itself.
    let script =
        r#"otherwise: [{call: [{tool: shell, input: {command: "touch begun; sleep 1"}}]}]"#;
    let stage = Stage::playing(script).flags(&["--mode", "full"]);
    let mut host = stage.start();
    host.send(json!({"id": "1", "type": "prompt", "text": "go"}));
    processes::wait_until("it runs", || stage.workspace().join("begun").exists());
    host.kill();
    assert_eq!(stage.start().finish().code, Some(0));
}

#[test]
fn a_second_signal_waits_for_nobody() {
    // The client reads nothing, so that the first signal's end can't be told.
    let stage = Stage::playing("otherwise: [{pieces: 200000, piece: \"0123456789\"}]");
    let mut child = stage.command().spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    use std::io::Write as _;
    writeln!(stdin, "{}", json!({"type": "prompt", "text": "go"})).unwrap();
    let pid = rustix::process::Pid::from_raw(child.id().cast_signed()).unwrap();
    processes::wait_until("output fills the pipe", || {
        let stdout = child.stdout.as_ref().unwrap();
        rustix::io::ioctl_fionread(stdout).unwrap() > 60_000
    });
    // Equal signals that come close together count as one, so two kinds.
    rustix::process::kill_process(pid, Signal::TERM).unwrap();
    rustix::process::kill_process(pid, Signal::INT).unwrap();
    let mut code = None;
    processes::wait_until("it ends", || {
        code = child.try_wait().unwrap();
        code.is_some()
    });
    assert_eq!(code.unwrap().code(), Some(130));
}

#[test]
fn end_of_input_and_a_signal_together() {
    let word = &word("both");
    let script = json!({"otherwise": [
        {"say": "Now", "call": [{"tool": "shell", "input": {"command": format!("sh -c 'sleep 600' {word}")}}]},
    ]});
    let stage = Stage::playing(&script.to_string()).flags(&["--mode", "full"]);
    for round in 0..20 {
        let mut host = stage.start();
        host.send(json!({"id": "1", "type": "prompt", "text": "go"}));
        if round % 2 == 0 {
            host.wait_type("tool_call");
        }
        host.close_stdin();
        host.signal(Signal::TERM);
        let ended = host.wait_end();
        // The checker knows that `session_end` tells the same code.
        assert_eq!(ended.code, Some(130), "round {round}");
        nothing_is_left(word);
    }
}
