//! Which model answers, and what it may do without asking.

use super::{ModelChange, Text};

/// Which model, of which provider, thinking how hard.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelChoice {
    /// The provider's name in the configuration.
    pub provider: Text,
    /// The model's id; empty means the provider's configured one.
    pub model: Text,
    /// Nothing means the provider's own default.
    pub effort: Option<Effort>,
}

impl ModelChoice {
    /// What a change makes of it (seed 000, `set_model`).
    pub fn changed(&self, change: ModelChange) -> ModelChoice {
        let provider = match change.provider {
            Some(provider) if !provider.is_empty() => provider,
            _ => self.provider.clone(),
        };
        let model = match change.model {
            Some(model) => model,
            None if provider == self.provider => self.model.clone(),
            None => Text::from(""),
        };
        ModelChoice {
            provider,
            model,
            effort: change.effort.unwrap_or(self.effort),
        }
    }
}

/// How hard a model thinks before it answers (seed 000).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[allow(missing_docs)]
pub enum Effort {
    Off,
    Low,
    Medium,
    High,
    XHigh,
    Max,
}

impl Effort {
    /// All of them, weakest first.
    pub const ALL: [Effort; 6] = [
        Effort::Off,
        Effort::Low,
        Effort::Medium,
        Effort::High,
        Effort::XHigh,
        Effort::Max,
    ];

    /// The name that configuration and wires use.
    pub fn name(self) -> &'static str {
        match self {
            Effort::Off => "off",
            Effort::Low => "low",
            Effort::Medium => "medium",
            Effort::High => "high",
            Effort::XHigh => "xhigh",
            Effort::Max => "max",
        }
    }

    /// The effort of that name.
    pub fn named(name: &str) -> Option<Effort> {
        Effort::ALL.into_iter().find(|effort| effort.name() == name)
    }
}

/// What runs without asking. Explicit rules (deny, ask) stand above every mode.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Mode {
    /// Reads run; all else asks.
    Ask,
    /// As `Ask`, but edits inside the workspace run.
    #[default]
    Auto,
    /// Read-only: edits and commands that are not proven to read are denied.
    Plan,
    /// Everything runs.
    Full,
    /// One of the configuration's own, by its name: it builds on one of the
    /// others.
    Custom(Text),
}

impl Mode {
    /// Those that are always there, most careful first.
    pub const BUILT_IN: [Mode; 4] = [Mode::Plan, Mode::Ask, Mode::Auto, Mode::Full];

    /// The name that configuration and wires use.
    pub fn name(&self) -> &str {
        match self {
            Mode::Ask => "ask",
            Mode::Auto => "auto",
            Mode::Plan => "plan",
            Mode::Full => "full",
            Mode::Custom(name) => name,
        }
    }

    /// The mode of that name; one that is not built in may not exist.
    pub fn named(name: &str) -> Mode {
        let built_in = Mode::BUILT_IN.into_iter().find(|mode| mode.name() == name);
        built_in.unwrap_or_else(|| Mode::Custom(name.into()))
    }
}
