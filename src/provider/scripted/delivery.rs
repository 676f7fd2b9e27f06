//! Streams the pieces of one answer, at their times.

use std::mem;
use std::pin::Pin;
use std::time::Duration;

use greenroom_actors::ports::{Chunk, ChunkSink};
use tokio::time::{Instant, Sleep, sleep_until};

/// Pieces are words; a longer run of letters is cut.
const LONGEST_PIECE: usize = 32;

/// The stream of one answer.
pub(super) struct Delivery<'a> {
    sink: &'a ChunkSink,
    pace: Duration,
    /// From the first piece on.
    ticks: Option<Ticks>,
    /// Pieces that may still be sent.
    left: u64,
}

impl<'a> Delivery<'a> {
    pub fn new(sink: &'a ChunkSink, pace: Duration, most: u64) -> Delivery<'a> {
        Delivery {
            sink,
            pace,
            ticks: None,
            left: most,
        }
    }

    pub async fn words(&mut self, text: &str, chunk: fn(String) -> Chunk) {
        for piece in pieces(text) {
            if !self.send(chunk(piece.to_owned())).await {
                return;
            }
        }
    }

    pub async fn burst(&mut self, piece: &str, count: u64) {
        for _ in 0..count {
            if !self.send(Chunk::Text(piece.to_owned())).await {
                return;
            }
        }
    }

    /// Sends a piece, at its time. False when no further one can be sent: the
    /// failure is due, or nobody listens any more.
    pub async fn send(&mut self, chunk: Chunk) -> bool {
        if self.left == 0 {
            return false;
        }
        self.left -= 1;
        if !self.pace.is_zero() {
            match &mut self.ticks {
                None => self.ticks = Some(Ticks::new(self.pace)),
                Some(ticks) => ticks.next().await,
            }
        }
        if self.sink.send(chunk).await.is_err() {
            self.left = 0;
        }
        self.left > 0
    }
}

/// When pieces are due: counted from the first one, so that slow wake-ups don't
/// add up. The timer behind the next one is always set already: a timer that is
/// set before all others wakes the runtime by a system call of its own.
struct Ticks {
    pace: Duration,
    next: Pin<Box<Sleep>>,
    behind: Pin<Box<Sleep>>,
}

impl Ticks {
    fn new(pace: Duration) -> Ticks {
        let now = Instant::now();
        Ticks {
            pace,
            next: Box::pin(sleep_until(now + pace)),
            behind: Box::pin(sleep_until(now + pace * 2)),
        }
    }

    async fn next(&mut self) {
        self.next.as_mut().await;
        mem::swap(&mut self.next, &mut self.behind);
        let due = self.next.deadline() + self.pace;
        self.behind.as_mut().reset(due);
    }
}

/// Words, each with the blanks before it, as tokenizers cut them. Together
/// they are the text.
pub(super) fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let mut in_word = false;
        let end = rest
            .char_indices()
            .enumerate()
            .find_map(|(count, (at, letter))| {
                let ends = count == LONGEST_PIECE || (in_word && letter.is_whitespace());
                in_word |= !letter.is_whitespace();
                ends.then_some(at)
            })
            .unwrap_or(rest.len());
        let (piece, after) = rest.split_at_checked(end)?;
        rest = after;
        (!piece.is_empty()).then_some(piece)
    })
}
