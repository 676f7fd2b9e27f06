//! Kinds of sub-agents, and the settings of one.

use std::sync::Arc;
use std::time::Duration;

use greenroom_protocol::session::{
    AgentId, CallId, Cost, Mode, ModelChange, ModelChoice, SessionId, Text,
};

use crate::modes::Modes;
use crate::session::{Lineage, Settings};

/// A kind of sub-agent, as the project, the user or Greenroom itself defines it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AgentSpec {
    /// Its name, unique among all.
    pub name: Text,
    /// For the model: when to use it.
    pub description: Text,
    /// What its system prompt says beyond its starter's.
    pub system: Text,
    /// The tools that it is offered; nothing means its starter's.
    pub tools: Option<Vec<Text>>,
    /// Its mode; nothing means its starter's. One that allows more than the
    /// starter's counts as the starter's.
    pub mode: Option<Mode>,
    /// What of its starter's model is changed.
    pub model: ModelChange,
    /// Limits.
    pub limits: AgentLimits,
}

/// What one sub-agent may take; what is left out is its starter's.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AgentLimits {
    /// Model calls.
    pub steps: Option<u32>,
    /// Tokens of all kinds.
    pub tokens: Option<u64>,
    /// Money.
    pub cost: Option<Cost>,
    /// Wall time.
    pub time: Option<Duration>,
}

impl AgentSpec {
    /// Settings of a sub-agent of this kind, which a call of a turn with this
    /// mode and model starts.
    pub(super) fn settings(
        &self,
        starter: &Settings,
        agent: &AgentId,
        call: &CallId,
        (mode, model): (&Mode, &ModelChoice),
    ) -> Settings {
        let mode = match &self.mode {
            Some(own) if !allows_more(&starter.modes, own, mode) => own.clone(),
            _ => mode.clone(),
        };
        let mut limits = starter.limits.clone();
        // What the whole session may use is its starter's matter.
        limits.session_tokens = None;
        limits.session_cost = None;
        limits.steps = self.limits.steps.unwrap_or(limits.steps);
        limits.turn_tokens = self.limits.tokens.or(limits.turn_tokens);
        limits.turn_cost = self.limits.cost.or(limits.turn_cost);
        limits.turn_time = self.limits.time.or(limits.turn_time);
        Settings {
            id: SessionId::new(agent.as_str()),
            mode: Some(mode),
            model: Some(model.changed(self.model.clone())),
            system: format!("{}\n\n{}", starter.system, self.system).into(),
            // Of what its starter has not, it has nothing either.
            only_tools: match (&starter.only_tools, &self.tools) {
                (None, own) => own.clone(),
                (starters, None) => starters.clone(),
                (Some(starters), Some(own)) => {
                    let is_starters = |name: &&Text| starters.contains(name);
                    Some(own.iter().filter(is_starters).cloned().collect())
                }
            },
            title_model: None,
            limits,
            lineage: Lineage {
                parent: Some(starter.id.clone()),
                depth: starter.lineage.depth + 1,
                calls: format!("{call}.").into(),
            },
            agents: Arc::clone(&starter.agents),
            ..starter.clone()
        }
    }
}

/// Whether a mode lets run what another asks about or denies.
fn allows_more(modes: &Modes, one: &Mode, other: &Mode) -> bool {
    freedom(&modes.base(one)) > freedom(&modes.base(other))
}

fn freedom(base: &Mode) -> u8 {
    match base {
        Mode::Plan => 0,
        Mode::Ask | Mode::Custom(_) => 1,
        Mode::Auto => 2,
        Mode::Full => 3,
    }
}
