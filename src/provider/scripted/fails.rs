//! How often steps have failed.

use std::collections::{HashMap, VecDeque};

use greenroom_protocol::session::{EntryId, SessionId};

use super::moment::Place;

/// Failing steps that are remembered; the oldest are forgotten.
const MOST_FAIL_COUNTS: usize = 4096;

/// How often failing steps have failed: the only thing that a script remembers
/// outside the conversation, and bounded.
#[derive(Debug, Default)]
pub(super) struct FailCounts {
    counts: HashMap<FailKey, u32>,
    order: VecDeque<FailKey>,
}

/// One step of one turn of one session.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct FailKey {
    pub session: SessionId,
    pub prompt: EntryId,
    pub place: Place,
}

impl FailCounts {
    /// Counts a try, and says whether it is among the first `times`.
    pub fn count(&mut self, key: FailKey, times: u32) -> bool {
        if !self.counts.contains_key(&key) {
            if self.order.len() >= MOST_FAIL_COUNTS
                && let Some(oldest) = self.order.pop_front()
            {
                self.counts.remove(&oldest);
            }
            self.order.push_back(key.clone());
        }
        let tries = self.counts.entry(key).or_insert(0);
        *tries = tries.saturating_add(1);
        *tries <= times
    }

    #[cfg(test)]
    pub fn len(&self) -> usize {
        self.counts.len()
    }
}
