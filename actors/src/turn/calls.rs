//! What comes in for the calls of the running answer: judgements, decisions,
//! output, results. Without one it is late, and changes nothing.

use greenroom_protocol::session::{Answer, CallId, Decision, OutputStream, SettledBy};

use super::batch::{Batch, BatchProgress};
use super::machine::{Phase, Progress, Turn};
use crate::ports::Ran;
use crate::session::{Core, Judged};
use crate::subagents::EndedAgent;

impl Turn {
    /// Lets the running batch take something in, if there is one.
    fn in_batch(
        &mut self,
        core: &mut Core,
        act: impl FnOnce(&mut Batch, &mut Core) -> BatchProgress,
    ) -> Progress {
        let Phase::Acting(batch) = &mut self.phase else {
            return Progress::Going;
        };
        let progress = act(batch, core);
        self.batch_went_on(core, progress)
    }

    pub(crate) fn call_judged(
        &mut self,
        core: &mut Core,
        call: CallId,
        judged: Judged,
    ) -> Progress {
        self.in_batch(core, |batch, core| batch.judged(core, &call, judged))
    }

    pub(crate) fn decided(
        &mut self,
        core: &mut Core,
        call: &CallId,
        decision: Decision,
    ) -> Progress {
        self.in_batch(core, |batch, core| batch.decided(core, call, decision))
    }

    pub(crate) fn answered(
        &mut self,
        core: &mut Core,
        call: &CallId,
        answers: &[Answer],
    ) -> Progress {
        match self.pause_answered(core, call, answers) {
            Some(progress) => progress,
            None => self.in_batch(core, |batch, core| batch.answered(core, call, answers)),
        }
    }

    pub(crate) fn tool_said(
        &mut self,
        core: &mut Core,
        call: CallId,
        pieces: Vec<(OutputStream, String)>,
    ) -> Progress {
        self.in_batch(core, |batch, core| batch.said(core, &call, pieces))
    }

    pub(crate) fn tool_ran(&mut self, core: &mut Core, call: CallId, ran: Ran) -> Progress {
        self.in_batch(core, |batch, core| batch.ran(core, &call, ran))
    }

    pub(crate) fn deadline_passed(&mut self, core: &mut Core, call: &CallId) -> Progress {
        let by = SettledBy::Deadline;
        if let Some(progress) = self.pause_given_up(core, Some(call), by) {
            return progress;
        }
        self.in_batch(core, |batch, core| batch.withdraw(core, Some(call), by))
    }

    /// A steer waits: calls that have not begun are skipped.
    pub(crate) fn steered(&mut self, core: &mut Core) -> Progress {
        self.in_batch(core, Batch::steered)
    }

    /// Nobody can answer any more: what is open is refused.
    pub(crate) fn nobody_there(&mut self, core: &mut Core) -> Progress {
        let by = SettledBy::ClientsGone;
        if let Some(progress) = self.pause_given_up(core, None, by) {
            return progress;
        }
        self.in_batch(core, |batch, core| batch.withdraw(core, None, by))
    }

    /// A sub-agent of this session has ended.
    pub(crate) fn agent_ended(&mut self, core: &mut Core, ended: EndedAgent) -> Progress {
        self.in_batch(core, |batch, core| batch.agent_ended(core, ended))
    }
}
