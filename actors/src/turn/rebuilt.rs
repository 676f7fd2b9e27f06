//! A turn that was cut by the end of its process: folded from its events, so
//! that it can be closed as any other turn is.

use std::sync::Arc;

use greenroom_protocol::session::{
    Approval, Ask, AssistantMessage, Call, CallId, CallResult, Category, EntryId, Millis, Mode,
    ModelChoice, Settlement, TurnId, Usage,
};

use super::answer::Answer;
use super::batch::Batch;
use super::machine::{Phase, Turn};
use super::pausing::Pause;
use super::slot::{Slot, State};
use crate::approvals::Approvals;
use crate::ports::{Action, PlannedCall};

/// What the journal tells of the turn so far.
#[derive(Debug)]
pub(crate) struct CutTurn {
    turn: Turn,
    answer: Option<Answer>,
    slots: Vec<Slot>,
    /// It had asked whether a limit is raised.
    pause: Option<CallId>,
}

impl CutTurn {
    pub fn started(id: TurnId, at: Millis, mode: Mode, model: ModelChoice) -> CutTurn {
        CutTurn {
            turn: Turn::begun(id, at, mode, model),
            answer: None,
            slots: Vec::new(),
            pause: None,
        }
    }

    pub fn message_started(&mut self, entry: EntryId) {
        self.turn.steps += 1;
        self.answer = Some(Answer::rebuilt(entry));
    }

    pub fn checkpoint(&mut self, text: &str, thinking: &str) {
        if let Some(answer) = &mut self.answer {
            answer.text.push_str(text);
            answer.thinking.push_str(thinking);
        }
    }

    pub fn used(&mut self, usage: Usage) {
        self.turn.usage = self.turn.usage.plus(usage);
    }

    pub fn message_ended(&mut self, message: &AssistantMessage) {
        self.answer = None;
        self.slots = message.calls.iter().cloned().map(Slot::new).collect();
    }

    pub fn call_started(&mut self, call: &Call) {
        if let Some(slot) = self.slot(&call.id) {
            slot.rebuilt_told(call);
        }
    }

    pub fn approval_asked(&mut self, approvals: &mut Approvals, approval: &Arc<Approval>) {
        approvals.ask(approval.clone(), None);
        let planned = PlannedCall {
            tool: approval.tool.clone(),
            category: approval.category,
            summary: approval.summary.clone(),
            command: None,
            target: None,
            touches: Vec::new(),
            edits: Vec::new(),
            action: Action::Run(Default::default()),
        };
        if let Some(slot) = self.slot(&approval.call) {
            slot.state = State::Asked(Box::new(planned));
        }
    }

    pub fn approval_settled(&mut self, approvals: &mut Approvals, settlement: &Settlement) {
        approvals.withdraw(&settlement.call, settlement.by);
        self.waits_no_more(&settlement.call);
    }

    pub fn question_asked(&mut self, approvals: &mut Approvals, ask: &Arc<Ask>) {
        approvals.ask_question(ask.clone());
        match self.slot(&ask.call) {
            Some(slot) => slot.state = State::Asking,
            None => self.pause = Some(ask.call.clone()),
        }
    }

    pub fn question_settled(&mut self, approvals: &mut Approvals, call: &CallId) {
        approvals.close_question(call);
        self.pause.take_if(|pause| pause == call);
        self.waits_no_more(call);
    }

    pub fn call_running(&mut self, at: Millis, call: &CallId) {
        if let Some(slot) = self.slot(call) {
            slot.begin(at, Category::Shell);
        }
    }

    pub fn call_ended(&mut self, result: &Arc<CallResult>) {
        if let Some(slot) = self.slot(&result.call) {
            slot.state = State::Done(result.clone());
        }
    }

    /// All calls of the answer have their results.
    pub fn batch_ended(&mut self) {
        self.slots.clear();
    }

    /// The turn as it was when its process ended.
    pub fn into_turn(mut self) -> Turn {
        self.turn.phase = match self.answer {
            _ if self.pause.is_some() => match self.pause {
                Some(call) => Phase::Pausing(Pause::rebuilt(call)),
                None => Phase::Resting,
            },
            Some(answer) => Phase::Answering(answer),
            None if self.slots.is_empty() => Phase::Resting,
            None => Phase::Acting(Batch::rebuilt(
                self.turn.mode.clone(),
                self.turn.model.clone(),
                self.slots,
            )),
        };
        self.turn
    }

    fn waits_no_more(&mut self, call: &CallId) {
        if let Some(slot) = self.slot(call)
            && matches!(slot.state, State::Asked(_) | State::Asking)
        {
            slot.state = State::Judging;
        }
    }

    fn slot(&mut self, call: &CallId) -> Option<&mut Slot> {
        self.slots.iter_mut().find(|slot| slot.request.id == *call)
    }
}
