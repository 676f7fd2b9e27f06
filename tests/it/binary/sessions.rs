//! Sessions that outlive their process: `--session`, `--continue`,
//! `--no-session`, after a clean end and after a crash.

use serde_json::{Value, json};

use crate::support::{Host, Stage};

const SCRIPT: &str = r#"
turns:
  - when: {contains: "hang"}
    steps: [{say: "Now", hang: true, usage: {input: 10, output: 2, cost: 0.01}}]
otherwise:
  - say: "You said: {{prompt}}"
    usage: {input: 10, output: 2, cost: 0.01}
"#;

fn prompt(host: &mut Host, id: &str, text: &str) {
    let answer = host.ask(json!({"id": id, "type": "prompt", "text": text}));
    assert_eq!(answer["ok"], true, "{answer}");
    host.wait_type("turn_end");
}

fn session_of(host: &mut Host) -> Value {
    let answer = host.ask(json!({"id": "state", "type": "get_state"}));
    answer["data"]["session"].clone()
}

/// The conversation as `get_messages` of the other wire tells it.
fn conversation(stage: Stage, session: &str) -> Vec<(String, String)> {
    let stage = stage.autohand().flags(&["--resume", session]);
    let mut host = stage.start();
    let answer = host.ask(json!({"id": "1", "type": "get_messages"}));
    host.finish();
    let messages = answer["data"]["messages"].as_array().unwrap();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    messages
        .iter()
        .map(|it| (text(&it["role"]), text(&it["content"])))
        .collect()
}

#[test]
fn a_session_goes_on() {
    let mut stage = Stage::playing(SCRIPT);
    let mut host = stage.start();
    let id = host.session();
    prompt(&mut host, "1", "one");
    assert_eq!(
        host.ask(json!({"id": "2", "type": "set_mode", "mode": "ask"}))["ok"],
        true
    );
    assert_eq!(
        host.ask(json!({"id": "3", "type": "set_model", "effort": "low"}))["ok"],
        true
    );
    let before = session_of(&mut host);
    host.finish();

    for flags in [["--session", &id].as_slice(), &["--continue"]] {
        stage.set_flags(flags);
        let mut host = stage.start();
        let start = host.lines()[0].json.clone();
        assert_eq!(host.session(), id);
        assert_eq!(start["resumed"], true);
        assert_eq!(start["mode"], "ask");
        assert_eq!(start["effort"], "low");
        assert_eq!(start["title"], "one");
        assert_eq!(start.get("interrupted"), None);
        assert_eq!(session_of(&mut host), before);
        host.finish();
    }

    // What this process is started with stands above what was saved.
    stage.set_flags(&["--continue", "--mode", "plan", "--effort", "high"]);
    let mut host = stage.start();
    assert_eq!(host.lines()[0].json["mode"], "plan");
    assert_eq!(host.lines()[0].json["effort"], "high");
    prompt(&mut host, "1", "two");
    host.finish();
    stage.set_flags(&[]);
    let wanted = [
        ("user", "one"),
        ("assistant", "You said: one"),
        ("user", "two"),
        ("assistant", "You said: two"),
    ];
    let wanted = wanted.map(|(role, text)| (role.to_owned(), text.to_owned()));
    assert_eq!(conversation(stage, &id), wanted);
}

#[test]
fn a_crash_cuts_the_turn_and_nothing_else() {
    let mut stage = Stage::playing(SCRIPT);
    let mut host = stage.start();
    let id = host.session();
    prompt(&mut host, "1", "one");
    host.send(json!({"id": "2", "type": "steer", "text": "kept"}));
    host.answer("2");
    host.send(json!({"id": "3", "type": "prompt", "text": "hang"}));
    host.wait_type("text_delta");
    host.send(json!({"id": "4", "type": "follow_up", "text": "later"}));
    host.answer("4");
    host.kill();

    stage.set_flags(&["--session", &id]);
    let mut host = stage.start();
    let start = host.lines()[0].json.clone();
    assert_eq!(start["resumed"], true);
    assert_eq!(start["interrupted"], true);
    let state = session_of(&mut host);
    assert_eq!(state["running"], false);
    // The follow-up was acknowledged: it comes behind the next prompt's answer.
    host.was_queued("follow_up", "later");
    host.send(json!({"id": "5", "type": "prompt", "text": "and now"}));
    host.wait_type("turn_end");
    let told = |line: &&crate::support::Line| {
        line.json["type"] == "message_end" && line.json["role"] == "user"
    };
    let texts: Vec<&str> = host
        .lines()
        .iter()
        .filter(told)
        .map(|line| line.json["text"].as_str().unwrap())
        .collect();
    assert_eq!(texts, ["and now", "later"]);
    drop(host);
    stage.set_flags(&[]);
    let conversation = conversation(stage, &id);
    let users: Vec<&str> = conversation
        .iter()
        .filter(|(role, _)| role == "user")
        .map(|(_, text)| text.as_str())
        .collect();
    assert_eq!(users, ["one", "hang", "kept", "and now", "later"]);
}

#[test]
fn continue_takes_the_workspaces_latest() {
    let mut stage = Stage::playing(SCRIPT);
    let mut ids = Vec::new();
    for text in ["first", "second"] {
        let mut host = stage.start();
        ids.push(host.session());
        prompt(&mut host, "1", text);
        host.finish();
    }
    // Another workspace's session is later, and none of ours.
    let elsewhere = stage.path("elsewhere");
    std::fs::create_dir(&elsewhere).unwrap();
    let mut command = stage.command();
    command.arg("--cwd").arg(&elsewhere);
    let mut host = Host::spawn(command, stage.wire());
    host.next();
    prompt(&mut host, "1", "elsewhere");
    host.finish();

    stage.set_flags(&["--continue"]);
    let host = stage.start();
    assert_eq!(host.session(), ids[1]);
    host.finish();
    // The first becomes the latest by being worked in.
    stage.set_flags(&["--session", &ids[0]]);
    let mut host = stage.start();
    prompt(&mut host, "1", "again");
    host.finish();
    stage.set_flags(&["--continue"]);
    let host = stage.start();
    assert_eq!(host.session(), ids[0]);
    host.finish();
}

#[test]
fn no_session_saves_nothing() {
    let mut stage = Stage::playing(SCRIPT).flags(&["--no-session"]);
    let mut host = stage.start();
    let id = host.session();
    prompt(&mut host, "1", "one");
    assert_eq!(session_of(&mut host)["saved"], false);
    host.finish();
    let left: Vec<_> = std::fs::read_dir(stage.state()).unwrap().collect();
    assert!(left.is_empty(), "{left:?}");
    stage.set_flags(&["--session", &id]);
    let output = stage.command().output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(output.stdout, b"");
}

#[test]
fn saved_sessions_are_for_their_owner_alone() {
    use std::os::unix::fs::PermissionsExt;
    let stage = Stage::playing(SCRIPT);
    let mut host = stage.start();
    prompt(&mut host, "1", "a secret");
    host.finish();
    for entry in std::fs::read_dir(stage.state()).unwrap() {
        let entry = entry.unwrap();
        let mode = entry.metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o077, 0, "{:?} has mode {mode:o}", entry.path());
    }
}
