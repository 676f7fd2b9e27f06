//! Commands that run in the background of a session: jobs.
//!
//! - `job`: one of them, as others see it; `runner` is the task that reads what
//!   it writes and ends it; `ring` keeps that in bounded memory.
//! - `board`: which session has which, how many at once, who hears of their ends.
//! - `start` is the rest of a `shell` call with `background`; `output`, `input`
//!   and `kill` are tools of their own.
//!
//! How processes are started and ended is [`super::shell`]'s matter. Must not
//! know: turns, what the end of a job leads to.

mod board;
mod input;
mod job;
mod kill;
mod output;
mod ring;
mod runner;
mod start;

pub(super) use board::Jobs;
pub(super) use input::JobInput;
pub(super) use kill::JobKill;
pub(super) use output::JobOutput;
pub(super) use start::{as_detached, start};

#[cfg(test)]
mod tests;
