//! `greenroom doctor`: what is fine on this machine, what is not, and the next
//! step for each.
//!
//! - [`report`]: findings, as text for people and JSON for programs.
//! - [`settings`], [`state`], [`providers`], [`mcp`], [`host`]: what is looked at.
//!
//! It knows the configuration and the machine. The store and the providers are
//! asked through what the caller gives in [`DoctorInput`], so that nothing here
//! depends on them.

mod host;
mod mcp;
mod providers;
mod report;
mod settings;
mod state;

#[cfg(test)]
mod tests;

use std::path::Path;

use greenroom_actors::ports::Work;

use crate::config::{Config, ConfigError, Places};

pub use host::Host;
pub use mcp::McpState;
pub use report::{Area, Finding, Level, Report};
pub use state::StoreState;

/// What is looked at.
pub struct DoctorInput {
    /// The configuration, or why there is none.
    pub config: Result<Config, ConfigError>,
    /// Why no session starts under the guard's rules as they are, if so.
    pub rules: Option<String>,
    /// The names of all tools, for the modes that name some.
    pub tools: Vec<String>,
    /// Where configuration and state are; known even when the configuration is
    /// broken. Nothing when there is no home folder at all.
    pub places: Option<Places>,
    /// Tells about the store in the state folder, without waiting for anybody.
    pub store: Box<dyn FnOnce(&Path) -> StoreState + Send>,
    /// Calls the provider of that name without cost. What it says, for people,
    /// when it answers, else the reason. Given up after 10 s.
    pub probe: Probe,
    /// The MCP servers.
    pub mcp: McpState,
    /// The machine.
    pub host: Host,
}

/// See [`DoctorInput::probe`].
pub type Probe = Box<dyn Fn(&str) -> Work<Result<String, String>> + Send + Sync>;

/// Looks at everything. Takes at most some 10 s, however slow providers are.
pub async fn examine(input: DoctorInput) -> Report {
    let mut findings = vec![settings::look(&input.config)];
    findings.extend(settings::modes(&input.config, &input.tools));
    findings.extend(input.rules.as_deref().map(settings::rules));
    if let Some(places) = &input.places {
        findings.extend(state::look(&places.home, input.store));
    }
    if let Ok(config) = &input.config {
        findings.extend(providers::look(config, &input.probe).await);
    }
    findings.extend(mcp::look(&input.mcp, input.config.as_ref().ok()).await);
    let wanted = input.config.as_ref().map(|config| config.sandbox.clone());
    findings.extend(host::look(&input.host, &wanted.unwrap_or_default()));
    Report { findings }
}
