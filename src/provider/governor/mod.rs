//! One gate a credential: what a provider says of its limits holds for every
//! session that uses the same key.
//!
//! `pace` knows when the next request may go, out of refusals (429) and headers;
//! `line` who is the next to go: parents before their sub-agents, and of equals
//! the session that has waited longest since its last turn. [`Gate`] makes both
//! wait. Nothing is limited before a provider has named a limit.

mod line;
mod pace;

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use greenroom_actors::ports::{Chunk, ChunkSink, ModelError};
use greenroom_protocol::session::{FailureKind, SessionId};
use reqwest::header::HeaderMap;
use tokio::sync::Notify;
use tokio::time::Instant;

use line::{Line, Place};
use pace::Pace;

/// More requests don't wait at one gate: the next is refused at once.
const MOST_WAITING: usize = 10_000;
/// A shorter wait is not worth a word.
const WORTH_TELLING: Duration = Duration::from_millis(50);

/// The gates of all credentials.
#[derive(Default)]
pub struct Governor {
    gates: Mutex<HashMap<u64, Arc<Gate>>>,
    hasher: RandomState,
}

impl Governor {
    /// The gate of this server and key. Without a key it is the server's.
    pub fn gate(&self, server: &str, key: Option<&str>) -> Arc<Gate> {
        let name = self.hasher.hash_one((server, key));
        let mut gates = self.gates.lock().unwrap_or_else(PoisonError::into_inner);
        gates.entry(name).or_default().clone()
    }
}

/// Where requests of one credential wait.
#[derive(Debug, Default)]
pub struct Gate(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    pace: Pace,
    line: Line,
}

impl Gate {
    /// Waits until a request of this session may go. What waits is told once, and
    /// that it goes; dropping the work leaves the line.
    pub async fn pass(
        self: &Arc<Self>,
        session: &SessionId,
        depth: u32,
        sink: &ChunkSink,
    ) -> Result<(), ModelError> {
        let woken = Arc::new(Notify::new());
        let place = {
            let mut state = self.lock();
            let now = Instant::now();
            if state.line.is_empty() && state.pace.next(now) <= now {
                state.pace.went(now);
                return Ok(());
            }
            if state.line.len() >= MOST_WAITING {
                let message = format!(
                    "{MOST_WAITING} requests wait for the provider's limit already; try later"
                );
                return Err(ModelError::passing(FailureKind::RateLimited, message));
            }
            state.line.enter(session, depth, woken.clone())
        };
        let mut waiting = Waiting {
            gate: self.clone(),
            place: Some(place),
            woken,
        };
        waiting.wait(sink).await
    }

    /// A request was refused because of a limit, to be made again after that
    /// time, if the provider named one.
    pub fn refused(&self, retry_after: Option<Duration>) {
        let mut state = self.lock();
        state.pace.refused(Instant::now(), retry_after);
        state.line.wake_first();
    }

    /// A request was taken, with these headers.
    pub fn taken(&self, headers: &HeaderMap) {
        let mut state = self.lock();
        state.pace.taken(Instant::now(), headers);
        state.line.wake_first();
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A place in the line, left when this is dropped.
struct Waiting {
    gate: Arc<Gate>,
    place: Option<Place>,
    woken: Arc<Notify>,
}

/// What somebody in the line may do now.
enum Turn {
    Go,
    /// It is the first, and waits for the pace.
    At(Instant),
    /// Others are before it.
    Behind,
}

impl Waiting {
    async fn wait(&mut self, sink: &ChunkSink) -> Result<(), ModelError> {
        let mut told = false;
        loop {
            let wait = match self.turn() {
                Turn::Go => break,
                Turn::At(when) => Some(when.saturating_duration_since(Instant::now())),
                Turn::Behind => None,
            };
            if !told && wait.is_none_or(|wait| wait > WORTH_TELLING) {
                told = true;
                let _ = sink.send(Chunk::Throttled { wait }).await;
            }
            tokio::select! {
                () = self.woken.notified() => (),
                () = tokio::time::sleep(wait.unwrap_or_default()), if wait.is_some() => (),
            }
        }
        if told {
            let _ = sink.send(Chunk::Admitted).await;
        }
        Ok(())
    }

    fn turn(&mut self) -> Turn {
        let mut state = self.gate.lock();
        let now = Instant::now();
        if !state.line.is_first(&self.place) {
            return Turn::Behind;
        }
        let next = state.pace.next(now);
        if next > now {
            return Turn::At(next);
        }
        state.pace.went(now);
        if let Some(place) = self.place.take() {
            state.line.serve(place);
        }
        Turn::Go
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        if let Some(place) = self.place.take() {
            self.gate.lock().line.leave(&place);
        }
    }
}

#[cfg(test)]
mod tests;
