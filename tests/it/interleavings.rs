//! A thousand random interleavings of commands, over the real binary: the
//! checker of each host holds every promise at every line.
//!
//! `GREENROOM_SEED=17` begins with another seed, `GREENROOM_INTERLEAVINGS=20000`
//! plays more of them.

use std::collections::BTreeMap;

use fastrand::Rng;
use serde_json::{Value, json};

use crate::support::{Host, Line, Stage};

/// The model answers by the prompt's first word.
const SCRIPT: &str = r#"
turns:
  - when: {contains: "words"}
    steps: [{say: "A few words.", usage: {input: 10, output: 3, cost: 0.001}}]
  - when: {contains: "slowly"}
    steps: [{think: "Hm.", say: "One two three four five six seven eight", pace_ms: 1}]
  - when: {contains: "hang"}
    steps: [{say: "Now", hang: true}]
  - when: {contains: "fail"}
    steps: [{say: "It", fail: {kind: broken, after_pieces: 1}}]
  - when: {contains: "retry"}
    steps: [{say: "Third time.", fail: {kind: overloaded, times: 2, retry_after_ms: 1}}]
  - when: {contains: "calls"}
    steps:
      - say: "Several."
        call:
          - {tool: shell, input: {command: "true"}}
          - {tool: list_files, input: {}}
          - {tool: ask_user, input: {question: "Which?"}}
          - {tool: write_file, input: {path: "{{prompt}}.txt", content: "new\n"}}
          - {tool: shell, input: {command: "exit 3"}}
        usage: {input: 100, output: 30, cache_read: 7, cost: 0.02}
      - call:
          - {tool: read_file, input: {path: "{{prompt}}.txt"}}
          - {tool: read_file, input: {path: "missing.txt"}}
          - {tool: no_such_tool, input: {}}
      - say: "Done."
  - when: {contains: "tools"}
    steps:
      - call: [{tool: shell, input: {command: "sleep 0.02; echo one"}}, {tool: shell, input: {command: "echo two"}}]
      - call: [{tool: update_plan, input: {items: [{text: "x", status: pending}]}}]
      - say: "Done."
"#;

const PROMPTS: [&str; 7] = ["words", "slowly", "hang", "fail", "retry", "calls", "tools"];
const MODES: [&str; 4] = ["plan", "ask", "auto", "full"];
/// Interleavings in one process, one after another.
const IN_ONE_PROCESS: usize = 50;

#[test]
fn a_half_of_them() {
    play_all(0);
}

#[test]
fn the_other_half() {
    play_all(1);
}

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |text| text.parse().unwrap())
}

fn play_all(half: u64) {
    let processes = number("GREENROOM_INTERLEAVINGS", 1000).div_ceil(IN_ONE_PROCESS as u64);
    let first = number("GREENROOM_SEED", 1);
    let mut seen = BTreeMap::new();
    for seed in (first..first + processes).filter(|seed| seed % 2 == half) {
        let lines = Player::new(seed).play();
        for line in &lines {
            *seen.entry(kind_of(line)).or_insert(0_usize) += 1;
        }
    }
    // A test that never comes to these places would prove nothing.
    for kind in [
        "turn_end ok",
        "turn_end aborted",
        "turn_end error",
        "approval client",
        "approval abort",
        "tool_result",
        "tool_result skipped",
        "tool_result denied",
        "question",
        "mode_change",
        "message_end steer",
        "message_end follow_up",
        "response refused",
        "error retry",
    ] {
        assert!(
            seen.contains_key(kind),
            "never came: {kind}; there were {seen:?}"
        );
    }
}

fn kind_of(line: &Line) -> String {
    let json = &line.json;
    let kind = json["type"].as_str().unwrap();
    let text = |name: &str| json[name].as_str().map(str::to_owned);
    let detail = match kind {
        "turn_end" => text("status"),
        "approval" => text("by"),
        "message_end" => text("source"),
        "response" if json["ok"] == false => Some("refused".to_owned()),
        "error" if json.get("retry_in").is_some() => Some("retry".to_owned()),
        "tool_result" if json["skipped"] == true => Some("skipped".to_owned()),
        "tool_result" if json["denied"] == true => Some("denied".to_owned()),
        _ => None,
    };
    match detail {
        Some(detail) => format!("{kind} {detail}"),
        None => kind.to_owned(),
    }
}

/// One process with its client.
struct Player {
    rng: Rng,
    host: Host,
    /// Its folders.
    _stage: Stage,
    commands: u64,
    /// The last prompt that may run, and the calls that were asked about.
    hangs: bool,
    calls: u64,
    log: Log,
}

impl Player {
    fn new(seed: u64) -> Player {
        let stage = Stage::playing(SCRIPT).config("retries: {attempts: 3, base: 1ms, cap: 2ms}");
        Player {
            rng: Rng::with_seed(seed),
            host: stage.start(),
            _stage: stage,
            commands: 0,
            hangs: false,
            calls: 0,
            log: Log {
                seed,
                lines: Vec::new(),
            },
        }
    }

    fn play(mut self) -> Vec<Line> {
        for _ in 0..IN_ONE_PROCESS {
            for _ in 0..self.rng.usize(2..12) {
                self.act();
            }
            self.settle();
        }
        self.host.finish().lines
    }

    fn act(&mut self) {
        match self.rng.u32(0..10) {
            0..5 => {
                let command = self.command();
                self.send(&[command]);
            }
            5 => {
                let count = self.rng.usize(2..6);
                let commands: Vec<Value> = (0..count).map(|_| self.command()).collect();
                self.send(&commands);
            }
            6..8 => {
                self.log.lines.push("(takes what came)".to_owned());
                self.host.take_what_came();
            }
            _ => self.sync(),
        }
    }

    fn command(&mut self) -> Value {
        self.commands += 1;
        let id = self.commands;
        let text = format!("{} {id}", self.rng.choice(PROMPTS).unwrap());
        match self.rng.u32(0..20) {
            0..5 => json!({"id": id, "type": "prompt", "text": text}),
            5..7 => json!({"id": id, "type": "steer", "text": text}),
            7..9 => json!({"id": id, "type": "follow_up", "text": text}),
            9..13 => {
                let (approvals, _) = self.host.waiting();
                let call = self.call(&approvals);
                let (allow, session) = (self.rng.bool(), self.rng.u8(0..8) == 0);
                json!({"id": id, "type": "approve", "call_id": call, "allow": allow, "for_session": session})
            }
            13..15 => {
                let (_, questions) = self.host.waiting();
                let call = self.call(&questions);
                json!({"id": id, "type": "answer", "call_id": call, "text": text})
            }
            15..17 => json!({"id": id, "type": "abort"}),
            17 => json!({"id": id, "type": "set_mode", "mode": self.rng.choice(MODES)}),
            18 => json!({"id": id, "type": "get_state"}),
            _ => json!({"id": id, "type": "prompt", "text": self.rng.u8(..)}),
        }
    }

    /// A call that waits, as far as is known; or one that may come, or was.
    fn call(&mut self, waiting: &[String]) -> String {
        match self.rng.choice(waiting) {
            Some(call) if self.rng.u8(0..4) > 0 => call.clone(),
            _ => format!("c{}", self.calls + self.rng.u64(0..6)),
        }
    }

    fn send(&mut self, commands: &[Value]) {
        let lines: Vec<String> = commands.iter().map(Value::to_string).collect();
        self.log
            .lines
            .extend(lines.iter().map(|line| format!("> {line}")));
        self.host.send_lines(&lines);
    }

    /// Waits until all that was sent is answered.
    fn sync(&mut self) {
        self.commands += 1;
        let id = self.commands;
        self.send(&[json!({"id": id, "type": "get_state"})]);
        self.host.answer(id);
        let calls = self.host.lines().iter().rev();
        let latest = calls.filter_map(|line| line.json["call_id"].as_str()?[1..].parse().ok());
        self.calls = latest.take(1).next().unwrap_or(self.calls);
        let prompts = self.host.lines().iter().rev();
        let mut prompts = prompts.filter(|line| line.json["source"] == "prompt");
        let prompt = prompts.next().and_then(|line| line.json["text"].as_str());
        self.hangs = prompt.is_some_and(|text| text.starts_with("hang"));
    }

    /// Lets the running turn come to its end.
    fn settle(&mut self) {
        loop {
            self.sync();
            if !self.host.is_running() {
                return;
            }
            let (approvals, questions) = self.host.waiting();
            let mut commands = Vec::new();
            for call in approvals {
                self.commands += 1;
                let allow = self.rng.bool();
                commands.push(json!({"id": self.commands, "type": "approve", "call_id": call, "allow": allow}));
            }
            for call in questions {
                self.commands += 1;
                commands.push(
                    json!({"id": self.commands, "type": "answer", "call_id": call, "text": "x"}),
                );
            }
            if commands.is_empty() && self.hangs {
                self.commands += 1;
                commands.push(json!({"id": self.commands, "type": "abort"}));
            }
            if commands.is_empty() {
                // It runs and waits for nobody: something must come.
                self.host.next();
            }
            self.send(&commands);
        }
    }
}

/// What was done, told when it went wrong.
struct Log {
    seed: u64,
    lines: Vec<String>,
}

impl Drop for Log {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let from = self.lines.len().saturating_sub(40);
            let lines = self.lines[from..].join("\n");
            eprintln!("GREENROOM_SEED={}; its last commands:\n{lines}", self.seed);
        }
    }
}
