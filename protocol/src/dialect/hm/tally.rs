//! What `session_end` tells of all that was told before it.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::session::{
    Approval, Call, CallEnd, CallId, CallResult, Happening, SettledBy, Settlement, Text, Usage,
};

/// More refused calls than this are counted, not listed.
const MOST_REFUSED: usize = 1000;

/// Counted from events alone, so that it agrees with them by construction.
#[derive(Debug)]
pub(super) struct Tally {
    /// The last text that the model gave.
    pub(super) answer: Text,
    /// The exact sum of the `usage` events.
    pub(super) usage: Usage,
    /// The calls that were not allowed, in order.
    pub(super) refused: Vec<Refused>,
    /// Those that came when the list was full.
    pub(super) refused_left_out: u64,
    /// Calls without a result, for their summaries.
    calls: BTreeMap<CallId, Text>,
    /// Open approvals, also those of sub-agents.
    approvals: BTreeMap<CallId, Arc<Approval>>,
}

/// A call that was not allowed.
#[derive(Debug)]
pub(super) struct Refused {
    pub(super) call: CallId,
    pub(super) tool: Text,
    pub(super) summary: Text,
    /// Who or what said no.
    pub(super) by: &'static str,
}

impl Default for Tally {
    fn default() -> Tally {
        Tally {
            answer: Text::from(""),
            usage: Usage::default(),
            refused: Vec::new(),
            refused_left_out: 0,
            calls: BTreeMap::new(),
            approvals: BTreeMap::new(),
        }
    }
}

impl Tally {
    /// The approvals that were open when the connection was greeted.
    pub(super) fn open(&mut self, approvals: &[Approval]) {
        for approval in approvals {
            self.asked(&Arc::new(approval.clone()));
        }
    }

    pub(super) fn count(&mut self, happening: &Happening) {
        match happening {
            Happening::Used { usage } => self.usage = self.usage.plus(*usage),
            Happening::MessageEnded { message, .. } if !message.text.is_empty() => {
                self.answer = message.text.clone();
            }
            Happening::CallStarted(call) => self.started(call),
            Happening::CallEnded(result) => self.ended(result),
            Happening::ApprovalAsked(approval) => self.asked(approval),
            Happening::ApprovalSettled(settlement) => self.settled(settlement),
            Happening::AgentSaid { happening, .. } => self.count(happening),
            Happening::TurnEnded { .. } => self.calls.clear(),
            Happening::Opened { .. }
            | Happening::Resumed
            | Happening::Titled { .. }
            | Happening::TurnStarted { .. }
            | Happening::UserMessage { .. }
            | Happening::Queued { .. }
            | Happening::QueueDropped
            | Happening::MessageStarted { .. }
            | Happening::TextAdded { .. }
            | Happening::ThinkingAdded { .. }
            | Happening::CallDrafted { .. }
            | Happening::Checkpoint { .. }
            | Happening::MessageEnded { .. }
            | Happening::QuestionAsked(_)
            | Happening::QuestionSettled { .. }
            | Happening::CallRunning { .. }
            | Happening::CallOutput { .. }
            | Happening::FileChanged { .. }
            | Happening::BatchEnded { .. }
            | Happening::PlanChanged { .. }
            | Happening::ModeChanged { .. }
            | Happening::ModelChanged { .. }
            | Happening::Retrying { .. }
            | Happening::Throttled { .. }
            | Happening::Noticed { .. }
            | Happening::CompactionStarted { .. }
            | Happening::CompactionEnded { .. }
            | Happening::Rewound { .. }
            | Happening::CallJudged { .. }
            | Happening::AgentStarted { .. }
            | Happening::AgentEnded { .. }
            | Happening::ConversationReset => (),
        }
    }

    fn started(&mut self, call: &Call) {
        self.calls.insert(call.id.clone(), call.summary.clone());
    }

    /// A denied call was never asked about: its end is all there is of it.
    fn ended(&mut self, result: &CallResult) {
        let summary = self.calls.remove(&result.call);
        if result.end == CallEnd::Denied {
            self.refused(Refused {
                call: result.call.clone(),
                tool: result.tool.clone(),
                summary: summary.unwrap_or_else(|| Text::from("")),
                by: "guard",
            });
        }
    }

    fn asked(&mut self, approval: &Arc<Approval>) {
        let call = approval.call.clone();
        self.approvals.insert(call, approval.clone());
    }

    fn settled(&mut self, settlement: &Settlement) {
        let approval = self.approvals.remove(&settlement.call);
        if settlement.allowed {
            return;
        }
        self.refused(Refused {
            call: settlement.call.clone(),
            tool: settlement.tool.clone(),
            summary: approval.map_or_else(|| Text::from(""), |it| it.summary.clone()),
            by: settled_by(settlement.by),
        });
    }

    fn refused(&mut self, refused: Refused) {
        if self.refused.len() < MOST_REFUSED {
            self.refused.push(refused);
        } else {
            self.refused_left_out += 1;
        }
    }
}

/// This wire's word for who settled an approval.
pub(super) fn settled_by(by: SettledBy) -> &'static str {
    match by {
        SettledBy::Client => "client",
        SettledBy::Policy => "flag",
        SettledBy::Abort => "abort",
        SettledBy::ClientsGone => "eof",
        SettledBy::Deadline => "deadline",
        SettledBy::Restart => "restart",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::Scope;

    #[test]
    fn refused_calls_past_the_limit_are_counted() {
        let mut tally = Tally::default();
        for number in 0..MOST_REFUSED + 3 {
            tally.count(&Happening::ApprovalSettled(Settlement {
                call: CallId::new(number.to_string()),
                tool: "shell".into(),
                allowed: number == 0,
                by: SettledBy::Client,
                scope: Scope::Once,
                note: None,
                amended: false,
            }));
        }
        assert_eq!(tally.refused.len(), MOST_REFUSED);
        assert_eq!(tally.refused_left_out, 2);
        assert!(tally.calls.is_empty() && tally.approvals.is_empty());
    }
}
