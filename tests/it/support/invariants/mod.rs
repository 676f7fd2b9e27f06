//! What must hold of every trace, whatever was sent: a model of each wire's
//! promises (for hm, section 7 of its page), fed with what went in and what
//! came out.
//!
//! A host feeds it as lines come, so that a broken promise is told at the line
//! that breaks it.

mod autohand;
mod hm;
mod sent;

use super::lines::Line;
use autohand::Autohand;
use hm::Hm;
use sent::Sent;

/// Which wire a process speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wire {
    /// `agent --rpc`
    Hm,
    /// `--mode rpc`
    Autohand,
}

/// How a trace ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// The process ended by itself, with this code.
    Exit(i32),
    /// It was killed: nothing can be said of its end.
    Killed,
}

/// Whether promises are kept; knows what is open.
#[derive(Debug)]
pub enum Checker {
    Hm(Box<Hm>),
    Autohand(Box<Autohand>),
}

impl Checker {
    pub fn new(wire: Wire) -> Checker {
        match wire {
            Wire::Hm => Checker::Hm(Box::default()),
            Wire::Autohand => Checker::Autohand(Box::default()),
        }
    }

    pub fn wire(&self) -> Wire {
        match self {
            Checker::Hm(_) => Wire::Hm,
            Checker::Autohand(_) => Wire::Autohand,
        }
    }

    /// Bytes that are about to be sent.
    pub fn sent(&mut self, bytes: &[u8]) {
        match self {
            Checker::Hm(hm) => hm.sent.push(bytes),
            Checker::Autohand(autohand) => autohand.sent.push(bytes),
        }
    }

    /// Nothing more is sent: the last line has ended.
    pub fn input_ended(&mut self) {
        match self {
            Checker::Hm(hm) => hm.sent.finish(),
            Checker::Autohand(autohand) => autohand.sent.finish(),
        }
    }

    /// Messages that an earlier process left in the queue, by their `source`.
    pub fn was_queued(&mut self, source: &str, text: &str) {
        if let Checker::Hm(hm) = self {
            hm.was_queued(source, text);
        }
    }

    /// The next line that came; tells which promise it breaks.
    pub fn line(&mut self, line: &Line) -> Result<(), String> {
        match self {
            Checker::Hm(hm) => hm.line(line),
            Checker::Autohand(autohand) => autohand.line(line),
        }
    }

    /// Nothing more comes.
    pub fn end(&mut self, end: End) -> Result<(), String> {
        match self {
            Checker::Hm(hm) => hm.end(end),
            Checker::Autohand(autohand) => autohand.end(end),
        }
    }

    /// Whether a turn runs, as far as lines tell.
    pub fn is_running(&self) -> bool {
        match self {
            Checker::Hm(hm) => hm.is_running(),
            Checker::Autohand(autohand) => autohand.is_running(),
        }
    }

    /// Calls that wait for a decision, and calls that wait for an answer.
    pub fn waiting(&self) -> (Vec<String>, Vec<String>) {
        match self {
            Checker::Hm(hm) => hm.waiting(),
            Checker::Autohand(autohand) => autohand.waiting(),
        }
    }
}

/// Breaks a promise unless this holds.
fn must(holds: bool, promise: impl FnOnce() -> String) -> Result<(), String> {
    match holds {
        true => Ok(()),
        false => Err(promise()),
    }
}

#[cfg(test)]
mod tests;
