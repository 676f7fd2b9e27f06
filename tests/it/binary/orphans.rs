//! Processes that drop every sign of their call end with it all the same.

use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::support::{Host, Stage, processes};

/// Ways out of the group, of the marked environment, or of both. `@` is the
/// command that is left behind.
const WAYS_OUT: [&str; 5] = [
    "(env -i setsid @ &)",
    "unset GREENROOM_CALL; (setsid @ &)",
    "set -m; unset GREENROOM_CALL; (@ &)",
    "(env -i setsid sh -c '(@ &); (@ &); sleep 0.1' &)",
    "(env -i setsid sh -c 'trap \"\" TERM HUP; (@ &); @' &)",
];

/// Seconds to sleep, which no other test, and no other run, sleeps for: that
/// makes the processes known.
fn word(number: u32) -> String {
    format!("{number}.0{}", std::process::id())
}

fn stage_of(steps: &[Value]) -> Stage {
    let script = json!({ "otherwise": steps });
    Stage::playing(&script.to_string()).flags(&["--mode", "full"])
}

fn step(commands: &[String]) -> Value {
    let calls: Vec<Value> = commands
        .iter()
        .map(|command| json!({"tool": "shell", "input": {"command": command}}))
        .collect();
    json!({ "call": calls })
}

/// Leaves a process behind in this way, and ends when it has begun.
fn leave(way: &str, word: &str, mark: &str) -> String {
    let lingering = format!("sh -c \"echo > {mark}; sleep {word}; exit\"");
    let way = way.replace('@', &lingering);
    format!("{{ {way}; }} >/dev/null 2>&1; until [ -e {mark} ]; do sleep 0.01; done")
}

fn prompt(host: &mut Host) {
    host.send(json!({"id": "1", "type": "prompt", "text": "go"}));
}

/// The children of a process, the dead ones among them.
fn children(host: &Host) -> String {
    let parent = host.pid().to_string();
    let listed = Command::new("ps")
        .args(["-o", "pid=,stat=,args=", "--ppid", &parent])
        .output()
        .unwrap();
    String::from_utf8(listed.stdout).unwrap()
}

fn nobody_is_left(host: &Host, word: &str) {
    processes::wait_until("all that was left behind is gone", || {
        processes::with_word(word).is_empty() && children(host).is_empty()
    });
}

#[test]
fn what_a_call_leaves_behind_ends_with_it_whichever_way_it_went() {
    for (number, way) in WAYS_OUT.iter().enumerate() {
        let word = &word(4_441);
        let stage = stage_of(&[step(&[leave(way, word, "begun")]), json!({"say": "Done."})]);
        let mut host = stage.start();
        prompt(&mut host);
        let result = host.wait_type("tool_result");
        assert_eq!(result["is_error"], false, "{number}: {result}");
        host.wait_type("turn_end");
        nobody_is_left(&host, word);
        assert_eq!(host.finish().code, Some(0));
    }
}

#[test]
fn what_a_call_leaves_behind_ends_with_the_daemon() {
    let word = &word(4_442);
    let stage = stage_of(&[step(&[leave(WAYS_OUT[4], word, "begun")])]);
    let mut host = stage.start();
    prompt(&mut host);
    host.wait_type("turn_end");
    assert_eq!(host.finish().code, Some(0));
    assert_eq!(processes::with_word(word), [0; 0]);
}

#[test]
fn what_a_stopped_call_leaves_behind_is_stopped() {
    let word = &word(4_443);
    let command = format!("env -i setsid sleep {word} & echo > begun; wait");
    let stage = stage_of(&[step(&[command])]);
    let mut host = stage.start();
    prompt(&mut host);
    processes::wait_until("it runs", || stage.workspace().join("begun").exists());
    host.send(json!({"id": "2", "type": "abort"}));
    assert_eq!(host.wait_type("turn_end")["status"], "aborted");
    nobody_is_left(&host, word);
    assert_eq!(host.finish().code, Some(0));
}

#[test]
fn calls_beside_each_other_and_behind_each_other_leave_nobody() {
    let word = &word(4_444);
    let leaves = |mark: &str| leave(WAYS_OUT[0], word, mark);
    let beside = step(&[leaves("one"), leaves("two"), "sleep 0.3".into()]);
    // The next call starts while the last one's orphan is still asked to end.
    let stubborn = step(&[leave(WAYS_OUT[4], word, "three")]);
    let next = step(&["until [ -e ended ]; do sleep 0.01; done".into()]);
    let stage = stage_of(&[beside, stubborn, next]);
    let mut host = stage.start();
    prompt(&mut host);
    for _ in 0..4 {
        let result = host.wait_type("tool_result");
        assert_eq!(result["is_error"], false, "{result}");
    }
    std::fs::write(stage.workspace().join("ended"), "").unwrap();
    host.wait_type("turn_end");
    nobody_is_left(&host, word);
    assert_eq!(host.finish().code, Some(0));
}

#[test]
fn children_from_before_the_start_are_left_alone() {
    let word = &word(4_445);
    let left_behind = leave(WAYS_OUT[0], "4446", "begun");
    let stage = stage_of(&[step(&[left_behind])]);
    let inner = stage.command();
    let mut command = Command::new("sh");
    stage.dress(&mut command);
    command
        .arg("-c")
        .arg(format!(
            "sleep {word} </dev/null >/dev/null 2>&1 & exec \"$0\" \"$@\""
        ))
        .arg(inner.get_program())
        .args(inner.get_args())
        .stdin(Stdio::piped());
    let mut host = Host::spawn(command, stage.wire());
    host.next();
    prompt(&mut host);
    host.wait_type("turn_end");
    processes::wait_until("only the first child is left", || {
        children(&host).lines().count() == 1
    });
    let still_there = processes::with_word(word);
    assert_eq!(still_there.len(), 1, "{}", children(&host));
    assert_eq!(host.finish().code, Some(0));
    for pid in still_there {
        let pid = rustix::process::Pid::from_raw(pid.cast_signed()).unwrap();
        let _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
    }
}
