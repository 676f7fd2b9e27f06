//! Plays a transcript over the real binary.

use rustix::process::Signal;
use serde_json::Value;

use super::file::{File, Played, Step};
use super::normal::Normal;
use crate::support::invariants::Wire;
use crate::support::{Ended, Host, Line, Stage};

/// Plays it to its end; the input ends with the last step at the latest.
pub fn play(file: &File, wire: Wire) -> Played {
    let stage = stage(file, wire);
    let mut host = stage.start();
    let mut normal = Normal::new(&stage.workspace(), &stage.state(), host.session());
    let mut seen = 0;
    let mut lines = Vec::new();
    for (number, step) in file.steps.iter().enumerate() {
        if number > 0 {
            act(&stage, &mut host, step);
            wait(&mut host, step);
        }
        let mut new = host.lines()[seen..].to_vec();
        if step.by_call {
            by_call(&mut new);
        }
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
    if !file.config.is_empty() {
        stage = stage.config(&file.config);
    }
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

fn act(stage: &Stage, host: &mut Host, step: &Step) {
    if !step.sent.is_empty() {
        host.send_lines(&step.sent);
    }
    match step.act.as_deref() {
        None => (),
        Some("eof") => host.close_stdin(),
        Some("SIGINT") => host.signal(Signal::INT),
        Some("SIGTERM") => host.signal(Signal::TERM),
        Some(act) => match act.split_once(' ') {
            Some(("touch", path)) => std::fs::write(stage.workspace().join(path), "").unwrap(),
            _ => panic!("no such act: {act}"),
        },
    }
}

/// Waits for what the step names, else for the answer to its last line.
fn wait(host: &mut Host, step: &Step) {
    for until in &step.until {
        wait_for(host, until);
    }
    let (true, Some(last)) = (step.until.is_empty(), step.sent.last()) else {
        return;
    };
    let id = serde_json::from_str::<Value>(last).map(|it| it["id"].clone());
    match id {
        Ok(id) if !id.is_null() => drop(host.answer(id)),
        _ => drop(host.wait_type("response")),
    }
}

fn wait_for(host: &mut Host, until: &str) {
    if until.starts_with('"') {
        let id: Value = serde_json::from_str(until).unwrap();
        host.answer(id);
        return;
    }
    let (kind, count) = match until.split_once(' ') {
        Some((kind, count)) => (kind, count.parse().unwrap()),
        None => (until, 1),
    };
    for _ in 0..count {
        host.wait_type(kind);
    }
}

/// Lines of calls that stand together, call by call.
fn by_call(lines: &mut [Line]) {
    for run in lines.chunk_by_mut(|one, other| call_of(one).is_some() && call_of(other).is_some()) {
        run.sort_by_key(call_of);
    }
}

fn call_of(line: &Line) -> Option<u64> {
    let json = &line.json;
    let in_data = |name: &str| json["data"][name].as_str();
    let call = json["call_id"]
        .as_str()
        .or(in_data("toolCallId"))
        .or(in_data("requestId"));
    call?.strip_prefix('c')?.parse().ok()
}
