//! Input of every kind: files, nothing, byte by byte, huge, very many at once.

use std::fs::File;
use std::io::Write as _;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::support::{Host, Stage, processes};

const YES: &str = r#"otherwise: [{say: "Yes."}]"#;

fn text_of(lines: &[crate::support::Line]) -> String {
    let deltas = lines
        .iter()
        .filter(|line| line.json["type"] == "text_delta");
    deltas
        .map(|line| line.json["text"].as_str().unwrap())
        .collect()
}

#[test]
fn a_file_as_input_is_worked_off() {
    let stage = Stage::playing(YES);
    let path = stage.path("commands");
    // The last line has no line feed, and counts.
    std::fs::write(&path, r#"{"id":"1","type":"prompt","text":"hello"}"#).unwrap();
    let mut command = stage.command();
    command.stdin(Stdio::from(File::open(&path).unwrap()));
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    let lines = String::from_utf8(output.stdout).unwrap();
    let types: Vec<Value> = lines
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["type"].clone())
        .collect();
    let wanted = [
        "session_start",
        "response",
        "message_end",
        "message_start",
        "text_delta",
        "message_end",
        "turn_end",
        "session_end",
    ];
    assert_eq!(types, wanted);
}

#[test]
fn a_prompt_and_the_end_of_input_in_one_write() {
    let stage = Stage::playing(YES);
    let mut host = stage.start();
    host.send_bytes(br#"{"id":"1","type":"prompt","text":"hello"}"#);
    let ended = host.finish();
    assert_eq!(ended.code, Some(0));
    assert_eq!(text_of(&ended.lines), "Yes.");
}

#[test]
fn input_may_come_byte_by_byte() {
    let stage = Stage::playing(YES);
    let mut host = stage.start();
    let line = "{\"id\":\"1\",\"type\":\"prompt\",\"text\":\"h\u{e9}llo \u{2028}\u{1f680}\"}\r\n";
    for byte in line.as_bytes() {
        host.send_bytes(&[*byte]);
    }
    let told = host.wait("the prompt", |line| line["role"] == "user");
    assert_eq!(told["text"], "h\u{e9}llo \u{2028}\u{1f680}");
    host.finish();
}

#[test]
fn a_line_of_32_megabytes_is_a_line() {
    let stage = Stage::playing(YES);
    let mut host = stage.start();
    let text = "0123456789abcdef".repeat(2 << 20);
    host.send(json!({"id": "1", "type": "prompt", "text": text}));
    assert_eq!(host.answer("1")["ok"], true);
    let told = host.wait("the prompt", |line| line["role"] == "user");
    assert!(told["text"] == text.as_str(), "another text of 32 MB");
    host.wait_type("turn_end");
    // The journal takes it, too.
    let session = host.session();
    assert_eq!(host.finish().code, Some(0));
    let stage = stage.flags(&["--session", &session]);
    assert_eq!(stage.start().finish().code, Some(0));
}

#[test]
fn a_line_over_the_limit_is_refused_once_and_skipped() {
    let stage = Stage::playing(YES).config("input: {max_line_bytes: 100000}");
    let mut host = stage.start();
    // That it has an id cannot be known.
    host.send_bytes(format!("{{\"text\":\"{}", "x".repeat(3_000_000)).as_bytes());
    host.send_bytes(b"\n");
    let refusal = host.wait_type("response");
    assert_eq!(refusal["id"], Value::Null);
    assert_eq!(refusal["ok"], false);
    let error = refusal["error"].as_str().unwrap();
    assert!(error.starts_with("line too long"), "{error}");
    assert_eq!(host.ask(json!({"id": "2", "type": "abort"}))["ok"], true);
    let responses = |host: &Host| {
        let lines = host.lines().iter();
        lines.filter(|line| line.json["type"] == "response").count()
    };
    assert_eq!(responses(&host), 2);
    // The last one may be too long, too, and cut by the end.
    host.send_bytes(&vec![b'x'; 300_000]);
    host.wait_type("response");
    assert_eq!(host.finish().code, Some(0));
}

#[test]
fn five_thousand_commands_in_one_write() {
    let stage = Stage::playing(YES);
    let mut host = stage.start();
    let names = [
        "get_state",
        "abort",
        "set_mode",
        "steer",
        "approve",
        "nonsense",
    ];
    let command = |number: usize| {
        let name = names[number % names.len()];
        json!({
            "id": number, "type": name, "mode": "plan", "text": "x", "call_id": "c1", "allow": true,
        })
        .to_string()
    };
    let commands: Vec<String> = (0..5000).map(command).collect();
    host.send_lines(&commands);
    let ended = host.finish();
    let ids = |line: &crate::support::Line| line.json["id"].as_u64();
    let mut answered: Vec<u64> = ended.lines.iter().filter_map(ids).collect();
    answered.sort_unstable();
    assert_eq!(answered, (0..5000).collect::<Vec<u64>>());
    assert_eq!(ended.code, Some(0));
}

/// Commands whose answers nobody reads: input is not read on for ever.
#[test]
fn unread_answers_are_bounded() {
    let stage = Stage::playing(YES).config("output: {soft_bytes: 65536, hard_bytes: 1000000}");
    let mut child = stage.command().spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let written = std::sync::Arc::new(std::sync::atomic::AtomicUsize::new(0));
    let count = written.clone();
    const COMMANDS: usize = 60_000;
    let writing = std::thread::spawn(move || {
        for number in 0..COMMANDS {
            writeln!(stdin, r#"{{"id":{number},"type":"get_state"}}"#).unwrap();
            count.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
        }
    });
    // It stops reading: the number of lines that it took stands still.
    let mut last = 0;
    let mut still = 0;
    processes::wait_until("it reads no further", || {
        let now = written.load(std::sync::atomic::Ordering::SeqCst);
        still = if now == last && now > 0 { still + 1 } else { 0 };
        last = now;
        still > 100
    });
    assert!(
        last < COMMANDS,
        "all commands were read, though no answer was"
    );
    let resident = processes::resident_bytes(child.id());
    assert!(resident < 100 << 20, "{resident} bytes in memory");
    // A reader gets every answer then.
    let output = child.wait_with_output().unwrap();
    writing.join().unwrap();
    assert_eq!(output.status.code(), Some(0));
    let answers = output.stdout.split(|byte| *byte == b'\n').count() - 3;
    assert_eq!(answers, COMMANDS);
}
