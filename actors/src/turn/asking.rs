//! What one call needs before it may run: a judgement, a decision, an answer.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use greenroom_protocol::session::{
    AnswerPolicy, Approval, Ask, CallEnd, Category, Happening, Millis, Mode, Question, Ruling,
    Scope, SettledBy, Settlement, Text,
};

use super::slot::{Slot, State};
use super::words::{REFUSED_BEFORE, UNJUDGED, nobody_answered};
use crate::ports::{Action, Judgement, Likeness, PlannedCall};
use crate::session::{Core, Effect, Judged, Timer, stands_for};

/// Has a call planned and judged. One of a tool that the mode does not offer is
/// neither: the mode denies it.
pub(super) fn judge(core: &mut Core, mode: &Mode, slot: &mut Slot) {
    let request = &slot.request;
    if let Some(only) = &core.settings.only_tools
        && !only.iter().any(|name| stands_for(name, &request.tool))
    {
        let fault = format!(
            "this sub-agent has no tool {:?}; there are {}",
            request.tool,
            only.join(", ")
        );
        let input = request.input.clone();
        slot.tell(core, None, input);
        ruled(core, slot, Ruling::Deny, "the kind of sub-agent".into());
        return slot.end_with(core, CallEnd::Failed, fault);
    }
    if let Some(offered) = core.settings.modes.offers(mode)
        && !offered.iter().any(|name| stands_for(name, &request.tool))
    {
        let fault = format!(
            "mode {} has no tool {:?}; there are {}",
            mode.name(),
            request.tool,
            offered.join(", ")
        );
        let input = request.input.clone();
        slot.tell(core, None, input);
        ruled(
            core,
            slot,
            Ruling::Deny,
            format!("mode {}", mode.name()).into(),
        );
        return slot.end_with(core, CallEnd::Failed, fault);
    }
    core.out.push(Effect::Judge {
        call: request.id.clone(),
        tool: request.tool.clone(),
        input: request.input.clone(),
        mode: mode.clone(),
    });
}

/// Tells of a judged call, and asks for what it needs.
pub(super) fn open(core: &mut Core, slot: &mut Slot, judged: Judged) {
    let input = slot.request.input.clone();
    let (planned, judgement, likeness) = match judged {
        Judged::Planned {
            planned,
            judgement,
            likeness,
        } => (planned, judgement, likeness),
        Judged::Fault(fault) => {
            slot.tell(core, None, input);
            return slot.end_with(core, CallEnd::Failed, fault.0);
        }
        Judged::Broken => {
            slot.tell(core, None, input);
            ruled(core, slot, Ruling::Deny, "a failure inside".into());
            return slot.end_with(core, CallEnd::Denied, UNJUDGED);
        }
    };
    slot.tell(core, Some(&planned), input);
    if let Action::Delegate(task) = &planned.action
        && let Err(why) = core.agent_spec(task)
    {
        return slot.end_with(core, CallEnd::Failed, why);
    }
    let key = likeness.as_ref().map(|it| &it.key);
    let grant = core.approvals.grant_for(key);
    match judgement {
        Judgement::Ask { by, .. } if core.approvals.refuses(key) => {
            let rule = format!("refused for the session; else {by} asks");
            ruled(core, slot, Ruling::Deny, rule.into());
            slot.end_with(core, CallEnd::Denied, REFUSED_BEFORE);
        }
        Judgement::Deny { reason, by } => {
            ruled(core, slot, Ruling::Deny, by);
            let text = format!("Denied: {reason}");
            slot.end_with(core, CallEnd::Denied, text);
        }
        Judgement::Allow { by } => {
            ruled(core, slot, Ruling::Allow, by);
            allow(core, slot, planned);
        }
        Judgement::Ask { by, .. } if slot.in_progress => {
            // Whoever allowed it gave this input.
            let rule = format!("allowed as amended; else {by} asks");
            ruled(core, slot, Ruling::Allow, rule.into());
            allow(core, slot, planned);
        }
        Judgement::Ask { reason, scopes, by } => match grant {
            Some(grant) => {
                let rule = format!("grant {}; else {by} asks", grant.name);
                ruled(core, slot, Ruling::Allow, rule.into());
                allow(core, slot, planned);
            }
            None => {
                ruled(core, slot, Ruling::Ask, by);
                ask(core, slot, planned, (reason, scopes, likeness));
            }
        },
    }
}

/// Tells what was ruled, for the audit trail.
fn ruled(core: &mut Core, slot: &Slot, ruling: Ruling, rule: Text) {
    let call = slot.request.id.clone();
    core.tell(Happening::CallJudged { call, ruling, rule });
}

/// The call may do what it wants.
fn allow(core: &mut Core, slot: &mut Slot, planned: Box<PlannedCall>) {
    match &planned.action {
        Action::Run(_) | Action::Delegate(_) => slot.state = State::Ready(planned, None),
        Action::Ask(questions) => {
            let questions = questions.clone();
            ask_question(core, slot, questions);
        }
        Action::SetPlan(items) => {
            core.plan = items.clone();
            let items = items.clone();
            core.tell(Happening::PlanChanged { items });
            slot.end_with(core, CallEnd::Done, "The plan is updated.");
        }
    }
}

fn ask(
    core: &mut Core,
    slot: &mut Slot,
    planned: Box<PlannedCall>,
    (reason, scopes, likeness): (Text, Vec<Scope>, Option<Likeness>),
) {
    let wait = core.settings.limits.approval_deadline;
    let path_text = |path: &Path| Text::from(path.to_string_lossy());
    let approval = Arc::new(Approval {
        call: slot.request.id.clone(),
        tool: planned.tool.clone(),
        category: planned.category,
        summary: planned.summary.clone(),
        command: planned.command.clone(),
        paths: planned
            .touches
            .iter()
            .map(|it| path_text(&it.path))
            .collect(),
        edits: planned.edits.clone(),
        reason,
        scopes,
        asked_by: Vec::new(),
        deadline: wait.map(|wait| later(core.now, wait)),
    });
    core.tell(Happening::ApprovalAsked(approval.clone()));
    let by_policy = match core.settings.answers {
        AnswerPolicy::AllowAll => true,
        AnswerPolicy::AllowEdits => planned.category == Category::Edit,
        AnswerPolicy::Ask => false,
    };
    if by_policy || core.nobody_there {
        let settled_by = if by_policy {
            SettledBy::Policy
        } else {
            SettledBy::ClientsGone
        };
        core.tell(Happening::ApprovalSettled(Settlement {
            call: approval.call.clone(),
            tool: approval.tool.clone(),
            allowed: by_policy,
            by: settled_by,
            scope: Scope::Once,
            note: None,
            amended: false,
        }));
        if by_policy {
            allow(core, slot, planned);
        } else {
            slot.end_with(core, CallEnd::Refused, nobody_answered(settled_by));
        }
        return;
    }
    set_deadline(core, slot, wait);
    core.approvals.ask(approval, likeness);
    slot.state = State::Asked(planned);
}

fn ask_question(core: &mut Core, slot: &mut Slot, questions: Vec<Question>) {
    if core.nobody_there {
        return slot.end_with(
            core,
            CallEnd::Refused,
            nobody_answered(SettledBy::ClientsGone),
        );
    }
    let wait = core.settings.limits.question_deadline;
    let ask = Arc::new(Ask {
        call: slot.request.id.clone(),
        questions,
        asked_by: Vec::new(),
        deadline: wait.map(|wait| later(core.now, wait)),
    });
    core.tell(Happening::QuestionAsked(ask.clone()));
    set_deadline(core, slot, wait);
    core.approvals.ask_question(ask);
    slot.state = State::Asking;
}

fn set_deadline(core: &mut Core, slot: &Slot, wait: Option<Duration>) {
    if let Some(after) = wait {
        let timer = Timer::Deadline(slot.request.id.clone());
        core.out.push(Effect::SetTimer { timer, after });
    }
}

fn later(now: Millis, wait: Duration) -> Millis {
    let wait = u64::try_from(wait.as_millis()).unwrap_or(u64::MAX);
    Millis(now.0.saturating_add(wait))
}

/// Settles what a call waits for, if it waits, and ends it.
pub(super) fn give_up(core: &mut Core, slot: &mut Slot, by: SettledBy, end: CallEnd, text: &str) {
    let call = slot.request.id.clone();
    match slot.state {
        State::Asked(_) => {
            if let Some(settlement) = core.approvals.withdraw(&call, by) {
                core.tell(Happening::ApprovalSettled(settlement));
            }
        }
        State::Asking => {
            if core.approvals.close_question(&call).is_some() {
                let answered = false;
                core.tell(Happening::QuestionSettled { call, answered, by });
            }
        }
        _ => return,
    }
    slot.end_with(core, end, text);
}
