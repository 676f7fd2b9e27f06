//! How workers tell a session. Bounded: a worker waits while too many of its
//! reports are on the way, so a fast stream can't fill the mailbox.
//!
//! A stream that is faster than its readers is slowed to their pace, so that
//! pieces reach them unmerged and an answer does not stand behind thousands of
//! them; but only a little, so that a reader who has stopped stops nobody else.

use std::sync::Arc;
use std::time::Duration;

use ractor::ActorRef;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::input::Input;
use super::messages::SessionMsg;
use crate::outbox::Outbox;

/// Reports of one turn that may be on the way at once.
const ON_THE_WAY: usize = 4;
/// While more than so many bytes wait for a client, its session's workers are
/// slowed…
const PACED_BYTES: usize = 64 << 10;
/// … by at most so much a report…
const PACE: Duration = Duration::from_millis(20);
/// … and held while more than so many bytes wait: what a turn adds to memory
/// for a reader who has stopped is bounded. An abort is heard all the same.
const HELD_BYTES: usize = 8 << 20;

/// The way from workers to their session. Cheap to clone.
#[derive(Clone)]
pub struct Reports {
    session: ActorRef<SessionMsg>,
    permits: Arc<Semaphore>,
}

/// Held while a report is on its way.
pub struct Permit(OwnedSemaphorePermit);

impl Permit {
    /// Makes room for the next report: at once, or when a reader who is behind
    /// has caught up.
    pub(super) fn release<'a>(self, mut clients: impl Iterator<Item = &'a Outbox>) {
        let behind = clients.find(|outbox| outbox.waiting_bytes() >= PACED_BYTES);
        if let Some(outbox) = behind.cloned() {
            tokio::spawn(async move {
                let _ = tokio::time::timeout(PACE, outbox.below(PACED_BYTES)).await;
                outbox.below(HELD_BYTES).await;
                drop(self.0);
            });
        }
    }
}

impl Reports {
    pub(super) fn new(session: ActorRef<SessionMsg>) -> Reports {
        Reports {
            session,
            permits: Arc::new(Semaphore::new(ON_THE_WAY)),
        }
    }

    /// Sends a report, when there is room. A session that is gone needs none.
    pub async fn send(&self, input: Input) {
        if let Ok(permit) = self.permits.clone().acquire_owned().await {
            let permit = Permit(permit);
            let _ = self.session.cast(SessionMsg::Report { input, permit });
        }
    }
}
