//! The calls of one answer.
//!
//! A call is planned and judged when what it looks at is settled: an edit when
//! all changes before it are done, a read when none of them is about to happen,
//! any other call at once. Those that need a decision ask at once, side by side.
//! Calls that only read run side by side and wait for no person; the others run
//! one after another, in order. Each call gets exactly one result.

use greenroom_protocol::session::{
    Amendment, Answer, CallEnd, CallId, CallInFlight, CallRequest, Category, Decision, Happening,
    Message, Mode, ModelChoice, OutputStream, SettledBy,
};

use super::asking::{give_up, judge, open};
use super::delegating::{delegate, in_background};
use super::slot::{Slot, State};
use super::words::{
    NEVER_STARTED, OUTCOME_UNKNOWN, SKIPPED, STOPPED, answer_text, nobody_answered, refusal_text,
};
use crate::ports::{Action, Ran};
use crate::session::{Core, Effect, Judged};
use crate::subagents::EndedAgent;

/// The calls of one answer, in the model's order.
#[derive(Debug)]
pub(super) struct Batch {
    mode: Mode,
    model: ModelChoice,
    slots: Vec<Slot>,
}

/// Whether calls are still without a result.
#[must_use]
pub(super) enum BatchProgress {
    Going,
    Finished,
}

impl Batch {
    /// Has all calls judged; skips them all when a steer already waits.
    pub fn begin(
        core: &mut Core,
        (mode, model): (Mode, ModelChoice),
        calls: Vec<CallRequest>,
    ) -> (Batch, BatchProgress) {
        let slots = calls.into_iter().map(Slot::new).collect();
        let mut batch = Batch { mode, model, slots };
        if core.queue.has_steers() {
            let progress = batch.steered(core);
            return (batch, progress);
        }
        // Some may end without being judged, and all of them may.
        let progress = batch.go_on(core);
        (batch, progress)
    }

    /// A batch that another process began.
    pub fn rebuilt(mode: Mode, model: ModelChoice, slots: Vec<Slot>) -> Batch {
        Batch { mode, model, slots }
    }

    pub fn judged(&mut self, core: &mut Core, call: &CallId, judged: Judged) -> BatchProgress {
        if let Some(slot) = self.slot(call)
            && matches!(slot.state, State::Judging)
        {
            slot.state = State::Judged(judged);
        }
        self.go_on(core)
    }

    /// Opens what is judged, in order, starts what may run, and has judged what
    /// waited for that.
    fn go_on(&mut self, core: &mut Core) -> BatchProgress {
        for slot in &mut self.slots {
            match std::mem::replace(&mut slot.state, State::Judging) {
                State::Judging => break,
                State::Judged(judged) => open(core, slot, judged),
                other => slot.state = other,
            }
        }
        self.start_what_may_run(core);
        self.judge_what_may_be(core);
        if !self.slots.iter().all(Slot::is_done) {
            return BatchProgress::Going;
        }
        self.finish(core);
        BatchProgress::Finished
    }

    fn judge_what_may_be(&mut self, core: &mut Core) {
        let mut ahead = Ahead::default();
        for slot in &mut self.slots {
            if matches!(slot.state, State::New) {
                let settled = match slot.category(core) {
                    Category::Edit => !ahead.changes_open,
                    Category::Read | Category::Session => !ahead.change_due,
                    Category::Shell | Category::Web | Category::Mcp | Category::Agent => true,
                };
                if settled {
                    slot.state = State::Judging;
                    judge(core, &self.mode, slot);
                }
            }
            ahead.pass(slot, core);
        }
    }

    fn start_what_may_run(&mut self, core: &mut Core) {
        let steered = core.queue.has_steers();
        let running = |slot: &&Slot| matches!(slot.state, State::Running(_));
        let reads = |slot: &&Slot| slot.only_reads(core);
        let delegates = |slot: &&Slot| slot.delegates(core);
        let mut reads_running = self.slots.iter().filter(running).filter(reads).count();
        let mut agents_run = self.slots.iter().filter(running).any(|it| delegates(&it));
        let mut ahead = Ahead::default();
        for slot in &mut self.slots {
            if let State::Ready(planned, _) = &slot.state {
                let may_start = if slot.only_reads(core) {
                    !ahead.change_due && reads_running < core.settings.limits.parallel_reads
                } else if slot.delegates(core) {
                    // One in the background is told that there is no room.
                    let waits = !in_background(planned) && !core.has_room_for_agent();
                    !ahead.change_due && !waits
                } else {
                    !ahead.open && reads_running == 0 && !agents_run
                };
                if steered && !slot.in_progress {
                    slot.end_with(core, CallEnd::Skipped, SKIPPED);
                } else if may_start {
                    start(core, slot, (&self.mode, &self.model));
                    let runs = matches!(slot.state, State::Running(_));
                    reads_running += usize::from(runs && slot.only_reads(core));
                    agents_run |= runs && slot.delegates(core);
                }
            }
            ahead.pass(slot, core);
        }
    }

    /// A sub-agent of this session has ended: its call has its result, and there
    /// is room for another.
    pub fn agent_ended(&mut self, core: &mut Core, ended: EndedAgent) -> BatchProgress {
        if ended.background {
            return self.go_on(core);
        }
        let ran = Ran {
            text: ended.text,
            failed: ended.failed,
            ..Ran::default()
        };
        self.ran(core, &ended.call, ran)
    }

    pub fn decided(&mut self, core: &mut Core, call: &CallId, decision: Decision) -> BatchProgress {
        let Some(settlement) = core.approvals.decide(call, &decision) else {
            return BatchProgress::Going;
        };
        let note = settlement.note.clone();
        let allowed = settlement.allowed;
        let amendment = decision.amendment.filter(|_| settlement.amended);
        core.tell(Happening::ApprovalSettled(settlement));
        let mode = self.mode.clone();
        if let Some(slot) = self.slot(call)
            && let State::Asked(planned) = std::mem::replace(&mut slot.state, State::Judging)
        {
            match (allowed, amendment) {
                (true, Some(Amendment::Input(input))) => {
                    slot.in_progress = true;
                    slot.request.input = input;
                    judge(core, &mode, slot);
                }
                (true, amendment) => {
                    slot.in_progress = true;
                    slot.state = State::Ready(planned, amendment);
                }
                (false, _) => {
                    slot.end_with(core, CallEnd::Refused, refusal_text(note.as_ref()));
                }
            }
        }
        self.go_on(core)
    }

    pub fn answered(
        &mut self,
        core: &mut Core,
        call: &CallId,
        answers: &[Answer],
    ) -> BatchProgress {
        let Some(ask) = core.approvals.close_question(call) else {
            return BatchProgress::Going;
        };
        core.tell(Happening::QuestionSettled {
            call: call.clone(),
            answered: true,
            by: SettledBy::Client,
        });
        if let Some(slot) = self.slot(call) {
            slot.end_with(core, CallEnd::Done, answer_text(&ask, answers));
        }
        self.go_on(core)
    }

    pub fn said(
        &mut self,
        core: &mut Core,
        call: &CallId,
        pieces: Vec<(OutputStream, String)>,
    ) -> BatchProgress {
        if let Some(slot) = self.slot(call)
            && matches!(slot.state, State::Running(_))
        {
            for (stream, text) in pieces {
                core.tell(Happening::CallOutput {
                    call: call.clone(),
                    stream,
                    text: text.into(),
                });
            }
        }
        BatchProgress::Going
    }

    pub fn ran(&mut self, core: &mut Core, call: &CallId, ran: Ran) -> BatchProgress {
        let Some(slot) = self.slot(call) else {
            return BatchProgress::Going;
        };
        if !matches!(slot.state, State::Running(_)) {
            return BatchProgress::Going;
        }
        let end = if ran.failed {
            CallEnd::Failed
        } else {
            CallEnd::Done
        };
        slot.end(core, end, ran);
        self.go_on(core)
    }

    /// A steer waits: what has not begun is skipped, what waits for a person
    /// goes on waiting.
    pub fn steered(&mut self, core: &mut Core) -> BatchProgress {
        for slot in &mut self.slots {
            match slot.state {
                State::New | State::Judging | State::Judged(_) if !slot.in_progress => {
                    slot.end_with(core, CallEnd::Skipped, SKIPPED);
                }
                State::Asked(_) | State::Asking => slot.in_progress = true,
                _ => (),
            }
        }
        self.go_on(core)
    }

    /// Refuses one waiting call, or all of them, for want of an answer.
    pub fn withdraw(
        &mut self,
        core: &mut Core,
        only: Option<&CallId>,
        by: SettledBy,
    ) -> BatchProgress {
        for slot in &mut self.slots {
            if only.is_none_or(|call| *call == slot.request.id) {
                give_up(core, slot, by, CallEnd::Refused, nobody_answered(by));
            }
        }
        self.go_on(core)
    }

    /// Gives every open call its result, at once.
    pub fn close(&mut self, core: &mut Core, end: CallEnd, by: SettledBy) {
        for slot in &mut self.slots {
            let (end, text) = match (&slot.state, end) {
                (State::Running(_), CallEnd::Unknown) => (CallEnd::Unknown, OUTCOME_UNKNOWN),
                (State::Running(_), end) => (end, STOPPED),
                (_, CallEnd::Unknown) => (CallEnd::Aborted, NEVER_STARTED),
                (_, end) => (end, NEVER_STARTED),
            };
            give_up(core, slot, by, end, text);
            slot.end_with(core, end, text);
        }
        self.finish(core);
    }

    /// The results become one entry of the conversation.
    fn finish(&mut self, core: &mut Core) {
        let results = self.slots.iter().filter_map(|slot| match &slot.state {
            State::Done(result) => Some(result.clone()),
            _ => None,
        });
        let results = results.collect();
        let entry = core.next_entry();
        let at = core.now;
        core.converse(Message::Results { entry, at, results });
        core.tell(Happening::BatchEnded { entry });
    }

    pub fn in_flight(&self) -> Vec<CallInFlight> {
        self.slots.iter().filter_map(Slot::in_flight).collect()
    }

    fn slot(&mut self, call: &CallId) -> Option<&mut Slot> {
        self.slots.iter_mut().find(|slot| slot.request.id == *call)
    }
}

/// What stands before a call.
#[derive(Debug, Default)]
struct Ahead {
    /// A call without a result.
    open: bool,
    /// A change without a result.
    changes_open: bool,
    /// A change that happens without a person's doing.
    change_due: bool,
    /// A change that waits for a person; those behind it wait with it.
    person: bool,
}

impl Ahead {
    fn pass(&mut self, slot: &Slot, core: &Core) {
        if slot.is_done() {
            return;
        }
        self.open = true;
        if slot.only_reads(core) {
            return;
        }
        self.changes_open = true;
        if slot.delegates(core) {
            return;
        }
        self.person |= matches!(slot.state, State::Asked(_) | State::Asking);
        self.change_due |= !self.person;
    }
}

fn start(core: &mut Core, slot: &mut Slot, acting: (&Mode, &ModelChoice)) {
    let State::Ready(planned, amendment) = std::mem::replace(&mut slot.state, State::Judging)
    else {
        return;
    };
    let call = slot.request.id.clone();
    slot.begin(core.now, planned.category);
    core.tell(Happening::CallRunning {
        call: call.clone(),
        tool: slot.request.tool.clone(),
    });
    if let Action::Delegate(task) = &planned.action {
        return delegate(core, slot, &call, task, acting);
    }
    let mode = acting.0.clone();
    core.out.push(Effect::RunTool {
        call,
        planned,
        amendment,
        mode,
    });
}
