//! Options and configuration together: what a session starts with.

use greenroom_protocol::session::{Effort, Mode, ModelChoice};

use super::options::RpcOptions;
use super::usage::Usage;
use crate::config::nearest::hint;
use crate::config::{Config, Limits, choose_mode, how_to_get};

/// What a session starts with, all of it checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Launch {
    /// What runs without asking.
    pub mode: Mode,
    /// Provider (always configured), model (empty: the provider's own) and
    /// effort.
    pub model: ModelChoice,
    /// The limits of a turn.
    pub limits: Limits,
}

impl RpcOptions {
    /// Checks the options against the configuration. A provider that is not
    /// configured, or has no model and gets none, is refused with exit code 2.
    pub fn launch(&self, config: &Config) -> Result<Launch, Usage> {
        let name = self.provider.as_deref().unwrap_or(&config.default_provider);
        let Some(provider) = config.provider(name) else {
            return Err(unknown_provider(name, config));
        };
        let model = self.model.as_deref().unwrap_or_default().trim();
        if model.is_empty() && provider.model.is_empty() {
            return Err(Usage::wrong(format!(
                "provider {name} has no model of its own; name one with --model or in \
                 providers.{name}.model of the configuration"
            )));
        }
        let effort: Option<Effort> = self.effort.or(config.effort);
        let mut limits = config.limits.clone();
        if let Some(max_steps) = self.max_steps {
            limits.max_steps = max_steps;
        }
        let mode = match &self.mode {
            Some(mode) => choose_mode(mode.name(), &config.modes)
                .map_err(|fault| Usage::wrong(format!("--mode: {fault}")))?,
            None => config.mode.clone(),
        };
        Ok(Launch {
            mode,
            model: ModelChoice {
                provider: name.into(),
                model: model.into(),
                effort,
            },
            limits,
        })
    }
}

fn unknown_provider(name: &str, config: &Config) -> Usage {
    let names = config
        .providers
        .iter()
        .map(|provider| provider.name.as_str());
    let remedy = match how_to_get(name) {
        Some(remedy) => format!("; {remedy}"),
        None => hint(name, names),
    };
    let shown: String = name.chars().take(60).collect();
    Usage::wrong(format!(
        "--provider: there is no provider {shown:?}{remedy}; there are {}",
        config.provider_names()
    ))
}
