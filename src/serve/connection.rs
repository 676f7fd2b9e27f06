//! Carries one connection: lines in, frames out, one session behind.
//!
//! One task does both directions, so the dialect needs no lock. Writing never
//! keeps it from reading, nor do pictures from hearing a stop: an abort is
//! heard while the client reads nothing.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;

use greenroom_actors::outbox::{Out, OutboxReader};
use greenroom_actors::ports::Clock;
use greenroom_actors::session::{Leave, SessionMsg};
use greenroom_actors::sessions::SessionHandle;
use greenroom_protocol::dialect::{Dialect, EndOfInput};
use greenroom_protocol::session::{AbortedBy, Command, Happening, Part, Refusal, Reply, Ticket};
use greenroom_protocol::wire::Line;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::mpsc;
use tokio::time::{Duration, Instant};

use super::asked::Open;
use super::exit::Exit;
use super::incoming::Incoming;
use super::outgoing::Outgoing;
use super::preparing::Preparing;

/// Bounds of one connection.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// The longest input line, in bytes.
    pub line_bytes: usize,
    /// While so much of answers waits, no more input is taken.
    pub hard_bytes: usize,
    /// While so many commands wait for their answers, no more input is taken.
    pub open_commands: usize,
    /// How long the end of a connection may take once it was told to stop.
    pub grace: Duration,
}

/// Why a connection is to end, beside the end of its input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// A signal to the process; a second one ends it at once.
    Signal,
    /// Nobody reads the output any more.
    OutputClosed,
}

/// Outs that are taken from the session at once.
const OUTS_AT_ONCE: usize = 512;
/// Outs are put into words while fewer bytes wait: as many as a pipe takes at
/// once. An answer in a flood stands behind them.
const WORDED_BYTES: usize = 64 << 10;
/// Rounds of the loop before others have their turn.
const ROUNDS_AT_ONCE: u32 = 4;
/// From here on a message takes its time to be put into words, in bytes.
const LONG_BYTES: usize = 1 << 20;

/// One connection.
pub struct Connection<D: Dialect> {
    dialect: D,
    session: SessionHandle,
    outbox: OutboxReader,
    clock: Arc<dyn Clock>,
    limits: Limits,
    open: Open<D::Asked>,
    outgoing: Outgoing,
    preparing: Preparing<D::Asked>,
    /// What answers and refusals have added to the frames since these were last
    /// empty: only this the client can grow without reading.
    answered_bytes: usize,
    greeted: bool,
    /// A fork was asked for: what comes behind it is meant for the fork, and
    /// waits in the input.
    forking: bool,
    /// Its number, once the session was asked.
    fork: Option<Ticket>,
    /// Why it ends, once that is known.
    exit: Option<Exit>,
    /// The session has said its last.
    done: bool,
    /// When it ends however things stand.
    deadline: Option<Instant>,
}

impl<D: Dialect> Connection<D> {
    /// A connection to a session that was opened with the other end of
    /// `outbox`.
    pub fn new(
        dialect: D,
        session: SessionHandle,
        outbox: OutboxReader,
        clock: Arc<dyn Clock>,
        limits: Limits,
    ) -> Connection<D> {
        Connection {
            dialect,
            session,
            outbox,
            clock,
            limits,
            open: Open::new(),
            outgoing: Outgoing::new(),
            preparing: Preparing::new(),
            answered_bytes: 0,
            greeted: false,
            forking: false,
            fork: None,
            exit: None,
            done: false,
            deadline: None,
        }
    }

    /// Serves until the input ends, a stop is asked for (a second one ends it
    /// at once), the output closes, or the session is gone.
    pub async fn serve(
        mut self,
        mut input: impl AsyncRead + Unpin,
        mut output: impl AsyncWrite + Unpin,
        stops: &mut mpsc::Receiver<Stop>,
    ) -> Exit {
        let mut incoming = Incoming::new(self.limits.line_bytes);
        let mut outs = Vec::new();
        let mut wordless: VecDeque<Out> = VecDeque::new();
        let mut stops_open = true;
        let mut rounds: u32 = 0;
        loop {
            rounds = rounds.wrapping_add(1);
            if rounds.is_multiple_of(ROUNDS_AT_ONCE) {
                // In a flood something is always ready. Input and signals are
                // looked for only when this task lets go.
                tokio::task::yield_now().await;
            }
            while self.outgoing.waiting() < WORDED_BYTES
                && let Some(out) = wordless.pop_front_if(|out| self.may_be_worded(out))
            {
                self.take_out(out);
                self.outgoing.forget_if_closed();
            }
            // What the output takes at once needs no round of its own.
            if self.outgoing.has_work()
                && let Some(Err(_)) = once(self.outgoing.work(&mut output)).await
            {
                self.leave(Exit::OutputClosed);
            }
            self.outgoing.forget_if_closed();
            if self.outgoing.waiting() == 0 {
                self.answered_bytes = 0;
                // A long message may have waited for just that.
                if !wordless.is_empty() {
                    continue;
                }
            }
            while self.takes_lines()
                && let Some(line) = incoming.next_line()
            {
                self.take_line(line);
            }
            if incoming.is_over() && self.preparing.is_empty() && self.exit.is_none() {
                self.leave(Exit::InputEnded);
            }
            if self.done && wordless.is_empty() && !self.outgoing.has_work() {
                break;
            }
            let reads = self.takes_lines() && incoming.wants_more();
            // Not biased: a flood of events must not keep an abort unheard.
            tokio::select! {
                stop = stops.recv(), if stops_open => match stop {
                    Some(Stop::Signal) if self.exit == Some(Exit::Signal) => break,
                    Some(Stop::Signal) => self.leave(Exit::Signal),
                    Some(Stop::OutputClosed) => self.leave(Exit::OutputClosed),
                    None => stops_open = false,
                },
                worked = self.outgoing.work(&mut output), if self.outgoing.has_work() => {
                    if worked.is_err() {
                        self.leave(Exit::OutputClosed);
                    }
                }
                () = self.outbox.take(&mut outs, OUTS_AT_ONCE),
                    if wordless.is_empty() && !self.done =>
                {
                    wordless.extend(outs.drain(..));
                }
                () = incoming.read(&mut input), if reads => (),
                ready = self.preparing.next() => {
                    for (asked, command) in ready {
                        self.ask(asked, command);
                    }
                }
                () = passed(self.deadline) => {
                    tracing::warn!("the session, or its reader, did not end in time");
                    break;
                }
            }
        }
        self.exit.unwrap_or(Exit::SessionClosed)
    }

    /// What waits before a long message goes out first: of a long prompt that
    /// is its answer.
    fn may_be_worded(&self, out: &Out) -> bool {
        self.outgoing.waiting() == 0 || !is_long(out)
    }

    /// Whether commands may be taken up.
    fn takes_lines(&self) -> bool {
        self.greeted
            && !self.forking
            && self.exit.is_none()
            && self.answered_bytes < self.limits.hard_bytes
            && self.open.len() + self.preparing.len() < self.limits.open_commands
    }

    fn take_line(&mut self, line: Line<'_>) {
        let at = self.clock.now();
        let before = self.outgoing.frames.len();
        let frames = &mut self.outgoing.frames;
        let read = match &line {
            Err(fault) => {
                self.dialect.unreadable(*fault, at, frames);
                None
            }
            Ok(line) => self.dialect.read(line, at, frames),
        };
        self.answered_bytes += self.outgoing.frames.len() - before;
        // A long line must not lie beside what was made of it.
        drop(line);
        let Some((asked, command)) = read else {
            return;
        };
        self.forking = matches!(command, Command::Fork { .. });
        for (asked, command) in self.preparing.push(asked, command) {
            self.ask(asked, command);
        }
    }

    fn ask(&mut self, asked: D::Asked, command: Result<Command, Refusal>) {
        let command = match command {
            Ok(command) => command,
            Err(refusal) => return self.answer(asked, &Err(refusal)),
        };
        let ticket = self.open.next();
        if matches!(command, Command::Fork { .. }) {
            self.fork = Some(ticket);
        }
        let by = self.session.client();
        let generation = self.session.send(SessionMsg::Ask {
            by,
            ticket,
            command,
        });
        self.open.keep(ticket, generation, asked);
    }

    fn take_out(&mut self, out: Out) {
        let frames = &mut self.outgoing.frames;
        match out {
            // After a restart the state comes again, for who had none.
            Out::Joined { .. } if self.greeted => (),
            Out::Joined { state, at } => {
                self.dialect.greet(&state, at, frames);
                self.greeted = true;
            }
            Out::Moved(session) => {
                self.session = session;
                self.greeted = false;
                // What the end meant for the old session, it means for the new.
                if let Some(exit) = self.exit {
                    self.tell_leave(exit);
                }
            }
            Out::Answered {
                ticket,
                outcome,
                at,
            } => {
                if self.fork == Some(ticket) {
                    self.forking = false;
                }
                if let Some(asked) = self.open.settle(ticket) {
                    let before = frames.len();
                    self.dialect.answer(asked, &outcome, at, frames);
                    self.answered_bytes += self.outgoing.frames.len() - before;
                }
            }
            Out::Happened(event) => self.dialect.tell(&event, frames),
            Out::Restarted { generation, .. } => {
                // A fork that was asked for is lost with the rest.
                self.forking = false;
                for asked in self.open.lost_before(generation) {
                    self.answer(asked, &Err(Refusal::Internal));
                }
                // Also a leave may have been lost with the actor.
                if let Some(exit) = self.exit {
                    self.tell_leave(exit);
                }
            }
            Out::Left => self.end(),
            Out::Closed { reason } => {
                tracing::error!(reason, "the session is gone");
                for asked in self.open.lost_before(u32::MAX) {
                    self.answer(asked, &Err(Refusal::Ended));
                }
                self.exit.get_or_insert(Exit::SessionClosed);
                self.end();
            }
        }
    }

    fn answer(&mut self, asked: D::Asked, outcome: &Result<Reply, Refusal>) {
        let at = self.clock.now();
        let frames = &mut self.outgoing.frames;
        self.dialect.answer(asked, outcome, at, frames);
    }

    /// Begins to end. A reason that is known already stands, but for the end of
    /// the input: a stop, or an output that closes, stands above that.
    fn leave(&mut self, exit: Exit) {
        if !matches!(self.exit, None | Some(Exit::InputEnded)) {
            return;
        }
        self.exit = Some(exit);
        if exit != Exit::InputEnded {
            self.deadline = Some(Instant::now() + self.limits.grace);
        }
        for (asked, command) in self.preparing.take_back() {
            self.ask(asked, command);
        }
        self.tell_leave(exit);
    }

    fn tell_leave(&self, exit: Exit) {
        let how = match (exit, self.dialect.end_of_input()) {
            (Exit::InputEnded, EndOfInput::FinishTurn) => Leave::AfterTurn,
            (Exit::InputEnded, EndOfInput::AbortTurn) => Leave::Abort(AbortedBy::ClientGone),
            (Exit::Signal, _) => Leave::Abort(AbortedBy::Signal),
            (Exit::OutputClosed | Exit::SessionClosed, _) => Leave::Abort(AbortedBy::ClientGone),
        };
        let client = self.session.client();
        self.session.send(SessionMsg::Leave { client, how });
    }

    fn end(&mut self) {
        if self.done {
            return;
        }
        let exit = *self.exit.get_or_insert(Exit::SessionClosed);
        let at = self.clock.now();
        let frames = &mut self.outgoing.frames;
        self.dialect.farewell(exit.code(), at, frames);
        self.done = true;
    }
}

fn is_long(out: &Out) -> bool {
    let Out::Happened(event) = out else {
        return false;
    };
    let Happening::UserMessage { content, .. } = &event.happening else {
        return false;
    };
    let is_long = |part: &Part| matches!(part, Part::Text(text) if text.len() > LONG_BYTES);
    content.parts.iter().any(is_long)
}

/// What comes of some work when it is looked at once.
async fn once<T>(work: impl Future<Output = T>) -> Option<T> {
    let mut work = pin!(work);
    poll_fn(|cx| match work.as_mut().poll(cx) {
        Poll::Ready(done) => Poll::Ready(Some(done)),
        Poll::Pending => Poll::Ready(None),
    })
    .await
}

async fn passed(deadline: Option<Instant>) {
    match deadline {
        Some(deadline) => tokio::time::sleep_until(deadline).await,
        None => std::future::pending().await,
    }
}
