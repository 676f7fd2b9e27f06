//! Plays a transcript over the real binary.

use rustix::process::Signal;
use serde_json::Value;

use super::file::{File, Played, Step};
use super::normal::Normal;
use crate::support::invariants::Wire;
use crate::support::{Ended, Host, Stage};

/// Plays it to its end; the input ends with the last step at the latest.
pub fn play(file: &File, wire: Wire) -> Played {
    let stage = stage(file, wire);
    let mut host = stage.start();
    let normal = Normal::new(&stage.workspace(), &stage.state(), host.session());
    let mut seen = 0;
    let mut lines = Vec::new();
    for (number, step) in file.steps.iter().enumerate() {
        if number > 0 {
            act(&mut host, step);
            wait(&mut host, step);
        }
        let new = &host.lines()[seen..];
        lines.push(new.iter().map(|line| normal.line(line)).collect());
        seen = host.lines().len();
    }
    let ended: Ended = host.finish();
    let rest = ended.lines[seen..].iter().map(|line| normal.line(line));
    match lines.last_mut() {
        Some(last) => Vec::extend(last, rest),
        None => lines.push(rest.collect()),
    }
    let exit_code = ended
        .code
        .map_or("signal".to_owned(), |code| code.to_string());
    Played { lines, exit_code }
}

fn stage(file: &File, wire: Wire) -> Stage {
    let flags: Vec<&str> = file.flags.iter().map(String::as_str).collect();
    let mut stage = Stage::new().flags(&flags);
    let script = file.script.trim();
    stage = match script.lines().count() {
        0 => stage.example("builtin.yaml"),
        1 if script.ends_with(".yaml") => stage.example(script),
        _ => stage.script(script),
    };
    if wire == Wire::Autohand {
        stage = stage.autohand();
    }
    for (path, content) in &file.files {
        stage = stage.file(path, content);
    }
    for (name, script) in &file.programs {
        stage = stage.program(name, script);
    }
    stage
}

fn act(host: &mut Host, step: &Step) {
    if !step.sent.is_empty() {
        host.send_lines(&step.sent);
    }
    match step.act.as_deref() {
        None => (),
        Some("eof") => host.close_stdin(),
        Some("SIGINT") => host.signal(Signal::INT),
        Some("SIGTERM") => host.signal(Signal::TERM),
        Some(other) => panic!("no such act: {other}"),
    }
}

/// Waits for what the step names, else for the answer to its last line.
fn wait(host: &mut Host, step: &Step) {
    if let Some(until) = &step.until {
        if until.starts_with('"') {
            let id: Value = serde_json::from_str(until).unwrap();
            host.answer(id);
            return;
        }
        let (kind, count) = match until.split_once(' ') {
            Some((kind, count)) => (kind, count.parse().unwrap()),
            None => (until.as_str(), 1),
        };
        for _ in 0..count {
            host.wait_type(kind);
        }
        return;
    }
    let Some(last) = step.sent.last() else {
        return;
    };
    let id = serde_json::from_str::<Value>(last).map(|it| it["id"].clone());
    match id {
        Ok(id) if !id.is_null() => drop(host.answer(id)),
        _ => drop(host.wait_type("response")),
    }
}
