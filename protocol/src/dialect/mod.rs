//! One folder per wire language. Adding one is a folder and a line here.
//!
//! A dialect translates for one connection: frames to commands on the way in,
//! answers and events to frames on the way out. It decides nothing and keeps
//! only what its own wire needs. No dialect knows another.

pub mod autohand;
pub mod hm;

use crate::session::{Command, Event, Millis, Refusal, Reply, Snapshot};
use crate::wire::Frames;

pub use crate::wire::LineFault;

/// One connection's translator. Whoever holds it does the reading and writing.
pub trait Dialect: Send {
    /// What must be kept of a command to word its answer.
    type Asked: Send;

    /// Whether the wire has words for the output of running tools.
    const TELLS_OUTPUT: bool;

    /// Reads one line (without its line end, never blank). A line that is no
    /// command is answered into `out`, and reading goes on.
    fn read(&mut self, line: &str, at: Millis, out: &mut Frames) -> Option<(Self::Asked, Command)>;

    /// Answers a line that could not even be read as text.
    fn unreadable(&mut self, fault: LineFault, at: Millis, out: &mut Frames);

    /// The first frames of the connection: the session is open.
    fn greet(&mut self, state: &Snapshot, at: Millis, out: &mut Frames);

    /// The one answer to a command.
    fn answer(
        &mut self,
        asked: Self::Asked,
        outcome: &Result<Reply, Refusal>,
        at: Millis,
        out: &mut Frames,
    );

    /// What happened, in this wire's words: none, one or several frames.
    fn tell(&mut self, event: &Event, out: &mut Frames);

    /// The last frames of the connection; `exit_code` is the process's.
    fn farewell(&mut self, exit_code: u8, at: Millis, out: &mut Frames);

    /// What the end of the input does to a running turn.
    fn end_of_input(&self) -> EndOfInput;
}

/// What the end of the input does to a running turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EndOfInput {
    /// It runs to its end (hm). Nobody can answer any more, so what is open is
    /// refused.
    FinishTurn,
    /// It is aborted (Autohand).
    AbortTurn,
}
