//! kill -9 in a loop, at random moments of a session with tools.
//!
//! `GREENROOM_CRASH_ROUNDS=500` for more rounds, `GREENROOM_SEED=7` for others.

use std::time::Duration;

use fastrand::Rng;
use serde_json::{Value, json};

use super::journal::Journal;
use super::known::Known;
use crate::support::{Host, Stage};

const SCRIPT: &str = r#"
turns:
  - when: {contains: "words"}
    steps:
      - say: "Some words, one by one, so that there are moments between them."
        pace_ms: 1
        usage: {input: 10, output: 3, cost: 0.001}
  - when: {contains: "hang"}
    steps: [{say: "Now nothing more", hang: true}]
otherwise:
  - say: "I look."
    call:
      - {tool: shell, input: {command: "echo one; sleep 0.01"}}
      - {tool: list_files, input: {}}
      - {tool: write_file, input: {path: "{{prompt}}.txt", content: "new\n"}}
    usage: {input: 100, output: 30, cost: 0.02}
  - call:
      - {tool: read_file, input: {path: "{{prompt}}.txt"}}
      - {tool: shell, input: {command: "sleep 0.02; echo two"}}
      - {tool: no_such_tool, input: {}}
  - say: "All of it is done."
    pace_ms: 1
"#;

/// Long enough for most turns to end, short enough to meet many in the middle.
const LONGEST: Duration = Duration::from_millis(150);

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |text| text.parse().unwrap())
}

#[test]
fn nothing_acknowledged_is_lost() {
    let seed = number("GREENROOM_SEED", 1);
    let rounds = number("GREENROOM_CRASH_ROUNDS", 50);
    let mut rng = Rng::with_seed(seed);
    let mut stage = Stage::playing(SCRIPT).flags(&["--approve", "all"]);
    // The session is there as soon as it is announced.
    let first = stage.start();
    let session = first.session();
    first.kill();
    stage.set_flags(&["--approve", "all", "--session", &session]);

    let mut known = Known::default();
    let mut interrupted = 0;
    for round in 0..rounds {
        eprintln!("seed {seed}, round {round}");
        let mut host = stage.start();
        let start = &host.lines()[0].json;
        assert_eq!(start["resumed"], true);
        interrupted += u64::from(start["interrupted"] == true);
        known.tell_queue(&mut host);
        let sent = act(&mut host, &mut rng, round);
        // The moment is the experiment: nothing is waited for.
        std::thread::sleep(LONGEST.mul_f64(rng.f64() * rng.f64()));
        let lines = host.kill().lines;
        known.learn(&sent, &lines);
        let journal = Journal::read(&stage.state(), &session);
        known.assert_kept(&journal);
        journal.assert_calls_are_paired();
    }
    // Else the moments were no good.
    assert!(
        interrupted * 5 > rounds,
        "{interrupted} of {rounds} cut a turn"
    );

    let mut host = stage.start();
    known.tell_queue(&mut host);
    let sent = [json!({"id": "last", "type": "prompt", "text": "words at last"})];
    host.send(sent[0].clone());
    let ended = host.finish().lines;
    let end = ended.iter().find(|line| line.json["type"] == "turn_end");
    assert_eq!(end.unwrap().json["status"], "ok");
    known.learn(&sent, &ended);
    let journal = Journal::read(&stage.state(), &session);
    known.assert_kept(&journal);
    journal.assert_calls_are_paired();
}

/// Sends a prompt and perhaps more, some of it while the turn runs.
fn act(host: &mut Host, rng: &mut Rng, round: u64) -> Vec<Value> {
    let kinds = ["words", "hang", "work", "work", "work"];
    let kind = rng.choice(kinds).unwrap();
    let mut sent = Vec::new();
    let mut command = |kind: &str, text: String| {
        let id = format!("{round}-{}", sent.len());
        sent.push(json!({"id": id, "type": kind, "text": text}));
        sent.last().unwrap().to_string()
    };
    let mut lines = Vec::new();
    if rng.u8(0..4) == 0 {
        lines.push(command("steer", format!("steer before {round}")));
    }
    lines.push(command("prompt", format!("{kind} {round}")));
    match rng.u8(0..6) {
        0 => lines.push(command("steer", format!("steer {round}"))),
        1 => lines.push(command("follow_up", format!("follow up {round}"))),
        _ => (),
    }
    if rng.u8(0..4) == 0 {
        let mode = rng.choice(["ask", "auto"]).unwrap();
        let id = format!("{round}-mode");
        sent.push(json!({"id": id, "type": "set_mode", "mode": mode}));
        lines.push(sent.last().unwrap().to_string());
    }
    host.send_lines(&lines);
    sent
}
