//! `hm agent --rpc`: JSON lines, commands named by `type`, flat events.
//!
//! Every line begins with `v`, `type`, `session` and `time`. What the wire
//! promises, and which test holds it, stands in `docs/protocols/hm.md`. This
//! folder keeps no state of the session but what `session_end` must tell.

mod call;
mod command;
mod event;
mod head;
mod refusal;
mod response;
mod session;
mod tally;
mod turn;

use crate::dialect::{Dialect, EndOfInput, LineFault};
use crate::session::{Command, Event, Millis, Refusal, Reply, Snapshot};
use crate::wire::{Asked, Frames, Unread};

use head::Head;
use tally::Tally;
use turn::Acting;

/// One connection of `hm agent --rpc`.
#[derive(Debug, Default)]
pub struct Hm {
    head: Head,
    tally: Tally,
    /// What the last turn used, to tell when a change begins to act.
    acting: Option<Acting>,
    /// The context's size when the running compaction began.
    compacting_from: Option<u64>,
}

impl Hm {
    /// A connection that has not been greeted yet.
    pub fn new() -> Hm {
        Hm::default()
    }

    fn refuse(&mut self, unread: &Unread, at: Millis, out: &mut Frames) {
        response::refused(&mut self.head, &unread.asked, &unread.error, at, out);
    }
}

impl Dialect for Hm {
    type Asked = Asked;

    const TELLS_OUTPUT: bool = false;

    fn read(&mut self, line: &str, at: Millis, out: &mut Frames) -> Option<(Asked, Command)> {
        match command::read(line) {
            Ok(read) => Some(read),
            Err(unread) => {
                self.refuse(&unread, at, out);
                None
            }
        }
    }

    fn unreadable(&mut self, fault: LineFault, at: Millis, out: &mut Frames) {
        self.refuse(&command::unreadable(fault), at, out);
    }

    fn greet(&mut self, state: &Snapshot, at: Millis, out: &mut Frames) {
        self.head.set_session(state.info.id.clone());
        self.acting = Some(Acting::of(&state.info));
        session::start(&mut self.head, state, at, out);
        self.catch_up(state, at, out);
    }

    fn answer(
        &mut self,
        asked: Asked,
        outcome: &Result<Reply, Refusal>,
        at: Millis,
        out: &mut Frames,
    ) {
        response::answer(&mut self.head, &asked, outcome, at, out);
    }

    fn tell(&mut self, event: &Event, out: &mut Frames) {
        self.tally.count(&event.happening);
        self.write(event, out);
    }

    fn farewell(&mut self, exit_code: u8, at: Millis, out: &mut Frames) {
        session::end(&mut self.head, &self.tally, exit_code, at, out);
    }

    fn end_of_input(&self) -> EndOfInput {
        EndOfInput::FinishTurn
    }
}
