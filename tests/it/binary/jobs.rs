//! Commands in the background of a session, and what is left of them when the
//! daemon ends, however it does.

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::support::{Host, Stage, processes};

/// Seconds to sleep, which no other test, and no other run, sleeps for: that
/// makes the processes known.
fn word(number: u32) -> String {
    format!("{number}.0{}", std::process::id())
}

fn stage_of(steps: &[Value]) -> Stage {
    let script = json!({ "otherwise": steps });
    Stage::playing(&script.to_string()).flags(&["--mode", "full"])
}

fn shell(input: Value) -> Value {
    json!({ "call": [{ "tool": "shell", "input": input }] })
}

/// A job that is stubborn, with a child that left its group.
fn stubborn(word: &str, mark: &str) -> Value {
    let command = format!(
        "trap '' TERM HUP; setsid sleep {word} & echo > {mark}; while :; do sleep {word}; done"
    );
    shell(json!({ "command": command, "background": true }))
}

/// Has the agent start it, and waits until it runs.
fn begin(stage: &Stage, mark: &str) -> Host {
    let mut host = stage.start();
    host.send(json!({"id": "1", "type": "prompt", "text": "go"}));
    let result = host.wait_type("tool_result");
    assert_eq!(result["is_error"], false, "{result}");
    processes::wait_until("it runs", || stage.workspace().join(mark).exists());
    host
}

/// The shell, the child that left its group, and the one that did not.
fn all_are_there(word: &str) {
    processes::wait_until("all are there", || processes::with_word(word).len() >= 3);
}

fn nobody_is_left(word: &str) {
    processes::wait_until("nobody is left", || processes::with_word(word).is_empty());
}

#[test]
fn a_job_outlives_its_turn_and_ends_with_the_session() {
    let word = &word(4_451);
    let stage = stage_of(&[stubborn(word, "begun"), json!({"say": "Done."})]);
    let mut host = begin(&stage, "begun");
    host.wait_type("turn_end");
    all_are_there(word);
    assert_eq!(host.finish().code, Some(0));
    assert_eq!(processes::with_word(word), [0; 0]);
}

#[test]
fn a_job_does_not_outlive_a_killed_daemon() {
    let word = &word(4_452);
    let stage = stage_of(&[stubborn(word, "begun"), json!({"say": "Done."})]);
    let mut host = begin(&stage, "begun");
    host.wait_type("turn_end");
    all_are_there(word);
    host.kill();
    nobody_is_left(word);
}

/// A host that asks the daemon to end and soon loses its patience.
#[test]
fn a_job_that_is_being_ended_does_not_outlive_a_killed_daemon() {
    let word = &word(4_455);
    let command = format!(
        "trap 'echo > asked' TERM; setsid sleep {word} & echo > begun; while :; do sleep {word}; done"
    );
    let job = shell(json!({ "command": command, "background": true }));
    let stage = stage_of(&[job, json!({"say": "Done."})]);
    let mut host = begin(&stage, "begun");
    host.wait_type("turn_end");
    host.signal(Signal::TERM);
    let asked = stage.workspace().join("asked");
    processes::wait_until("it was asked to end", || asked.exists());
    host.kill();
    nobody_is_left(word);
}

/// What commands leave behind is stopped with them; a kept job is not taken for
/// that, and outlives the daemon even if that is killed.
#[test]
fn a_kept_job_is_left_alone() {
    for (number, is_killed) in [(4_453, false), (4_454, true)] {
        let word = &word(number);
        let command = format!(
            "echo > begun; (sleep {word} & sleep {word}) & while :; do echo on; echo . >> ticks; \
             sleep 0.05; done"
        );
        let keep = shell(json!({ "command": command, "background": true, "keep": true }));
        let leaves = "(env -i setsid sleep 0.5 &)";
        let stage = stage_of(&[
            keep,
            shell(json!({ "command": leaves })),
            json!({"say": "Done."}),
        ]);
        let mut host = begin(&stage, "begun");
        host.wait_type("turn_end");
        match is_killed {
            true => drop(host.kill()),
            false => assert_eq!(host.finish().code, Some(0)),
        }
        let ticks = || {
            std::fs::metadata(stage.workspace().join("ticks"))
                .unwrap()
                .len()
        };
        let before = ticks();
        processes::wait_until("it goes on writing", || ticks() > before + 40);
        assert!(processes::with_word(word).len() >= 3);
        for pid in processes::with_word(word) {
            let pid = rustix::process::Pid::from_raw(pid.cast_signed()).unwrap();
            let _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
        }
        nobody_is_left(word);
    }
}
