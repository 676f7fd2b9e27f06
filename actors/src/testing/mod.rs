//! Ports for tests: a model that says what it is told to say, tools that do
//! nothing real, a store in memory that can fail, a clock that stands.
//!
//! Only with the feature `testing`.

mod export;
mod jobs;
mod model;
mod store;
mod tools;

pub use export::FakeExporter;
pub use jobs::NoJobs;
pub use model::{Line, ScriptedModel, answer, calls};
pub use store::MemoryStore;
pub use tools::{FakeGuard, FakeTools, plan, specs};

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use greenroom_protocol::session::{AnswerPolicy, Millis, ModelChoice, SessionId};

use crate::limits::{CallPolicy, Limits};
use crate::ports::{Clock, Ids, ModelFacts, Ports};
use crate::session::{Lineage, Settings};
use crate::subagents::AgentSpec;

/// A clock that stands until it is moved.
#[derive(Debug, Default)]
pub struct StandingClock(AtomicU64);

impl StandingClock {
    /// Moves it.
    pub fn set(&self, millis: u64) {
        self.0.store(millis, Ordering::Relaxed);
    }
}

impl Clock for StandingClock {
    fn now(&self) -> Millis {
        Millis(self.0.load(Ordering::Relaxed))
    }
}

/// Sessions `S1`, `S2` and so on.
#[derive(Debug, Default)]
pub struct CountingIds(AtomicU64);

impl Ids for CountingIds {
    fn session(&self) -> SessionId {
        SessionId::new(format!("S{}", self.0.fetch_add(1, Ordering::Relaxed) + 1))
    }
}

/// Ports around a scripted model and a store in memory.
pub fn ports(lines: impl IntoIterator<Item = Line>) -> Ports {
    Ports {
        model: Arc::new(ScriptedModel::new(lines)),
        tools: Arc::new(FakeTools),
        jobs: Arc::new(NoJobs),
        guard: Arc::new(FakeGuard),
        store: Arc::new(MemoryStore::default()),
        exporter: Arc::new(FakeExporter::default()),
        clock: Arc::new(StandingClock::default()),
        ids: Arc::new(CountingIds::default()),
    }
}

/// Settings of a session of that name, with every default.
pub fn settings(id: &str) -> Settings {
    Settings {
        id: SessionId::new(id),
        root: Arc::new(PathBuf::from("/work")),
        mode: None,
        model: None,
        default_model: ModelChoice {
            provider: "scripted".into(),
            model: "".into(),
            effort: None,
        },
        modes: Default::default(),
        system: "You are a test.".into(),
        tools: specs(),
        only_tools: None,
        agents: vec![AgentSpec {
            name: "general".into(),
            description: "For tests.".into(),
            system: "You are a part of a test.".into(),
            ..AgentSpec::default()
        }]
        .into(),
        lineage: Lineage::default(),
        answers: AnswerPolicy::Ask,
        limits: Limits::default(),
        calls: CallPolicy::default(),
        title_model: None,
        saved: true,
        facts: Arc::new(|choice| {
            (&*choice.provider == "scripted").then(|| ModelFacts {
                id: choice.model.clone(),
                context_window: Some(200_000),
                images: true,
                prices: None,
            })
        }),
        fallback: Arc::new(|_, _| None),
        providers: "scripted".into(),
    }
}

/// An effect in one line, for snapshots: what matters, in few words.
pub fn line(effect: &crate::session::Effect) -> String {
    use crate::session::Effect;
    match effect {
        Effect::Tell(event) => format!("tell {} {:?}", event.seq, event.happening),
        Effect::Answer {
            ticket, outcome, ..
        } => format!("answer {ticket} {outcome:?}"),
        Effect::StartTurn => "start turn".to_owned(),
        Effect::CallModel { work, request } => {
            format!(
                "call model {} with {} messages",
                work.0,
                request.messages.len()
            )
        }
        Effect::Judge { call, tool, .. } => format!("judge {call} {tool}"),
        Effect::RunTool { call, planned, .. } => format!("run {call} {}", planned.tool),
        Effect::StartAgent {
            agent, settings, ..
        } => {
            format!("start agent {agent} in mode {:?}", settings.mode)
        }
        Effect::TellAgent { agent, command } => format!("tell agent {agent} {command:?}"),
        Effect::LeaveAgents => "leave agents".to_owned(),
        Effect::StopAgent { agent } => format!("stop agent {agent}"),
        Effect::ReadMessages { session, .. } => format!("read messages of {session}"),
        Effect::StopTurn => "stop turn".to_owned(),
        Effect::SetTimer { timer, after } => format!("timer {timer:?} in {after:?}"),
        Effect::Left { client } => format!("left {client}"),
        Effect::ReadTree => "read tree".to_owned(),
        Effect::RecordFork { session, effects } => {
            let lines: Vec<String> = effects.iter().map(line).collect();
            format!(
                "record fork {}: {}",
                session.settings().id,
                lines.join("; ")
            )
        }
        Effect::HandOver { client, ticket } => format!("hand over {client} for {ticket}"),
        Effect::List { ticket, root, .. } => format!("list {root:?} for {ticket}"),
        Effect::AskTitle(request) => {
            format!("ask {:?} for a title", request.model.model)
        }
        Effect::Export {
            ticket, request, ..
        } => format!("export {request:?} for {ticket}"),
    }
}
