//! Who runs, and what of it the session tells.

use std::collections::BTreeMap;
use std::sync::Arc;

use greenroom_protocol::session::{
    AgentId, AgentInFlight, Approval, Ask, CallEnd, CallId, CallResult, Content, Happening, Mode,
    ModelChoice, Outcome, Part, SettledBy, Text, Usage,
};

use super::spec::AgentSpec;
use crate::ports::AgentTask;
use crate::session::{Core, Effect, Settings};

/// The sub-agents of a session that run, by name.
#[derive(Debug, Default)]
pub struct Agents {
    running: BTreeMap<AgentId, Running>,
}

/// The name of a sub-agent's calls, its tool, and the path to who makes it.
type OpenCall = (CallId, Text, Arc<[AgentId]>);

#[derive(Debug)]
struct Running {
    info: AgentInFlight,
    /// Its calls, and its own sub-agents', that were told and have no result.
    calls: Vec<OpenCall>,
    /// Its own sub-agents, at any depth, the oldest first.
    nested: Vec<Nested>,
}

/// A sub-agent of a sub-agent.
#[derive(Debug)]
struct Nested {
    agent: AgentId,
    /// To the one that started it.
    path: Arc<[AgentId]>,
    usage: Usage,
}

/// A sub-agent that has ended, as its starter's turn must know.
#[derive(Debug, PartialEq, Eq)]
pub struct EndedAgent {
    /// The call that started it.
    pub call: CallId,
    /// Nobody's turn waits for it.
    pub background: bool,
    /// What the model reads.
    pub text: String,
    /// Whether it did not do what it was asked.
    pub failed: bool,
}

impl Agents {
    /// How many run.
    pub fn len(&self) -> usize {
        self.running.len()
    }

    /// True when none runs.
    pub fn is_empty(&self) -> bool {
        self.running.is_empty()
    }

    /// Those that run, oldest first.
    pub fn in_flight(&self) -> Vec<AgentInFlight> {
        let mut all: Vec<AgentInFlight> = self.running.values().map(|it| it.info.clone()).collect();
        all.sort_by(|one, other| (one.started, &one.agent).cmp(&(other.started, &other.agent)));
        all
    }

    /// The sub-agent of ours on the way to one that runs at any depth: itself, or
    /// the one below which it runs.
    pub fn way_to(&self, agent: &AgentId) -> Option<&AgentId> {
        if let Some((own, _)) = self.running.get_key_value(agent) {
            return Some(own);
        }
        let is_it = |nested: &Nested| nested.agent == *agent;
        let holds = |(_, it): &(&AgentId, &Running)| it.nested.iter().any(is_it);
        self.running.iter().find(holds).map(|(own, _)| own)
    }

    /// One begins, or began in an earlier process.
    pub(crate) fn begin(&mut self, info: AgentInFlight) {
        let running = Running {
            info,
            calls: Vec::new(),
            nested: Vec::new(),
        };
        self.running.insert(running.info.agent.clone(), running);
    }

    /// One has ended: what its starter's model reads of it.
    pub(crate) fn end(
        &mut self,
        agent: &AgentId,
        outcome: &Outcome,
        text: &str,
    ) -> Option<EndedAgent> {
        let Running { info, .. } = self.running.remove(agent)?;
        Some(EndedAgent {
            text: report(&info, outcome, text),
            failed: *outcome != Outcome::Completed,
            call: info.call,
            background: info.background,
        })
    }
}

impl Core {
    /// The kind of sub-agent that a task names, or why there can be none.
    pub(crate) fn agent_spec(&self, task: &AgentTask) -> Result<AgentSpec, String> {
        let Settings {
            agents, lineage, ..
        } = &self.settings;
        if !self.settings.delegates() {
            return Err("no sub-agent can be started here: do it yourself".to_owned());
        }
        if task.background && lineage.parent.is_some() {
            let why = "a sub-agent's own sub-agents run in the foreground: leave `background` out";
            return Err(why.to_owned());
        }
        match agents.iter().find(|spec| spec.name == task.name) {
            Some(spec) => Ok(spec.clone()),
            None => {
                let names: Vec<&str> = agents.iter().map(|spec| &*spec.name).collect();
                let (name, names) = (&task.name, names.join(", "));
                Err(format!("there is no agent {name:?}; there are {names}"))
            }
        }
    }

    /// Whether one more may run.
    pub(crate) fn has_room_for_agent(&self) -> bool {
        self.agents.len() < self.settings.limits.agents
    }

    /// Tells of a new sub-agent, and has it started.
    pub(crate) fn start_agent(
        &mut self,
        call: &CallId,
        task: &AgentTask,
        acting: (&Mode, &ModelChoice),
    ) -> Result<AgentId, String> {
        let spec = self.agent_spec(task)?;
        if !self.has_room_for_agent() {
            let most = self.settings.limits.agents;
            return Err(format!(
                "{most} sub-agents run already, and no more may: wait for one to end"
            ));
        }
        let agent = self.next_agent();
        let settings = spec.settings(&self.settings, &agent, call, acting);
        self.agents.begin(AgentInFlight {
            agent: agent.clone(),
            call: call.clone(),
            name: task.name.clone(),
            task: task.task.clone(),
            background: task.background,
            started: self.now,
            usage: Usage::default(),
            steps: 0,
        });
        self.tell(Happening::AgentStarted {
            agent: agent.clone(),
            call: call.clone(),
            name: task.name.clone(),
            task: task.task.clone(),
            background: task.background,
        });
        self.out.push(Effect::StartAgent {
            agent: agent.clone(),
            settings: Box::new(settings),
            prompt: text_content(task.prompt.clone()),
            unattended: self.nobody_there,
        });
        Ok(agent)
    }

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
                    if path.contains(&nested.agent) {
                        nested.usage = nested.usage.plus(*usage);
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
            Happening::AgentStarted { agent, .. } => {
                running.nested.push(Nested {
                    agent: agent.clone(),
                    path: path.clone(),
                    usage: Usage::default(),
                });
                happening
            }
            Happening::AgentEnded { agent, .. } => {
                running.nested.retain(|it| it.agent != *agent);
                happening
            }
            _ => happening,
        };
        self.tell(Happening::AgentSaid { path, happening });
    }

    /// A sub-agent has ended by itself, or failed.
    pub(crate) fn agent_ended(
        &mut self,
        agent: &AgentId,
        outcome: Outcome,
        text: Text,
    ) -> Option<EndedAgent> {
        self.close_all(agent, &outcome, SettledBy::Abort);
        let usage = self.agents.running.get(agent)?.info.usage;
        let ended = self.agents.end(agent, &outcome, &text)?;
        self.tell(Happening::AgentEnded {
            agent: agent.clone(),
            outcome,
            text,
            usage,
        });
        if ended.background {
            let report = text_content(ended.text.as_str().into());
            self.queue.push_result(report);
        }
        Some(ended)
    }

    /// The journal tells that one began.
    pub(crate) fn agent_found(&mut self, info: AgentInFlight) {
        self.counters.agent += 1;
        self.agents.begin(info);
    }

    /// The journal tells that one ended.
    pub(crate) fn agent_end_found(
        &mut self,
        agent: &AgentId,
        outcome: &Outcome,
        text: &str,
        usage: Usage,
    ) {
        self.usage = self.usage.plus(usage);
        if let Some(ended) = self.agents.end(agent, outcome, text)
            && ended.background
        {
            let report = text_content(ended.text.as_str().into());
            self.queue.push_result(report);
        }
    }

    /// Ends those sub-agents at once.
    pub(crate) fn stop_agents(
        &mut self,
        which: impl Fn(&AgentInFlight) -> bool,
        outcome: &Outcome,
        by: SettledBy,
    ) -> Vec<EndedAgent> {
        let running = self.agents.in_flight().into_iter();
        let stopped: Vec<AgentId> = running.filter(which).map(|it| it.agent).collect();
        let mut ended = Vec::new();
        for agent in stopped {
            self.out.push(Effect::StopAgent {
                agent: agent.clone(),
            });
            self.close_all(&agent, outcome, by);
            ended.extend(self.agent_ended(&agent, outcome.clone(), Text::from("")));
        }
        ended
    }

    /// What is open in a sub-agent is closed, from the inside: what it asked, since
    /// nobody can answer it any more, its calls, its own sub-agents.
    fn close_all(&mut self, agent: &AgentId, outcome: &Outcome, by: SettledBy) {
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
        for Nested { agent, path, usage } in nested.into_iter().rev() {
            let ended = Happening::AgentEnded {
                agent,
                outcome: outcome.clone(),
                text: Text::from(""),
                usage,
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

    /// Somebody has answered what a sub-agent asked: it hears so, and tells what
    /// it made of it.
    pub(crate) fn answer_agent(
        &mut self,
        agent: AgentId,
        call: &CallId,
        command: greenroom_protocol::session::Command,
    ) {
        self.approvals.pass_on(call);
        self.out.push(Effect::TellAgent { agent, command });
    }
}

fn text_content(text: Text) -> Content {
    Content {
        parts: vec![Part::Text(text)],
    }
}

/// What the model reads of a sub-agent that has ended.
fn report(info: &AgentInFlight, outcome: &Outcome, text: &str) -> String {
    let head = match info.background {
        false => String::new(),
        true => format!("The sub-agent {} ({}) has ended.\n\n", info.name, info.task),
    };
    let body = match (outcome, text.trim().is_empty()) {
        (Outcome::Completed, false) => text.to_owned(),
        (Outcome::Completed, true) => "It ended without a word.".to_owned(),
        (outcome, is_silent) => {
            let why = why(outcome);
            match is_silent {
                true => why,
                false => format!("{why} Its last words:\n\n{text}"),
            }
        }
    };
    head + &body
}

fn why(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Completed => String::new(),
        Outcome::Aborted(_) => "It was stopped before it ended.".to_owned(),
        Outcome::Refused => "Its model declined to answer.".to_owned(),
        Outcome::Failed(failure) => format!("It failed: {}.", failure.message),
        Outcome::Limit(kind) => format!("It met a limit ({kind:?}) before it ended."),
        Outcome::Interrupted(_) => {
            "It was cut by the end of its process. It may have had effects.".to_owned()
        }
    }
}
