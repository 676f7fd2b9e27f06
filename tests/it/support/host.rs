//! A running process: lines in, lines out, its end.

use std::io::Write;
use std::process::{Child, ChildStdin, Command};
use std::sync::mpsc::{Receiver, RecvTimeoutError};

use rustix::process::{Pid, Signal};
use serde_json::Value;
use tokio::time::Instant;

use super::invariants::{Checker, End, Wire};
use super::lines::{Line, parse, read_all, read_lines};
use super::{DEADLINE, processes};

/// So many of the latest lines are shown when something is wrong.
const SHOWN: usize = 60;

/// A running process. Killed when it is dropped.
pub struct Host {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: Receiver<Vec<u8>>,
    stderr: Receiver<String>,
    lines: Vec<Line>,
    checker: Checker,
    /// Lines before this one were waited for.
    looked: usize,
}

/// What a process leaves behind.
#[derive(Debug)]
pub struct Ended {
    /// Its exit code; nothing when a signal ended it.
    pub code: Option<i32>,
    /// Every line that it wrote.
    pub lines: Vec<Line>,
    /// What it told people.
    pub stderr: String,
}

impl Host {
    /// Starts a process whose three streams are pipes.
    pub fn spawn(mut command: Command, wire: Wire) -> Host {
        let mut child = command.spawn().expect("the binary starts");
        Host {
            stdin: child.stdin.take(),
            stdout: read_lines(child.stdout.take().unwrap()),
            stderr: read_all(child.stderr.take().unwrap()),
            child,
            lines: Vec::new(),
            checker: Checker::new(wire),
            looked: 0,
        }
    }

    /// The process's number.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// The session's id, from the first line.
    pub fn session(&self) -> String {
        let first = &self.lines[0].json;
        let id = match self.checker.wire() {
            Wire::Hm => &first["session"],
            Wire::Autohand => &first["data"]["sessionId"],
        };
        id.as_str().unwrap().to_owned()
    }

    /// All lines so far.
    pub fn lines(&self) -> &[Line] {
        &self.lines
    }

    /// An earlier process of the session left this in its queue: `steer` or
    /// `follow_up`.
    pub fn was_queued(&mut self, source: &str, text: &str) {
        self.checker.was_queued(source, text);
    }

    /// Whether a turn runs, as far as lines have been read.
    pub fn is_running(&self) -> bool {
        self.checker.is_running()
    }

    /// Calls that wait for a decision, and calls that wait for an answer, as
    /// far as lines have been read.
    pub fn waiting(&self) -> (Vec<String>, Vec<String>) {
        self.checker.waiting()
    }

    /// Sends one command.
    pub fn send(&mut self, command: Value) {
        self.send_lines(&[command.to_string()]);
    }

    /// Sends one line of text.
    pub fn send_line(&mut self, line: &str) {
        self.send_lines(&[line]);
    }

    /// Sends several lines in one write.
    pub fn send_lines(&mut self, lines: &[impl AsRef<str>]) {
        let mut bytes = Vec::new();
        for line in lines {
            bytes.extend_from_slice(line.as_ref().as_bytes());
            bytes.push(b'\n');
        }
        self.send_bytes(&bytes);
    }

    /// Sends bytes as they are. They count as lines for the invariants; a line
    /// may be cut over several calls.
    pub fn send_bytes(&mut self, bytes: &[u8]) {
        self.checker.sent(bytes);
        let stdin = self.stdin.as_mut().expect("standard input is open");
        if let Err(error) = stdin.write_all(bytes) {
            panic!("it takes no input: {error}\n{}", self.shown());
        }
    }

    /// Reads the next line, which must come.
    pub fn next(&mut self) -> &Line {
        match self.stdout.recv_timeout(DEADLINE) {
            Ok(bytes) => self.take(&bytes),
            Err(RecvTimeoutError::Timeout) => panic!("nothing came; so far:\n{}", self.shown()),
            Err(RecvTimeoutError::Disconnected) => {
                let _ = self.child.wait();
                let stderr = self.stderr.recv_timeout(DEADLINE).unwrap_or_default();
                panic!("it ended; so far:\n{}\nstderr: {stderr}", self.shown());
            }
        }
        self.lines.last().unwrap()
    }

    /// Reads the lines that are there already.
    pub fn take_what_came(&mut self) {
        while let Ok(bytes) = self.stdout.try_recv() {
            self.take(&bytes);
        }
    }

    /// The next line of which this holds, after the one that was waited for
    /// before.
    pub fn wait(&mut self, what: &str, mut is_it: impl FnMut(&Value) -> bool) -> Value {
        loop {
            while self.looked < self.lines.len() {
                let line = &self.lines[self.looked].json;
                self.looked += 1;
                if is_it(line) {
                    return line.clone();
                }
            }
            if self.lines.len() > 200_000 {
                panic!("{what} did not come in 200,000 lines");
            }
            self.next();
        }
    }

    /// The next line of this type.
    pub fn wait_type(&mut self, kind: &str) -> Value {
        self.wait(kind, |line| line["type"] == kind)
    }

    /// The answer to the command of this id, wherever it stands.
    pub fn answer(&mut self, id: impl Into<Value>) -> Value {
        let id = id.into();
        let is_it = |line: &Line| line.json["type"] == "response" && line.json["id"] == id;
        let mut seen = 0;
        loop {
            if let Some(line) = self.lines[seen..].iter().find(|it| is_it(it)) {
                return line.json.clone();
            }
            seen = self.lines.len();
            self.next();
        }
    }

    /// Sends a command with an id, and gives its answer.
    pub fn ask(&mut self, command: Value) -> Value {
        let id = command["id"].clone();
        assert!(!id.is_null(), "an answer is found by its id");
        self.send(command);
        self.answer(id)
    }

    /// Ends its input.
    pub fn close_stdin(&mut self) {
        self.checker.input_ended();
        self.stdin = None;
    }

    /// Sends it a signal.
    pub fn signal(&self, signal: Signal) {
        let pid = Pid::from_raw(self.child.id().cast_signed()).unwrap();
        rustix::process::kill_process(pid, signal).unwrap();
    }

    /// kill -9, as a crash would: nothing more is written.
    pub fn kill(mut self) -> Ended {
        self.stdin = None;
        self.child.kill().unwrap();
        self.collect(true)
    }

    /// Ends its input and waits until it has ended by itself, cleanly.
    pub fn finish(mut self) -> Ended {
        self.close_stdin();
        self.wait_end()
    }

    /// Waits until it has ended by itself, and checks all that it wrote.
    pub fn wait_end(self) -> Ended {
        self.collect(false)
    }

    fn collect(mut self, crashed: bool) -> Ended {
        let deadline = Instant::now() + DEADLINE;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            match self.stdout.recv_timeout(left) {
                // A line that a crash cut is no line.
                Ok(bytes) if crashed && !bytes.ends_with(b"\n") => (),
                Ok(bytes) => self.take(&bytes),
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => panic!("it does not end:\n{}", self.shown()),
            }
        }
        let mut status = None;
        processes::wait_until("the process ends", || {
            status = self.child.try_wait().unwrap();
            status.is_some()
        });
        let status = status.unwrap();
        let stderr = self.stderr.recv_timeout(DEADLINE).unwrap_or_default();
        assert!(!stderr.contains("panicked"), "{stderr}");
        let end = match status.code() {
            Some(code) if !crashed => End::Exit(code),
            _ => End::Killed,
        };
        if let Err(promise) = self.checker.end(end) {
            panic!("{promise}\n{}\nstderr: {stderr}", self.shown());
        }
        Ended {
            code: status.code(),
            lines: std::mem::take(&mut self.lines),
            stderr,
        }
    }

    /// Keeps a line, and checks what it promises.
    fn take(&mut self, bytes: &[u8]) {
        let line = parse(bytes);
        let checked = self.checker.line(&line);
        self.lines.push(line);
        if let Err(promise) = checked {
            panic!("{promise}, by the last of these lines:\n{}", self.shown());
        }
    }

    fn shown(&self) -> String {
        let from = self.lines.len().saturating_sub(SHOWN);
        let shown = self.lines[from..].iter().map(|line| line.text.as_str());
        shown.collect::<Vec<_>>().join("\n")
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
