//! A turn that has met a limit: it ends, or asks whether it may go on with as
//! much again.

use std::sync::Arc;

use greenroom_protocol::session::{
    Answer, Ask, CallId, Choice, Happening, LimitKind, Message, Millis, Outcome, Question,
    SettledBy, Source,
};

use super::machine::{Phase, Progress, Turn};
use crate::session::{Core, Effect, Timer};

/// The answer that raises the limit.
const GO_ON: &str = "Go on";

/// The question whether a limit is raised.
#[derive(Debug)]
pub(super) struct Pause {
    pub call: CallId,
    /// Nothing when another process asked: then it is not raised.
    limit: Option<LimitKind>,
}

impl Pause {
    /// Another process asked.
    pub fn rebuilt(call: CallId) -> Pause {
        Pause { call, limit: None }
    }

    /// It is answered, or will never be.
    pub fn close(self, core: &mut Core, answered: bool, by: SettledBy) {
        let call = self.call;
        if core.approvals.close_question(&call).is_some() {
            core.tell(Happening::QuestionSettled { call, answered, by });
        }
    }
}

impl Turn {
    pub(super) fn limit_met(&self, core: &Core) -> Option<LimitKind> {
        core.limit_met(self.steps, &self.model)
    }

    /// No further model call is made before somebody says so.
    pub(super) fn stop_at(&mut self, core: &mut Core, limit: LimitKind) -> Progress {
        self.phase = Phase::Resting;
        if !core.settings.limits.asks_to_raise || core.nobody_there {
            return Progress::Ended(Outcome::Limit(limit));
        }
        let call = core.next_call();
        let wait = core.settings.limits.question_deadline;
        let ask = Arc::new(Ask {
            call: call.clone(),
            questions: vec![question(core, limit, self)],
            asked_by: Vec::new(),
            deadline: wait.map(|wait| {
                let wait = u64::try_from(wait.as_millis()).unwrap_or(u64::MAX);
                Millis(core.now.0.saturating_add(wait))
            }),
        });
        core.tell(Happening::QuestionAsked(ask.clone()));
        if let Some(after) = wait {
            let timer = Timer::Deadline(call.clone());
            core.out.push(Effect::SetTimer { timer, after });
        }
        core.approvals.ask_question(ask);
        let limit = Some(limit);
        self.phase = Phase::Pausing(Pause { call, limit });
        Progress::Going
    }

    /// Somebody has answered; nothing when the question is another's.
    pub(super) fn pause_answered(
        &mut self,
        core: &mut Core,
        call: &CallId,
        answers: &[Answer],
    ) -> Option<Progress> {
        let pause = self.take_pause(Some(call))?;
        let limit = pause.limit;
        pause.close(core, true, SettledBy::Client);
        let text = answers.first().and_then(|answer| answer.text.as_deref());
        let goes_on = text.is_some_and(|text| {
            let text = text.trim();
            text.eq_ignore_ascii_case(GO_ON) || text.eq_ignore_ascii_case("yes")
        });
        match limit {
            Some(limit) if goes_on => {
                core.raise(limit);
                Some(self.go_on(core))
            }
            limit => Some(ended(limit)),
        }
    }

    /// Nobody answers: the turn ends with its limit.
    pub(super) fn pause_given_up(
        &mut self,
        core: &mut Core,
        call: Option<&CallId>,
        by: SettledBy,
    ) -> Option<Progress> {
        let pause = self.take_pause(call)?;
        let limit = pause.limit;
        pause.close(core, false, by);
        Some(ended(limit))
    }

    fn take_pause(&mut self, call: Option<&CallId>) -> Option<Pause> {
        match std::mem::replace(&mut self.phase, Phase::Resting) {
            Phase::Pausing(pause) if call.is_none_or(|call| *call == pause.call) => Some(pause),
            other => {
                self.phase = other;
                None
            }
        }
    }

    /// Goes on where the limit stopped it: before an answer to what is new, or
    /// behind one with messages that wait.
    fn go_on(&mut self, core: &mut Core) -> Progress {
        let has_answered = matches!(core.conversation.last(), Some(Message::Assistant { .. }));
        if !core.deliver_waiting() && has_answered {
            match core.queue.take_follow_up() {
                Some(follow_up) => core.deliver(follow_up, Source::FollowUp),
                None => return Progress::Ended(Outcome::Completed),
            }
        }
        self.think(core)
    }
}

fn ended(limit: Option<LimitKind>) -> Progress {
    Progress::Ended(Outcome::Limit(limit.unwrap_or(LimitKind::Steps)))
}

fn question(core: &Core, limit: LimitKind, turn: &Turn) -> Question {
    let whole = match limit {
        LimitKind::SessionTokens | LimitKind::SessionCost => "session",
        _ => "turn",
    };
    let used = core.used_of(limit, turn.steps);
    let is_money = matches!(limit, LimitKind::Cost | LimitKind::SessionCost);
    let next = match core.next_cost(&turn.model).filter(|_| is_money) {
        Some(next) => format!(", and the next step costs about ${:.2}", next.dollars()),
        None => String::new(),
    };
    let choice = |label: &str, description: &str| Choice {
        label: label.into(),
        description: Some(description.into()),
    };
    Question {
        id: "q0".into(),
        text: format!("This {whole} has used {used}{next}. Go on with as much again?").into(),
        choices: vec![
            choice(GO_ON, "The limit is raised by as much as it was."),
            choice("Stop", "The turn ends here."),
        ],
        multiple: false,
    }
}
