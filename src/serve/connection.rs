//! Carries one connection: lines in, frames out, one session behind.
//!
//! One task does both directions, so the dialect needs no lock. Writing never
//! keeps it from reading: an abort is heard while the client reads nothing.

use std::borrow::Cow;
use std::sync::Arc;

use greenroom_actors::outbox::{Out, OutboxReader};
use greenroom_actors::ports::Clock;
use greenroom_actors::session::{Leave, SessionMsg};
use greenroom_actors::sessions::SessionHandle;
use greenroom_protocol::dialect::{Dialect, EndOfInput};
use greenroom_protocol::session::{AbortedBy, Command, Refusal};
use greenroom_protocol::wire::{Frames, LineBuffer, LineFault};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::sync::mpsc;
use tokio::time::{Duration, Instant};

use super::asked::Open;
use super::exit::Exit;

/// Bounds of one connection.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// The longest input line, in bytes.
    pub line_bytes: usize,
    /// While so much output waits, no more input is read.
    pub hard_bytes: usize,
    /// While so many commands wait for their answers, no more input is read.
    pub open_commands: usize,
    /// How long the end of a connection may take once it was told to stop.
    pub grace: Duration,
}

/// Outs that are put into words at once.
const OUTS_AT_ONCE: usize = 512;
/// Bytes that are read at once.
const READ_BYTES: usize = 256 << 10;
/// Room that the output buffer keeps.
const KEEP_BYTES: usize = 256 << 10;

/// One connection.
pub struct Connection<D: Dialect> {
    dialect: D,
    session: SessionHandle,
    outbox: OutboxReader,
    clock: Arc<dyn Clock>,
    limits: Limits,
    open: Open<D::Asked>,
    frames: Frames,
    /// How much of the frames is written.
    written: usize,
    greeted: bool,
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
            frames: Frames::new(),
            written: 0,
            greeted: false,
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
        mut stops: mpsc::Receiver<()>,
    ) -> Exit {
        let mut lines = LineBuffer::new(self.limits.line_bytes);
        let mut bytes = vec![0; READ_BYTES];
        let mut outs = Vec::new();
        let mut input_open = true;
        let mut output_open = true;
        let mut stops_open = true;
        loop {
            let writing = output_open && self.written < self.frames.len();
            if self.done && !writing {
                break;
            }
            let reading = input_open && self.greeted && self.exit.is_none() && self.has_room();
            // Not biased: a flood of events must not keep an abort unheard.
            tokio::select! {
                stop = stops.recv(), if stops_open => match stop {
                    Some(()) if self.exit == Some(Exit::Signal) => break,
                    Some(()) => self.leave(Exit::Signal),
                    None => stops_open = false,
                },
                count = output.write(&self.frames.as_lines()[self.written..]), if writing => {
                    match count {
                        Ok(count) if count > 0 => self.wrote(count),
                        _ => {
                            output_open = false;
                            self.written = self.frames.len();
                            self.leave(Exit::OutputClosed);
                        }
                    }
                }
                () = self.outbox.take(&mut outs, OUTS_AT_ONCE), if !writing && !self.done => {
                    for out in outs.drain(..) {
                        self.take_out(out);
                    }
                    if !output_open {
                        self.frames.clear(0);
                        self.written = 0;
                    }
                }
                count = input.read(&mut bytes), if reading => {
                    let count = count.unwrap_or(0);
                    for line in lines.push(bytes.get(..count).unwrap_or_default()) {
                        self.take_line(line).await;
                    }
                    if count == 0 {
                        input_open = false;
                        if let Some(line) = lines.finish() {
                            self.take_line(line.map(Cow::Owned)).await;
                        }
                        self.leave(Exit::InputEnded);
                    }
                }
                () = passed(self.deadline) => {
                    tracing::warn!("the session did not end in time");
                    break;
                }
            }
        }
        let _ = output.flush().await;
        self.exit.unwrap_or(Exit::SessionClosed)
    }

    fn has_room(&self) -> bool {
        let waiting = self.frames.len() - self.written + self.outbox.waiting_bytes();
        waiting < self.limits.hard_bytes && self.open.len() < self.limits.open_commands
    }

    fn wrote(&mut self, count: usize) {
        self.written += count;
        if self.written >= self.frames.len() {
            self.frames.clear(KEEP_BYTES);
            self.written = 0;
        }
    }

    async fn take_line(&mut self, line: Result<Cow<'_, str>, LineFault>) {
        let at = self.clock.now();
        let read = match line {
            Err(fault) => return self.dialect.unreadable(fault, at, &mut self.frames),
            // A long line is let go before the session works on what it says.
            Ok(line) => self.dialect.read(&line, at, &mut self.frames),
        };
        let Some((asked, command)) = read else {
            return;
        };
        match with_checked_images(command).await {
            Ok(command) => {
                let ticket = self.open.next();
                let by = self.session.client();
                let generation = self.session.send(SessionMsg::Ask {
                    by,
                    ticket,
                    command,
                });
                self.open.keep(ticket, generation, asked);
            }
            Err(refusal) => self.answer(asked, &Err(refusal)),
        }
    }

    fn take_out(&mut self, out: Out) {
        match out {
            Out::Joined { state, at } => {
                self.dialect.greet(&state, at, &mut self.frames);
                self.greeted = true;
            }
            Out::Answered {
                ticket,
                outcome,
                at,
            } => {
                if let Some(asked) = self.open.settle(ticket) {
                    self.dialect.answer(asked, &outcome, at, &mut self.frames);
                }
            }
            Out::Happened(event) => self.dialect.tell(&event, &mut self.frames),
            Out::Restarted { generation, .. } => {
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

    fn answer(
        &mut self,
        asked: D::Asked,
        outcome: &Result<greenroom_protocol::session::Reply, Refusal>,
    ) {
        let at = self.clock.now();
        self.dialect.answer(asked, outcome, at, &mut self.frames);
    }

    /// Begins to end. Only a stop stands above a reason that is known already.
    fn leave(&mut self, exit: Exit) {
        if self.exit.is_some() && exit != Exit::Signal && exit != Exit::OutputClosed {
            return;
        }
        self.exit = Some(exit);
        if exit != Exit::InputEnded {
            self.deadline = Some(Instant::now() + self.limits.grace);
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
        let exit = *self.exit.get_or_insert(Exit::SessionClosed);
        let at = self.clock.now();
        self.dialect.farewell(exit.code(), at, &mut self.frames);
        self.done = true;
    }
}

async fn passed(deadline: Option<Instant>) {
    match deadline {
        Some(deadline) => tokio::time::sleep_until(deadline).await,
        None => std::future::pending().await,
    }
}

/// Pictures are decoded once, and scaled down when they are large, before the
/// session sees them; a false one refuses the whole command.
async fn with_checked_images(command: Command) -> Result<Command, Refusal> {
    Ok(match command {
        Command::Prompt(content) => Command::Prompt(crate::images::prepare(content).await?),
        Command::Steer(content) => Command::Steer(crate::images::prepare(content).await?),
        Command::FollowUp(content) => Command::FollowUp(crate::images::prepare(content).await?),
        other => other,
    })
}
