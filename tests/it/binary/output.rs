//! Readers of every kind: gone, slow, stopped.

use std::io::{Read as _, Write as _};

use serde_json::{Value, json};

use crate::support::{Stage, processes};

fn prompt(text: &str) -> String {
    json!({"id": "1", "type": "prompt", "text": text}).to_string() + "\n"
}

fn parse(bytes: &[u8]) -> Vec<Value> {
    let text = std::str::from_utf8(bytes).unwrap();
    let lines = text.lines();
    lines
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// What the session's answers say, piece by piece joined.
fn text_of(lines: &[Value]) -> String {
    let deltas = lines.iter().filter(|line| line["type"] == "text_delta");
    deltas.map(|line| line["text"].as_str().unwrap()).collect()
}

#[test]
fn a_closed_output_ends_it_with_1_and_no_word() {
    let scripts = [
        // It writes all the time; it hangs; a tool hangs.
        r#"otherwise: [{pieces: 100000, pace_ms: 1}]"#,
        r#"otherwise: [{say: "Now", hang: true}]"#,
        r#"otherwise: [{say: "Now", call: [{tool: shell, input: {command: "sleep 600"}}]}]"#,
    ];
    for script in scripts {
        let stage = Stage::playing(script).flags(&["--mode", "full"]);
        let mut child = stage.command().spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let mut stdout = child.stdout.take().unwrap();
        stdin.write_all(prompt("go").as_bytes()).unwrap();
        // Until the turn runs.
        let mut seen = Vec::new();
        while !String::from_utf8_lossy(&seen).contains("text_delta") {
            let mut some = [0; 512];
            let count = stdout.read(&mut some).unwrap();
            seen.extend_from_slice(&some[..count]);
        }
        drop(stdout);
        // It notices with its next word; whether it still reads this one or
        // not is a race that nobody need win.
        let _ = stdin.write_all(b"{\"id\":\"2\",\"type\":\"get_state\"}\n");
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{script}");
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{script}");
        drop(stdin);
    }
}

#[test]
fn a_reader_of_single_bytes_gets_it_all() {
    let stage = Stage::playing(r#"otherwise: [{pieces: 3000, piece: "word "}]"#);
    let mut child = stage.command().spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(prompt("go").as_bytes()).unwrap();
    drop(stdin);
    let mut stdout = child.stdout.take().unwrap();
    let mut bytes = Vec::new();
    let mut one = [0];
    while stdout.read(&mut one).unwrap() == 1 {
        bytes.push(one[0]);
    }
    assert_eq!(child.wait().unwrap().code(), Some(0));
    let lines = parse(&bytes);
    assert_eq!(text_of(&lines), "word ".repeat(3000));
    assert_eq!(lines.last().unwrap()["type"], "session_end");
}

/// The model sends 200,000 pieces while nobody reads: memory stays bounded, the
/// turn goes on, an abort would be heard, and in the end nothing is missing.
#[test]
fn a_stopped_reader_costs_little_memory() {
    const PIECES: usize = 200_000;
    let script = format!(
        r#"otherwise: [{{pieces: {PIECES}, piece: "0123456789", call: [{{tool: shell, input: {{command: "touch over"}}}}]}}, {{say: "Over."}}]"#
    );
    let stage = Stage::playing(&script).flags(&["--mode", "full"]);
    let mut child = stage.command().spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(prompt("go").as_bytes()).unwrap();
    let mut most = 0;
    processes::wait_until("all pieces were made", || {
        most = most.max(processes::resident_bytes(child.id()));
        stage.workspace().join("over").exists()
    });
    // The text itself is two megabytes, held by the turn and for the reader.
    assert!(most < 80 << 20, "{most} bytes in memory");
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    let lines = parse(&output.stdout);
    let text = text_of(&lines);
    assert!(
        text == "0123456789".repeat(PIECES) + "Over.",
        "{} bytes",
        text.len()
    );
}

#[test]
fn an_abort_is_heard_while_nobody_reads() {
    let stage = Stage::playing(r#"otherwise: [{pieces: 3000000, piece: "0123456789"}]"#);
    let mut child = stage.command().spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(prompt("go").as_bytes()).unwrap();
    processes::wait_until("output fills the pipe", || {
        let stdout = child.stdout.as_ref().unwrap();
        rustix::io::ioctl_fionread(stdout).unwrap() > 60_000
    });
    stdin
        .write_all(b"{\"id\":\"2\",\"type\":\"abort\"}\n")
        .unwrap();
    drop(stdin);
    // Were it not heard, the turn would go on for 30 MB.
    let output = child.wait_with_output().unwrap();
    let lines = parse(&output.stdout);
    let end = lines
        .iter()
        .find(|line| line["type"] == "turn_end")
        .unwrap();
    assert_eq!(end["status"], "aborted");
    assert!(output.stdout.len() < 200 << 20);
}

/// A piece costs the same at the end of a long answer as at its beginning.
#[test]
fn the_wire_is_not_quadratic() {
    let stage = Stage::playing(r#"otherwise: [{pieces: 40000, piece: "word "}]"#);
    let mut host = stage.start();
    host.send(json!({"id": "1", "type": "prompt", "text": "go"}));
    host.wait_type("turn_end");
    let per_character = |line: &crate::support::Line| {
        let text = line.json["text"].as_str().unwrap();
        line.text.len() - text.len()
    };
    let deltas = host
        .lines()
        .iter()
        .filter(|line| line.json["type"] == "text_delta");
    let overheads: Vec<usize> = deltas.map(per_character).collect();
    let (first, last) = (overheads[0], *overheads.last().unwrap());
    assert_eq!(first, last);
    host.finish();
}
