//! Open approvals and questions, and what was granted for longer.

use std::collections::BTreeSet;
use std::sync::Arc;

use greenroom_protocol::session::{
    AgentId, Amendment, Answer, Approval, Ask, CallId, Category, Decision, Grant, Refusal, Scope,
    SettledBy, Settlement, Text, Verdict,
};

use crate::ports::Likeness;

/// What waits for a person, oldest first.
#[derive(Debug, Default)]
pub struct Approvals {
    approvals: Vec<Open>,
    questions: Vec<Arc<Ask>>,
    /// Those of sub-agents that somebody has answered: the sub-agent has not yet
    /// told what it made of it, and no second answer is taken.
    answered: BTreeSet<CallId>,
    /// What is granted for the session. Dies with the session's process.
    granted: Vec<Granted>,
    /// The number of the last grant.
    last_grant: u64,
    /// What a refusal for the session covers. Dies with it too.
    refused: BTreeSet<Text>,
}

#[derive(Debug, Clone)]
struct Granted {
    likeness: Text,
    grant: Grant,
}

#[derive(Debug)]
struct Open {
    approval: Arc<Approval>,
    likeness: Option<Likeness>,
}

impl Approvals {
    /// Whether an earlier grant covers calls of this likeness.
    pub fn covers(&self, likeness: Option<&Text>) -> bool {
        self.grant_for(likeness).is_some()
    }

    /// The grant that covers calls of this likeness.
    pub fn grant_for(&self, likeness: Option<&Text>) -> Option<&Grant> {
        let likeness = likeness?;
        let granted = self.granted.iter().find(|it| it.likeness == *likeness)?;
        Some(&granted.grant)
    }

    /// What is granted for the session, oldest first.
    pub fn granted(&self) -> Vec<Grant> {
        self.granted.iter().map(|it| it.grant.clone()).collect()
    }

    /// Takes a grant back: calls like it are asked about again.
    pub fn revoke(&mut self, name: &Text) -> Result<(), Refusal> {
        let found = self.granted.iter().position(|it| it.grant.name == *name);
        let position = found.ok_or_else(|| Refusal::NoSuchGrant(name.clone()))?;
        self.granted.remove(position);
        Ok(())
    }

    /// The grants and refusals alone, for a fork.
    pub fn grants(&self) -> Approvals {
        Approvals {
            granted: self.granted.clone(),
            last_grant: self.last_grant,
            refused: self.refused.clone(),
            ..Approvals::default()
        }
    }

    fn grant(&mut self, Likeness { key, covers }: Likeness) {
        if self.covers(Some(&key)) {
            return;
        }
        self.last_grant += 1;
        let grant = Grant {
            name: format!("g{}", self.last_grant).into(),
            covers,
        };
        let likeness = key;
        self.granted.push(Granted { likeness, grant });
    }

    /// Whether an earlier refusal covers calls of this likeness.
    pub fn refuses(&self, likeness: Option<&Text>) -> bool {
        likeness.is_some_and(|likeness| self.refused.contains(likeness))
    }

    /// A call begins to wait for a decision.
    pub fn ask(&mut self, approval: Arc<Approval>, likeness: Option<Likeness>) {
        self.approvals.push(Open { approval, likeness });
    }

    /// A call begins to wait for an answer.
    pub fn ask_question(&mut self, ask: Arc<Ask>) {
        self.questions.push(ask);
    }

    /// Calls that are not settled, also those of sub-agents that were decided
    /// and have not heard so.
    pub fn unsettled(&self) -> impl Iterator<Item = &Arc<Approval>> {
        self.approvals.iter().map(|open| &open.approval)
    }

    /// The same of questions.
    pub fn unsettled_questions(&self) -> &[Arc<Ask>] {
        &self.questions
    }

    /// Calls that wait for a decision.
    pub fn open(&self) -> impl Iterator<Item = &Arc<Approval>> {
        self.unsettled()
            .filter(|it| !self.answered.contains(&it.call))
    }

    /// Calls that wait for an answer.
    pub fn open_questions(&self) -> impl Iterator<Item = &Arc<Ask>> {
        let all = self.questions.iter();
        all.filter(|it| !self.answered.contains(&it.call))
    }

    /// True when nothing waits.
    pub fn is_empty(&self) -> bool {
        self.open().next().is_none() && self.open_questions().next().is_none()
    }

    /// Whether such a decision would be taken.
    pub fn check_decision(&self, call: &CallId) -> Result<(), Refusal> {
        match self.position(call) {
            Some(_) if !self.answered.contains(call) => Ok(()),
            _ => Err(Refusal::NoSuchApproval(call.clone())),
        }
    }

    /// Whether such answers would be taken.
    pub fn check_answers(&self, call: &CallId, answers: &[Answer]) -> Result<(), Refusal> {
        let mut questions = self.questions.iter();
        let found = questions.find(|ask| ask.call == *call);
        let Some(ask) = found.filter(|_| !self.answered.contains(call)) else {
            return Err(Refusal::NoSuchQuestion(call.clone()));
        };
        for answer in answers {
            if let Some(name) = &answer.question
                && !ask.questions.iter().any(|question| question.id == *name)
            {
                return Err(Refusal::NoSuchPartOfQuestion(call.clone(), name.clone()));
            }
        }
        Ok(())
    }

    /// Settles an open approval by a client's decision. A scope that was not
    /// offered counts as once.
    pub fn decide(&mut self, call: &CallId, decision: &Decision) -> Option<Settlement> {
        let open = self.approvals.remove(self.position(call)?);
        let (allowed, asked_scope) = match decision.verdict {
            Verdict::Allow(scope) => (true, scope),
            Verdict::Deny(scope) => (false, scope),
        };
        let offered = open.approval.scopes.contains(&asked_scope);
        let scope = if offered { asked_scope } else { Scope::Once };
        if scope != Scope::Once
            && let Some(likeness) = open.likeness
        {
            match allowed {
                true => self.grant(likeness),
                false => drop(self.refused.insert(likeness.key)),
            }
        }
        Some(Settlement {
            call: call.clone(),
            tool: open.approval.tool.clone(),
            allowed,
            by: SettledBy::Client,
            scope,
            note: decision.note.clone(),
            amended: amends(decision, open.approval.category),
        })
    }

    /// Who asks, of what a sub-agent asked: the one of ours on the way to it.
    pub fn asker(&self, call: &CallId) -> Option<&AgentId> {
        let approval = self.open().find(|it| it.call == *call);
        let asked_by = match approval {
            Some(approval) => &approval.asked_by,
            None => &self.questions.iter().find(|it| it.call == *call)?.asked_by,
        };
        asked_by.first()
    }

    /// What a sub-agent asked was answered: it will tell what it makes of that.
    pub fn pass_on(&mut self, call: &CallId) {
        self.answered.insert(call.clone());
    }

    /// Refuses an open approval for want of an answer.
    pub fn withdraw(&mut self, call: &CallId, by: SettledBy) -> Option<Settlement> {
        let open = self.approvals.remove(self.position(call)?);
        self.answered.remove(call);
        Some(Settlement {
            call: call.clone(),
            tool: open.approval.tool.clone(),
            allowed: false,
            by,
            scope: Scope::Once,
            note: None,
            amended: false,
        })
    }

    /// Closes an open question, answered or not.
    pub fn close_question(&mut self, call: &CallId) -> Option<Arc<Ask>> {
        let position = self.questions.iter().position(|ask| ask.call == *call)?;
        self.answered.remove(call);
        Some(self.questions.remove(position))
    }

    fn position(&self, call: &CallId) -> Option<usize> {
        self.approvals
            .iter()
            .position(|open| open.approval.call == *call)
    }
}

/// Files are for edits; on any other call they mean nothing.
fn amends(decision: &Decision, category: Category) -> bool {
    match decision.amendment {
        None => false,
        Some(Amendment::Files(_)) => category == Category::Edit,
        Some(Amendment::Input(_)) => true,
    }
}

#[cfg(test)]
mod tests;
