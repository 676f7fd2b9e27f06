//! How workers tell a session. Bounded: a worker waits while too many of its
//! reports are on the way, so a fast stream can't fill the mailbox.

use std::sync::Arc;

use ractor::ActorRef;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::input::Input;
use super::messages::SessionMsg;

/// Reports of one turn that may be on the way at once.
const ON_THE_WAY: usize = 16;

/// The way from workers to their session. Cheap to clone.
#[derive(Clone)]
pub struct Reports {
    session: ActorRef<SessionMsg>,
    permits: Arc<Semaphore>,
}

/// Held while a report is on its way.
pub struct Permit(#[expect(dead_code, reason = "held for its drop")] OwnedSemaphorePermit);

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
