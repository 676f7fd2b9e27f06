//! The one ordered path from a session to a client.
//!
//! Answers and events share it, so that none overtakes another. The session
//! never waits for it. When a reader falls behind, neighbouring pieces of the
//! same text, thinking or tool output become one piece; nothing else is merged,
//! and nothing is ever dropped. A reader who stays behind slows, and at last
//! holds, the workers of the turn (`session/reports.rs`), and answers are
//! bounded by a connection that takes up no more commands.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use greenroom_protocol::session::{
    CallId, EntryId, Event, Happening, Millis, OutputStream, Refusal, Reply, Snapshot, Ticket,
};
use tokio::sync::Notify;

use crate::sessions::SessionHandle;

/// What a client gets from a session, in the order in which it happened.
#[derive(Debug, Clone, PartialEq)]
pub enum Out {
    /// The client has joined; events after `seq` of the state follow.
    Joined {
        /// The state at that moment.
        state: Box<Snapshot>,
        /// When.
        at: Millis,
    },
    /// The one answer to a command.
    Answered {
        /// Which command.
        ticket: Ticket,
        /// Its outcome.
        outcome: Result<Reply, Refusal>,
        /// When.
        at: Millis,
    },
    /// Something happened.
    Happened(Arc<Event>),
    /// The client asked to leave, and nothing more will come.
    Left,
    /// The session's actor failed and was started anew from the journal.
    /// Commands without an answer get none from the session any more.
    Restarted {
        /// The actor's number, as in [`crate::sessions::SessionHandle`]:
        /// commands sent to an earlier one have no answer.
        generation: u32,
        /// When.
        at: Millis,
    },
    /// The client goes on in another session: its state follows, and commands
    /// go there from now on.
    Moved(SessionHandle),
    /// The session is gone for good; nothing more will come.
    Closed {
        /// Why, in words.
        reason: String,
    },
}

/// The session's end of the path. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Outbox {
    shared: Arc<Shared>,
    /// Held for its drop.
    _alive: Arc<Alive>,
}

/// When the last of the session's ends is gone, nothing will come any more.
#[derive(Debug)]
struct Alive(Arc<Shared>);

/// The client's end of the path.
#[derive(Debug)]
pub struct OutboxReader(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    queue: Mutex<Queue>,
    filled: Notify,
    drained: Notify,
    wants: Wants,
}

/// What a client's path takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wants {
    /// Pieces merge while more than this many bytes wait.
    pub soft_bytes: usize,
    /// Whether the client's wire has words for the output of running tools; if
    /// not, it is not put on the path.
    pub tool_output: bool,
}

#[derive(Debug, Default)]
struct Queue {
    items: VecDeque<Item>,
    bytes: usize,
    reader_gone: bool,
}

#[derive(Debug)]
enum Item {
    Out(Out),
    /// Several pieces of one text, not yet made into one event.
    Merged {
        key: PieceKey,
        seq: u64,
        at: Millis,
        text: String,
    },
}

/// Which text a piece belongs to.
#[derive(Debug, Clone, PartialEq, Eq)]
enum PieceKey {
    Text(EntryId),
    Thinking(EntryId),
    Output(CallId, OutputStream),
}

/// Makes a path.
pub fn outbox(wants: Wants) -> (Outbox, OutboxReader) {
    let shared = Arc::new(Shared {
        queue: Mutex::default(),
        filled: Notify::new(),
        drained: Notify::new(),
        wants,
    });
    let outbox = Outbox {
        shared: shared.clone(),
        _alive: Arc::new(Alive(shared.clone())),
    };
    (outbox, OutboxReader(shared))
}

impl Outbox {
    /// True when nobody reads any more.
    pub fn is_closed(&self) -> bool {
        let queue = self
            .shared
            .queue
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        queue.reader_gone
    }

    /// How many bytes wait, about.
    pub fn waiting_bytes(&self) -> usize {
        self.shared.waiting_bytes()
    }

    /// Waits until less than so many bytes wait, or nobody reads any more.
    pub async fn below(&self, bytes: usize) {
        // A notice given before the wait begins is kept, so none is missed.
        while self.shared.waiting_bytes() >= bytes && !self.is_closed() {
            self.shared.drained.notified().await;
        }
        // Somebody else may wait for the same.
        self.shared.drained.notify_one();
    }

    /// Puts something at the end. False when nobody reads any more.
    pub fn push(&self, out: Out) -> bool {
        self.shared.push(out)
    }
}

impl Drop for Alive {
    fn drop(&mut self) {
        let reason = "all that served the session are gone".to_owned();
        self.0.push(Out::Closed { reason });
    }
}

impl OutboxReader {
    /// Waits until something is there, then moves all that waits, but at most
    /// `most`, to `outs`.
    pub async fn take(&mut self, outs: &mut Vec<Out>, most: usize) {
        // A notice given before the wait begins is kept, so none is missed.
        while !self.take_now(outs, most) {
            self.0.filled.notified().await;
        }
    }

    /// As [`OutboxReader::take`], without waiting. False when nothing was there.
    pub fn take_now(&mut self, outs: &mut Vec<Out>, most: usize) -> bool {
        let mut queue = self.0.queue.lock().unwrap_or_else(PoisonError::into_inner);
        let mut taken = 0;
        while taken < most {
            let Some(item) = queue.items.pop_front() else {
                break;
            };
            let out = item.into_out();
            queue.bytes = queue.bytes.saturating_sub(weight(&out));
            outs.push(out);
            taken += 1;
        }
        drop(queue);
        if taken > 0 {
            self.0.drained.notify_one();
        }
        taken > 0
    }

    /// How many bytes wait, about.
    pub fn waiting_bytes(&self) -> usize {
        self.0.waiting_bytes()
    }
}

impl Shared {
    fn push(&self, out: Out) -> bool {
        let mut queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
        if queue.reader_gone {
            return false;
        }
        let is_output = matches!(&out, Out::Happened(event)
            if matches!(event.happening, Happening::CallOutput { .. }));
        if is_output && !self.wants.tool_output {
            return true;
        }
        let full = queue.bytes > self.wants.soft_bytes;
        queue.bytes += weight(&out);
        match out {
            Out::Happened(event) if full => queue.push_merging(event),
            out => queue.items.push_back(Item::Out(out)),
        }
        drop(queue);
        self.filled.notify_one();
        true
    }

    fn waiting_bytes(&self) -> usize {
        let queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
        queue.bytes
    }
}

impl Drop for OutboxReader {
    fn drop(&mut self) {
        let mut queue = self.0.queue.lock().unwrap_or_else(PoisonError::into_inner);
        queue.reader_gone = true;
        queue.items.clear();
        queue.bytes = 0;
        drop(queue);
        self.0.drained.notify_one();
    }
}

impl Queue {
    fn push_merging(&mut self, event: Arc<Event>) {
        let Some((key, piece)) = piece_of(&event.happening) else {
            self.items.push_back(Item::Out(Out::Happened(event)));
            return;
        };
        match self.items.back_mut() {
            Some(Item::Merged {
                key: last,
                seq,
                at,
                text,
            }) if *last == key => {
                text.push_str(piece);
                *seq = event.seq;
                *at = event.at;
                self.bytes = self.bytes.saturating_sub(EVENT_WEIGHT);
            }
            _ => self.items.push_back(Item::Merged {
                key,
                seq: event.seq,
                at: event.at,
                text: piece.to_owned(),
            }),
        }
    }
}

impl Item {
    fn into_out(self) -> Out {
        match self {
            Item::Out(out) => out,
            Item::Merged { key, seq, at, text } => {
                let text = text.into();
                let happening = match key {
                    PieceKey::Text(entry) => Happening::TextAdded { entry, text },
                    PieceKey::Thinking(entry) => Happening::ThinkingAdded { entry, text },
                    PieceKey::Output(call, stream) => Happening::CallOutput { call, stream, text },
                };
                Out::Happened(Arc::new(Event { seq, at, happening }))
            }
        }
    }
}

fn piece_of(happening: &Happening) -> Option<(PieceKey, &str)> {
    match happening {
        Happening::TextAdded { entry, text } => Some((PieceKey::Text(*entry), text)),
        Happening::ThinkingAdded { entry, text } => Some((PieceKey::Thinking(*entry), text)),
        Happening::CallOutput { call, stream, text } => {
            Some((PieceKey::Output(call.clone(), *stream), text))
        }
        _ => None,
    }
}

/// How much text an event holds, about.
fn text_of(happening: &Happening) -> usize {
    match happening {
        Happening::MessageEnded { message, .. } => message.text.len() + message.thinking.len(),
        Happening::UserMessage { content, .. } => content.weight(),
        Happening::CallStarted(call) => call.input.0.len(),
        Happening::CallEnded(result) => result.text.len(),
        Happening::FileChanged { diff, .. } => diff.as_ref().map_or(0, |diff| diff.len()),
        other => piece_of(other).map_or(0, |(_, piece)| piece.len()),
    }
}

/// What an event counts beyond its text.
const EVENT_WEIGHT: usize = 128;

fn weight(out: &Out) -> usize {
    match out {
        Out::Happened(event) => EVENT_WEIGHT + text_of(&event.happening),
        Out::Joined { .. } | Out::Restarted { .. } => 2 * EVENT_WEIGHT,
        Out::Answered { outcome, .. } => match outcome {
            Ok(Reply::Messages(messages)) => EVENT_WEIGHT * (1 + messages.len()),
            Ok(Reply::Sessions(listings)) => EVENT_WEIGHT * 4 * (1 + listings.len()),
            _ => 2 * EVENT_WEIGHT,
        },
        Out::Left | Out::Moved(_) | Out::Closed { .. } => EVENT_WEIGHT,
    }
}

#[cfg(test)]
mod tests;
