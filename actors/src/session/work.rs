//! What a session is busy with beside its turns: one thing at a time.

use greenroom_protocol::session::{Busy, Refusal, SubscriberId};

use super::compaction::Compaction;
use super::machine::Session;
use super::moving::Move;

/// What is under way.
#[derive(Debug)]
pub(super) enum Work {
    /// The conversation is summed up.
    Compaction(Compaction),
    /// An old entry is looked for, to go on from it.
    Move(Move),
}

impl Work {
    fn busy(&self) -> Busy {
        match self {
            Work::Compaction(_) => Busy::Compacting,
            Work::Move(_) => Busy::Moving,
        }
    }
}

impl Session {
    /// Nothing is under way that a turn, or another work, would meet.
    pub(super) fn is_free(&self) -> Result<(), Refusal> {
        match (&self.turn, &self.work) {
            (Some(_), _) => Err(Refusal::TurnRunning),
            (None, Some(work)) => Err(Refusal::Busy(work.busy())),
            (None, None) => Ok(()),
        }
    }

    /// Whether a client that leaves has still something to wait for.
    pub(super) fn keeps(&self, client: SubscriberId) -> bool {
        let mut pending = self.pending.iter();
        self.turn.is_some() || self.work.is_some() || pending.any(|(by, _)| *by == client)
    }

    /// Goes on with what an earlier state of the same session had begun.
    pub(super) fn take_over(&mut self, earlier: &mut Session) {
        self.work = earlier.work.take();
        self.pending = std::mem::take(&mut earlier.pending);
        self.leaving = std::mem::take(&mut earlier.leaving);
    }
}
