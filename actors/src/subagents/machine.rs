//! Who runs, and what of it the session tells.

use std::collections::BTreeMap;
use std::sync::Arc;

use greenroom_protocol::session::{
    AgentId, AgentInFlight, CallId, Content, Happening, LimitKind, Mode, ModelChoice, Outcome,
    Part, SettledBy, Text, Usage,
};

use super::spec::AgentSpec;
use crate::ports::AgentTask;
use crate::session::{Core, Effect, Settings};

/// The longest report that is given to a starter's model, in bytes.
const LONGEST_REPORT: usize = 64 << 10;

/// The sub-agents of a session that run, by name.
#[derive(Debug, Default)]
pub struct Agents {
    pub(super) running: BTreeMap<AgentId, Running>,
}

/// The name of a sub-agent's calls, its tool, and the path to who makes it.
pub(super) type OpenCall = (CallId, Text, Arc<[AgentId]>);

#[derive(Debug)]
pub(super) struct Running {
    pub info: AgentInFlight,
    /// Its calls, and its own sub-agents', that were told and have no result.
    pub calls: Vec<OpenCall>,
    /// Its own sub-agents, at any depth, the oldest first.
    pub nested: Vec<Nested>,
}

/// A sub-agent of a sub-agent.
#[derive(Debug)]
pub(super) struct Nested {
    pub info: AgentInFlight,
    /// To the one that started it.
    pub path: Arc<[AgentId]>,
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

    /// Those that run and their own, at any depth, oldest first.
    pub fn all_in_flight(&self) -> Vec<AgentInFlight> {
        let mut all = self.in_flight();
        let nested = self.running.values().flat_map(|it| &it.nested);
        all.extend(nested.map(|it| it.info.clone()));
        all.sort_by(|one, other| (one.started, &one.agent).cmp(&(other.started, &other.agent)));
        all
    }

    /// The sub-agent of ours on the way to one that runs at any depth: itself, or
    /// the one below which it runs.
    pub fn way_to(&self, agent: &AgentId) -> Option<&AgentId> {
        if let Some((own, _)) = self.running.get_key_value(agent) {
            return Some(own);
        }
        let is_it = |nested: &Nested| nested.info.agent == *agent;
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
        let mut settings = spec.settings(&self.settings, &agent, call, acting);
        let (tokens, cost) = self.left();
        let limits = &mut settings.limits;
        limits.turn_tokens = smaller(limits.turn_tokens, tokens);
        limits.turn_cost = smaller(limits.turn_cost, cost);
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

/// The smaller one of two limits, of which each may be missing.
fn smaller<T: Ord>(one: Option<T>, other: Option<T>) -> Option<T> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.min(other)),
        (one, other) => one.or(other),
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
    let text = &*shortened(text);
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
        Outcome::Limit(kind) => format!("It met a limit ({}) before it ended.", limit(*kind)),
        Outcome::Interrupted(_) => {
            "It was cut by the end of its process. It may have had effects.".to_owned()
        }
    }
}

/// A report that its starter's model can read: of a longer one the beginning.
fn shortened(text: &str) -> std::borrow::Cow<'_, str> {
    if text.len() <= LONGEST_REPORT {
        return text.into();
    }
    let mut end = LONGEST_REPORT;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let left = text.len() - end;
    format!(
        "{}\n\n[{left} bytes more of the report were left out]",
        &text[..end]
    )
    .into()
}

fn limit(kind: LimitKind) -> &'static str {
    match kind {
        LimitKind::Steps => "model calls",
        LimitKind::AnswerLength => "the length of an answer",
        LimitKind::Tokens => "tokens",
        LimitKind::Cost => "money",
        LimitKind::Time => "time",
        LimitKind::SessionTokens => "tokens of the session",
        LimitKind::SessionCost => "money of the session",
    }
}
