//! Plays a scene to one connection and writes down what comes in and out.
//!
//! The script that comes of it: `# ` a remark, `> ` a line of the client, `= `
//! the command that it is, `* ` what the session does (both in the vocabulary),
//! `< ` a line to the client.

#![allow(dead_code)]

pub mod scenes;
pub mod values;

use std::collections::VecDeque;
use std::fmt::Debug;

use greenroom_protocol::dialect::{Dialect, LineFault};
use greenroom_protocol::session::{Command, Event, Happening, Millis, Refusal, Reply, Snapshot};
use greenroom_protocol::wire::Frames;

/// 2026-11-06 12:00 UTC.
pub const NOON: u64 = 1_793_966_400_000;

/// What a scene may do, on whichever wire it is played.
pub trait Stage {
    /// A remark.
    fn remark(&mut self, text: &str);
    /// The session is open.
    fn greet(&mut self, state: &Snapshot);
    /// The client sends the line of its wire; nothing where it has none.
    fn say(&mut self, hm: &str, autohand: &str);
    /// The oldest command without an answer gets this one. Nothing happens when
    /// there is none, as on a wire that had no such line.
    fn answer(&mut self, outcome: Result<Reply, Refusal>);
    /// Something happens.
    fn tell(&mut self, happening: Happening);
    /// The connection ends.
    fn farewell(&mut self, exit_code: u8);
}

/// A connection and the script of what it went through.
pub struct Player<D: Dialect> {
    dialect: D,
    wire: &'static str,
    asked: VecDeque<D::Asked>,
    now: u64,
    seq: u64,
    pub script: String,
    /// All lines to the client.
    pub frames: Vec<String>,
}

impl<D: Dialect> Player<D> {
    pub fn new(wire: &'static str, dialect: D) -> Player<D> {
        Player {
            dialect,
            wire,
            asked: VecDeque::new(),
            now: NOON,
            seq: 0,
            script: String::new(),
            frames: Vec::new(),
        }
    }

    /// One line of the client, as its transport gives it.
    pub fn line(&mut self, line: &str) -> Option<Command> {
        self.write(">", line);
        let mut out = Frames::new();
        let at = self.tick();
        let read = self.dialect.read(line, at, &mut out);
        let command = read.map(|(asked, command)| {
            self.asked.push_back(asked);
            self.write("=", &format!("{command:?}"));
            command
        });
        self.take(out);
        command
    }

    /// A line that was no text.
    pub fn unreadable(&mut self, fault: LineFault) {
        let name = match fault {
            LineFault::TooLong { .. } => "(too long)",
            LineFault::NotUtf8 => "(not UTF-8)",
        };
        self.write(">", name);
        let mut out = Frames::new();
        let at = self.tick();
        self.dialect.unreadable(fault, at, &mut out);
        self.take(out);
    }

    fn tick(&mut self) -> Millis {
        self.now += 1;
        Millis(self.now)
    }

    fn write(&mut self, sign: &str, text: &str) {
        self.script += &format!("{sign} {text}\n");
    }

    fn happens(&mut self, what: &impl Debug) {
        self.write("*", &format!("{what:?}"));
    }

    fn take(&mut self, out: Frames) {
        for frame in out.iter() {
            let frame = String::from_utf8(frame.to_vec()).unwrap();
            self.write("<", &frame);
            self.frames.push(frame);
        }
    }
}

impl<D: Dialect> Stage for Player<D> {
    fn remark(&mut self, text: &str) {
        self.write("#", text);
    }

    fn greet(&mut self, state: &Snapshot) {
        self.happens(state);
        let mut out = Frames::new();
        let at = self.tick();
        self.dialect.greet(state, at, &mut out);
        self.take(out);
    }

    fn say(&mut self, hm: &str, autohand: &str) {
        let line = if self.wire == "hm" { hm } else { autohand };
        if !line.is_empty() {
            self.line(line);
        }
    }

    fn answer(&mut self, outcome: Result<Reply, Refusal>) {
        let Some(asked) = self.asked.pop_front() else {
            return;
        };
        self.happens(&outcome);
        let mut out = Frames::new();
        let at = self.tick();
        self.dialect.answer(asked, &outcome, at, &mut out);
        self.take(out);
    }

    fn tell(&mut self, happening: Happening) {
        self.happens(&happening);
        self.seq += 1;
        let event = Event {
            seq: self.seq,
            at: self.tick(),
            happening,
        };
        let mut out = Frames::new();
        self.dialect.tell(&event, &mut out);
        self.take(out);
    }

    fn farewell(&mut self, exit_code: u8) {
        self.write("*", &format!("the end, exit code {exit_code}"));
        let mut out = Frames::new();
        let at = self.tick();
        self.dialect.farewell(exit_code, at, &mut out);
        self.take(out);
    }
}
