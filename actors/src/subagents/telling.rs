//! What of a sub-agent its starter tells, and how what is open in it is closed.

use std::sync::Arc;

use greenroom_protocol::session::{
    AgentId, AgentInFlight, Approval, Ask, CallEnd, CallResult, Happening, Outcome, SettledBy,
    Text, Usage,
};

use super::machine::Nested;
use crate::session::Core;

impl Core {
    /// Something happened in a sub-agent: those who look at this session are told
    /// so, and may answer what it asks.
    pub(crate) fn agent_said(&mut self, agent: &AgentId, said: &Arc<Happening>) {
        let Some(running) = self.agents.running.get_mut(agent) else {
            return; // It was stopped.
        };
        let (path, happening) = match &**said {
            Happening::AgentSaid { path, happening } => {
                let path = std::iter::once(agent.clone()).chain(path.iter().cloned());
                (path.collect::<Arc<[AgentId]>>(), happening.clone())
            }
            _ => (Arc::from([agent.clone()]), said.clone()),
        };
        let happening = match &*happening {
            Happening::ApprovalAsked(approval) => {
                let asked_by = path.to_vec();
                let approval = Arc::new(Approval {
                    asked_by,
                    ..(**approval).clone()
                });
                self.approvals.ask(approval.clone(), None);
                Arc::new(Happening::ApprovalAsked(approval))
            }
            Happening::QuestionAsked(ask) => {
                let asked_by = path.to_vec();
                let ask = Arc::new(Ask {
                    asked_by,
                    ..(**ask).clone()
                });
                self.approvals.ask_question(ask.clone());
                Arc::new(Happening::QuestionAsked(ask))
            }
            Happening::ApprovalSettled(settlement) => {
                self.approvals.withdraw(&settlement.call, settlement.by);
                happening
            }
            Happening::QuestionSettled { call, .. } => {
                self.approvals.close_question(call);
                happening
            }
            Happening::Used { usage } => {
                running.info.usage = running.info.usage.plus(*usage);
                running.info.steps += 1;
                for nested in &mut running.nested {
                    if path.contains(&nested.info.agent) {
                        nested.info.usage = nested.info.usage.plus(*usage);
                        nested.info.steps += 1;
                    }
                }
                self.usage = self.usage.plus(*usage);
                happening
            }
            Happening::CallStarted(call) => {
                let open = (call.id.clone(), call.tool.clone(), path.clone());
                running.calls.push(open);
                happening
            }
            Happening::CallEnded(result) => {
                running.calls.retain(|(call, ..)| *call != result.call);
                happening
            }
            Happening::AgentStarted {
                agent,
                call,
                name,
                task,
                background,
            } => {
                let info = AgentInFlight {
                    agent: agent.clone(),
                    call: call.clone(),
                    name: name.clone(),
                    task: task.clone(),
                    background: *background,
                    started: self.now,
                    usage: Usage::default(),
                    steps: 0,
                };
                let path = path.clone();
                running.nested.push(Nested { info, path });
                happening
            }
            Happening::AgentEnded { agent, .. } => {
                running.nested.retain(|it| it.info.agent != *agent);
                happening
            }
            _ => happening,
        };
        self.tell(Happening::AgentSaid { path, happening });
    }

    /// What is open in a sub-agent is closed, from the inside: what it asked, since
    /// nobody can answer it any more, its calls, its own sub-agents.
    pub(super) fn close_all(&mut self, agent: &AgentId, outcome: &Outcome, by: SettledBy) {
        self.settle_all(agent, by);
        let Some(running) = self.agents.running.get_mut(agent) else {
            return;
        };
        let nested = std::mem::take(&mut running.nested);
        for (call, tool, path) in std::mem::take(&mut running.calls) {
            let result = CallResult {
                call,
                tool,
                end: CallEnd::Aborted,
                text: "Stopped with its sub-agent. It may have had effects.".into(),
                images: Vec::new(),
                exit_code: None,
                truncated: false,
                duration_ms: 0,
            };
            self.tell_of(&path, Happening::CallEnded(Arc::new(result)));
        }
        for Nested { info, path } in nested.into_iter().rev() {
            let ended = Happening::AgentEnded {
                agent: info.agent,
                outcome: outcome.clone(),
                text: Text::from(""),
                usage: info.usage,
            };
            self.tell_of(&path, ended);
        }
    }

    fn settle_all(&mut self, agent: &AgentId, by: SettledBy) {
        let is_its = |asked_by: &[AgentId]| asked_by.first() == Some(agent);
        let approvals: Vec<Arc<Approval>> = self.approvals.unsettled().cloned().collect();
        for approval in approvals.iter().filter(|it| is_its(&it.asked_by)) {
            if let Some(settlement) = self.approvals.withdraw(&approval.call, by) {
                self.tell_of(&approval.asked_by, Happening::ApprovalSettled(settlement));
            }
        }
        let questions = self.approvals.unsettled_questions().to_vec();
        for ask in questions.iter().filter(|it| is_its(&it.asked_by)) {
            if self.approvals.close_question(&ask.call).is_some() {
                let (call, answered) = (ask.call.clone(), false);
                let settled = Happening::QuestionSettled { call, answered, by };
                self.tell_of(&ask.asked_by, settled);
            }
        }
    }

    fn tell_of(&mut self, path: &[AgentId], happening: Happening) {
        let (path, happening) = (path.into(), Arc::new(happening));
        self.tell(Happening::AgentSaid { path, happening });
    }
}
