//! Events of one session become its decisions.

use std::collections::BTreeMap;

use greenroom_protocol::session::{
    Approval, Call, CallEnd, CallId, CallResult, Event, Happening, Millis, Ruling, SessionId,
    Settlement, Text, TurnId,
};

use super::by::By;
use super::record::{Answer, Record, Verdict};

/// Follows the journal of one session. It holds the calls of one turn.
pub struct Trail {
    session: SessionId,
    parent: Option<SessionId>,
    root: Text,
    turn: Option<TurnId>,
    mode: Text,
    /// Calls that are on their way, with their decision if it is not whole.
    calls: BTreeMap<CallId, (Option<Call>, Option<Record>)>,
}

impl Trail {
    /// Before the first event.
    pub fn new(session: SessionId) -> Trail {
        Trail {
            session,
            parent: None,
            root: "".into(),
            turn: None,
            mode: "".into(),
            calls: BTreeMap::new(),
        }
    }

    /// Takes the next event; decisions that are whole now go to `whole`.
    pub fn take(&mut self, event: &Event, whole: &mut Vec<Record>) {
        match &event.happening {
            Happening::Opened { root, parent, .. } => {
                self.root = root.clone();
                self.parent = parent.clone();
            }
            Happening::TurnStarted { turn, mode, .. } => {
                self.turn = Some(*turn);
                self.mode = mode.name().into();
            }
            Happening::CallStarted(call) => {
                self.calls.entry(call.id.clone()).or_default().0 = Some(call.clone());
            }
            Happening::CallJudged { call, ruling, rule } => {
                // A call that was amended is judged once more.
                whole.extend(self.taken(call));
                let record = self.judged(event, call, *ruling, rule);
                match ruling {
                    Ruling::Allow => whole.push(record),
                    // Their reason, or answer, is still to come.
                    Ruling::Ask | Ruling::Deny => self.keep(call, record),
                }
            }
            Happening::ApprovalAsked(approval) => self.asked(event, approval),
            Happening::ApprovalSettled(settled) => {
                whole.extend(self.settled(event.at, settled));
            }
            Happening::CallEnded(result) => {
                whole.extend(self.ended(result));
                self.calls.remove(&result.call);
            }
            Happening::TurnEnded { .. } => self.finish(whole),
            _ => (),
        }
    }

    /// Behind the last event: what is still open goes to `whole` as it is.
    pub fn finish(&mut self, whole: &mut Vec<Record>) {
        let calls = std::mem::take(&mut self.calls);
        whole.extend(calls.into_values().filter_map(|(_, record)| record));
    }

    fn judged(&self, event: &Event, id: &CallId, ruling: Ruling, rule: &Text) -> Record {
        let call = self.calls.get(id).and_then(|(call, _)| call.as_ref());
        Record {
            at: event.at,
            seq: event.seq,
            session: self.session.clone(),
            parent: self.parent.clone(),
            root: self.root.clone(),
            turn: self.turn,
            mode: self.mode.clone(),
            call: id.clone(),
            tool: call.map_or_else(|| "".into(), |call| call.tool.clone()),
            category: call.map(|call| call.category),
            summary: call.map_or_else(|| "".into(), |call| call.summary.clone()),
            ruling,
            rule: rule.clone(),
            why: "".into(),
            verdict: match ruling {
                Ruling::Allow => Verdict::Allowed,
                Ruling::Ask => Verdict::Asked,
                Ruling::Deny => Verdict::Denied,
            },
            by: By::of_ruling(rule),
            answer: None,
        }
    }

    fn asked(&mut self, event: &Event, approval: &Approval) {
        // Journals of before rulings were kept have the question alone.
        let known = self.taken(&approval.call);
        let unknown = || self.judged(event, &approval.call, Ruling::Ask, &"".into());
        let mut record = known.unwrap_or_else(unknown);
        record.why = approval.reason.clone();
        if record.tool.is_empty() {
            record.tool = approval.tool.clone();
            record.category = Some(approval.category);
            record.summary = approval.summary.clone();
        }
        self.keep(&approval.call, record);
    }

    fn settled(&mut self, at: Millis, settled: &Settlement) -> Option<Record> {
        let mut record = self.taken(&settled.call)?;
        record.verdict = match settled.allowed {
            true => Verdict::Allowed,
            false => Verdict::Denied,
        };
        record.by = By::of_settlement(settled.by);
        record.answer = Some(Answer {
            at,
            scope: settled.scope,
            note: settled.note.clone(),
            amended: settled.amended,
        });
        Some(record)
    }

    /// The model was told why a call was denied: the only place that has it.
    fn ended(&mut self, result: &CallResult) -> Option<Record> {
        let mut record = self.taken(&result.call)?;
        // The one of a tool that its mode does not offer is told as failed.
        let is_reason = matches!(result.end, CallEnd::Denied | CallEnd::Failed);
        if record.verdict == Verdict::Denied && is_reason {
            let why = result.text.strip_prefix("Denied: ");
            record.why = why.unwrap_or(&result.text).into();
        }
        Some(record)
    }

    fn keep(&mut self, call: &CallId, record: Record) {
        self.calls.entry(call.clone()).or_default().1 = Some(record);
    }

    fn taken(&mut self, call: &CallId) -> Option<Record> {
        self.calls.get_mut(call)?.1.take()
    }
}
