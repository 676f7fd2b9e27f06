//! `autohand --mode rpc`: JSON lines, events with their fields in `data`.
//!
//! The wire of the peer's published page. Where the peer's program and its SDKs
//! use other names for the same field, both names are written, and both are
//! read. Promises and tests: `docs/protocols/autohand.md`.

mod call;
mod command;
mod context;
mod event;
mod head;
mod history;
mod refusal;
mod response;
mod turn;

use std::collections::BTreeMap;

use crate::dialect::{Dialect, EndOfInput, LineFault};
use crate::session::{
    Call, CallId, Command, Event, Millis, Refusal, Reply, SessionId, Snapshot, TurnId,
};
use crate::wire::{Asked, Frames};

use context::Context;
use head::Head;

/// One connection of `autohand --mode rpc`.
#[derive(Debug, Default)]
pub struct Autohand {
    head: Head,
    /// Nothing until the connection is greeted.
    session: Option<SessionId>,
    context: Context,
    /// A turn whose instruction is not known yet, so it is not told either.
    starting: Option<TurnId>,
    /// Calls told by the session that have not begun to run: their start is
    /// told when they do.
    calls: BTreeMap<CallId, Call>,
    /// The last turn ended because the input did.
    cut: bool,
}

impl Autohand {
    /// A connection that has not been greeted yet.
    pub fn new() -> Autohand {
        Autohand::default()
    }
}

impl Dialect for Autohand {
    type Asked = Asked;

    const TELLS_OUTPUT: bool = true;

    fn read(&mut self, line: &str, _at: Millis, out: &mut Frames) -> Option<(Asked, Command)> {
        match command::read(line) {
            Ok(read) => Some(read),
            Err(unread) => {
                response::refused(&unread.asked, &unread.error, out);
                None
            }
        }
    }

    fn unreadable(&mut self, fault: LineFault, _at: Millis, out: &mut Frames) {
        let unread = command::unreadable(fault);
        response::refused(&unread.asked, &unread.error, out);
    }

    fn greet(&mut self, state: &Snapshot, at: Millis, out: &mut Frames) {
        self.session = Some(state.info.id.clone());
        self.context.learn(&state.info);
        self.start(state, at, out);
        self.catch_up(state, at, out);
    }

    fn answer(
        &mut self,
        asked: Asked,
        outcome: &Result<Reply, Refusal>,
        _at: Millis,
        out: &mut Frames,
    ) {
        match outcome {
            Ok(Reply::State(state)) => self.context.learn(&state.info),
            Ok(Reply::Reset(session)) => self.session = Some(session.clone()),
            Ok(_) | Err(_) => (),
        }
        response::answer(&asked, outcome, out);
    }

    fn tell(&mut self, event: &Event, out: &mut Frames) {
        self.write(event, out);
    }

    fn farewell(&mut self, exit_code: u8, at: Millis, out: &mut Frames) {
        self.end(exit_code, at, out);
    }

    fn end_of_input(&self) -> EndOfInput {
        EndOfInput::AbortTurn
    }
}
