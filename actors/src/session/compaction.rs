//! A compaction that a client asks for: work of the session's own, as a turn is:
//! one at a time, heard to its end or stopped at once.

use greenroom_protocol::session::{
    CompactionReason, Failure, FailureKind, Happening, Refusal, Reply, SubscriberId, Text, Ticket,
};

use super::input::{Effect, Input};
use super::machine::Session;
use super::summing::Summing;
use super::work::Work;

/// A compaction under way.
#[derive(Debug)]
pub(super) struct Compaction {
    by: SubscriberId,
    ticket: Ticket,
    summing: Summing,
}

impl Session {
    /// Whether there is enough to sum up.
    pub(super) fn can_compact(&self) -> Result<(), Refusal> {
        match Summing::is_possible(&self.core) {
            true => Ok(()),
            false => Err(Refusal::NothingToCompact),
        }
    }

    /// Begins. It is answered at its end.
    pub(super) fn compact(&mut self, by: SubscriberId, ticket: Ticket, focus: Option<&Text>) {
        let core = &mut self.core;
        core.out.push(Effect::StartTurn);
        let (mode, model) = (core.mode.clone(), core.model.clone());
        let reason = CompactionReason::Manual;
        let Some(summing) = Summing::begin(core, reason, focus, (&mode, &model)) else {
            core.out.push(Effect::StopTurn);
            return core.answer(by, ticket, Err(Refusal::NothingToCompact));
        };
        self.work = Some(Work::Compaction(Compaction {
            by,
            ticket,
            summing,
        }));
    }

    /// Reports of the model that sums up.
    pub(super) fn compaction_reported(&mut self, report: Input) {
        let Some(Work::Compaction(Compaction { summing, .. })) = &mut self.work else {
            return;
        };
        match report {
            Input::ModelSaid { work, chunks } if work == summing.work => summing.said(chunks),
            Input::ModelRetries {
                work,
                attempt,
                attempts,
                after,
                failure,
                usage,
            } if work == summing.work => {
                summing.count(&mut self.core, usage);
                let after_ms = u64::try_from(after.as_millis()).unwrap_or(u64::MAX);
                self.core.tell(Happening::Retrying {
                    attempt,
                    attempts,
                    after_ms,
                    failure,
                });
            }
            Input::ModelAnswered { work, result } if work == summing.work => {
                let summed = summing.answered(&mut self.core, result);
                self.end_compaction(summed);
            }
            _ => (),
        }
    }

    /// Ends the running compaction, if there is one.
    pub(super) fn end_compaction(&mut self, summed: Result<Text, Failure>) {
        let compaction = match self.work.take() {
            Some(Work::Compaction(compaction)) => compaction,
            other => {
                self.work = other;
                return;
            }
        };
        let core = &mut self.core;
        core.out.push(Effect::StopTurn);
        let outcome = match compaction.summing.end(core, summed) {
            Ok(()) => Ok(Reply::Done),
            Err(failure) => Err(Refusal::NotCompacted(failure.message)),
        };
        core.answer(compaction.by, compaction.ticket, outcome);
        self.let_leave();
    }

    /// Somebody stopped it.
    pub(super) fn abort_compaction(&mut self) {
        self.end_compaction(Err(Failure {
            kind: FailureKind::Aborted,
            message: "it was aborted; the conversation is as before".into(),
        }));
    }
}
