//! Sub-agents as the world plays them, and what is promised of them.

// Helpers of tests are tests too, which clippy cannot see in this folder.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use greenroom_actors::session::Input;
use greenroom_protocol::session::{
    AgentId, Approval, Call, CallEnd, CallId, CallResult, Category, Command, Document, Failure,
    FailureKind, Happening, Outcome, Scope, SettledBy, Settlement, Usage,
};
use proptest::prelude::*;

/// Those that were told and have not ended.
#[derive(Debug, Default)]
pub struct Agents {
    running: BTreeMap<AgentId, Agent>,
    last_call: u64,
}

#[derive(Debug, Default)]
struct Agent {
    /// No turn waits for it.
    background: bool,
    /// Calls that clients were told of and have no result.
    calls: BTreeSet<CallId>,
    /// Approvals that clients were told of and were not settled.
    approvals: BTreeSet<CallId>,
    /// Those of them that it has heard a decision on.
    decided: BTreeSet<CallId>,
}

impl Agents {
    pub fn is_empty(&self) -> bool {
        self.running.is_empty()
    }

    /// Open approvals that nobody has decided.
    pub fn approvals(&self) -> BTreeSet<CallId> {
        let open = self.running.values();
        open.flat_map(|it| it.approvals.difference(&it.decided).cloned())
            .collect()
    }

    /// Whether a turn waits for one.
    pub fn in_foreground(&self) -> bool {
        self.running.values().any(|it| !it.background)
    }

    pub fn pick(&self, which: usize) -> Option<AgentId> {
        let which = which % self.running.len().max(1);
        self.running.keys().nth(which).cloned()
    }

    /// One says something that its state allows.
    pub fn says(&mut self, which: usize, what: usize) -> Option<Input> {
        let agent = self.pick(which)?;
        let state = self.running.get(&agent)?;
        let first = |set: &BTreeSet<CallId>| set.first().cloned();
        let happening = match what {
            0 => {
                self.last_call += 1;
                Happening::CallStarted(Call {
                    id: CallId::new(format!("x{}", self.last_call)),
                    tool: "shell".into(),
                    category: Category::Shell,
                    summary: "make".into(),
                    input: Document::default(),
                })
            }
            1 => {
                let call = state.calls.difference(&state.approvals).next()?;
                Happening::ApprovalAsked(Arc::new(approval(call)))
            }
            2 => settled(&first(&state.decided)?, SettledBy::Client),
            3 => settled(&first(&state.approvals)?, SettledBy::Deadline),
            4 => {
                let call = state.calls.difference(&state.approvals).next()?;
                Happening::CallEnded(Arc::new(CallResult {
                    call: call.clone(),
                    tool: "shell".into(),
                    end: CallEnd::Done,
                    text: "made".into(),
                    images: Vec::new(),
                    exit_code: None,
                    truncated: false,
                    duration_ms: 1,
                }))
            }
            _ => Happening::Used {
                usage: Usage {
                    input: 1,
                    ..Usage::default()
                },
            },
        };
        let happening = Arc::new(happening);
        Some(Input::AgentSaid { agent, happening })
    }

    pub fn ends(&mut self, which: usize, completed: bool) -> Option<Input> {
        let agent = self.pick(which)?;
        let outcome = match completed {
            true => Outcome::Completed,
            false => Outcome::Failed(Failure {
                kind: FailureKind::Internal,
                message: "it broke".into(),
            }),
        };
        let text = "found it".into();
        Some(Input::AgentEnded {
            agent,
            outcome,
            text,
        })
    }

    /// The effect that starts its session.
    pub fn start(&self, agent: &AgentId) -> Result<(), TestCaseError> {
        let state = self.running.get(agent);
        prop_assert!(state.is_some(), "told before it begins");
        Ok(())
    }

    /// The effect that passes a command on.
    pub fn hear(&mut self, agent: &AgentId, command: &Command) -> Result<(), TestCaseError> {
        let state = self.running.get_mut(agent);
        prop_assert!(state.is_some(), "only those that run hear anything");
        if let Command::Decide { call, .. } = command {
            let state = state.unwrap();
            prop_assert!(state.approvals.contains(call));
            prop_assert!(state.decided.insert(call.clone()), "one decision each");
        }
        Ok(())
    }

    pub fn told_start(&mut self, agent: &AgentId, background: bool) -> Result<(), TestCaseError> {
        let state = Agent {
            background,
            ..Agent::default()
        };
        let before = self.running.insert(agent.clone(), state);
        prop_assert!(before.is_none(), "each name is new");
        Ok(())
    }

    pub fn told(&mut self, path: &[AgentId], said: &Happening) -> Result<(), TestCaseError> {
        let state = self.running.get_mut(&path[0]);
        prop_assert!(state.is_some(), "nothing is told of one that has ended");
        let state = state.unwrap();
        match said {
            Happening::CallStarted(call) => {
                prop_assert!(state.calls.insert(call.id.clone()));
            }
            Happening::ApprovalAsked(approval) => {
                prop_assert_eq!(&approval.asked_by[..], path);
                prop_assert!(state.approvals.insert(approval.call.clone()));
            }
            Happening::ApprovalSettled(settlement) => {
                prop_assert!(state.approvals.remove(&settlement.call), "settled once");
                state.decided.remove(&settlement.call);
            }
            Happening::CallEnded(result) => {
                prop_assert!(state.calls.remove(&result.call), "one result a call");
                prop_assert!(!state.approvals.contains(&result.call));
            }
            _ => (),
        }
        Ok(())
    }

    pub fn told_end(&mut self, agent: &AgentId) -> Result<(), TestCaseError> {
        let state = self.running.remove(agent);
        prop_assert!(state.is_some(), "each ends once");
        let state = state.unwrap();
        prop_assert!(state.calls.is_empty(), "every call has its result");
        prop_assert!(state.approvals.is_empty(), "no approval is left open");
        Ok(())
    }

    /// The process died: the next one knows nothing of what was open in them.
    pub fn cut(&mut self) {
        for state in self.running.values_mut() {
            *state = Agent {
                background: state.background,
                ..Agent::default()
            };
        }
    }
}

fn approval(call: &CallId) -> Approval {
    Approval {
        call: call.clone(),
        tool: "shell".into(),
        category: Category::Shell,
        summary: "make".into(),
        command: Some("make".into()),
        paths: Vec::new(),
        edits: Vec::new(),
        reason: "it is a test".into(),
        scopes: vec![Scope::Once],
        asked_by: Vec::new(),
        deadline: None,
    }
}

fn settled(call: &CallId, by: SettledBy) -> Happening {
    Happening::ApprovalSettled(Settlement {
        call: call.clone(),
        tool: "shell".into(),
        allowed: by == SettledBy::Client,
        by,
        scope: Scope::Once,
        note: None,
        amended: false,
    })
}
