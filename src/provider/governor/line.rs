//! Who is the next to go.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use greenroom_protocol::session::SessionId;
use tokio::sync::Notify;

/// So many sessions are remembered; those served longest ago are forgotten, and
/// count as new.
const MOST_SESSIONS: usize = 4096;

/// A place: the depth of the session, when it was last served, when it came.
type Key = (u32, u64, u64);

/// A place in the line, and whose it is.
#[derive(Debug)]
pub(super) struct Place {
    key: Key,
    session: SessionId,
}

/// Those who wait, in the order in which they go.
#[derive(Debug, Default)]
pub(super) struct Line {
    waiting: BTreeMap<Key, Arc<Notify>>,
    served: HashMap<SessionId, u64>,
    last_served: u64,
    last_came: u64,
}

impl Line {
    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    pub fn len(&self) -> usize {
        self.waiting.len()
    }

    /// A new place. `woken` is told when it is at the head.
    pub fn enter(&mut self, session: &SessionId, depth: u32, woken: Arc<Notify>) -> Place {
        self.last_came += 1;
        let served = self.served.get(session).copied().unwrap_or(0);
        let key = (depth, served, self.last_came);
        self.waiting.insert(key, woken);
        let session = session.clone();
        Place { key, session }
    }

    pub fn is_first(&self, place: &Option<Place>) -> bool {
        let first = self.waiting.first_key_value().map(|(key, _)| key);
        place.as_ref().map(|place| &place.key) == first
    }

    /// It goes.
    pub fn serve(&mut self, place: Place) {
        self.last_served += 1;
        if self.served.len() >= MOST_SESSIONS {
            let since = self.last_served.saturating_sub(MOST_SESSIONS as u64 / 2);
            self.served.retain(|_, served| *served > since);
        }
        self.served.insert(place.session.clone(), self.last_served);
        self.leave(&place);
    }

    pub fn leave(&mut self, place: &Place) {
        self.waiting.remove(&place.key);
        self.wake_first();
    }

    pub fn wake_first(&self) {
        if let Some((_, first)) = self.waiting.first_key_value() {
            first.notify_one();
        }
    }
}
