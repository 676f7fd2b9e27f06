//! A turn whose conversation grows too long: before the next step, or when the
//! provider says so, the model sums up what is old, and the turn goes on.

use greenroom_protocol::session::{CompactionReason, Failure, Outcome};

use super::machine::{Phase, Progress, Turn};
use crate::ports::{ModelAnswer, ModelError};
use crate::session::{Core, Summing};

/// Why a turn sums up.
#[derive(Debug)]
pub(super) enum Why {
    /// There is little room left.
    Threshold,
    /// The provider refused the call so.
    Overflow(Failure),
}

impl Turn {
    pub(super) fn lacks_room(&self, core: &Core) -> bool {
        let facts = (core.settings.facts)(&self.model);
        let window = facts.and_then(|facts| facts.context_window);
        match (core.settings.limits.compact_at, window) {
            (Some(percent), Some(window)) => {
                core.context_now().saturating_mul(100) >= window.saturating_mul(percent.into())
            }
            _ => false,
        }
    }

    /// Has the model sum up; false when that can't be, or was done just now.
    pub(super) fn sum_up(&mut self, core: &mut Core, reason: CompactionReason, why: Why) -> bool {
        if std::mem::replace(&mut self.has_summed, true) {
            return false;
        }
        let summing = Summing::begin(core, reason, None, (&self.mode, &self.model));
        match summing {
            Some(summing) => self.phase = Phase::Summing(summing, why),
            None => return false,
        }
        true
    }

    /// The summary is there, or is not.
    pub(super) fn summed_up(
        &mut self,
        core: &mut Core,
        mut summing: Summing,
        why: Why,
        result: Result<ModelAnswer, ModelError>,
    ) -> Progress {
        let usage = match &result {
            Ok(answer) => answer.usage,
            Err(error) => error.usage,
        };
        self.usage = self.usage.plus(usage.unwrap_or_default());
        let summed = summing.answered(core, result);
        match (summing.end(core, summed), why) {
            (Err(_), Why::Overflow(failure)) => Progress::Ended(Outcome::Failed(failure)),
            // The next call may still fit.
            (Ok(()), _) | (Err(_), Why::Threshold) => {
                core.deliver_waiting();
                self.think(core)
            }
        }
    }
}
