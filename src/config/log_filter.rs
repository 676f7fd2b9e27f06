//! Which log lines are written.

use serde::de::{Deserialize, Deserializer};
use tracing::level_filters::LevelFilter;
use tracing_subscriber::filter::Targets;

use super::nearest::hint;
use super::value::{Found, Reader};

/// Which log lines are written: a level (`off`, `error`, `warn`, `info`,
/// `debug`, `trace`), or levels by target (`info,greenroom::provider=debug`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogFilter(String);

impl LogFilter {
    const LEVELS: [&'static str; 6] = ["off", "error", "warn", "info", "debug", "trace"];

    /// Reads it; a word that is no level is an error, since it would otherwise
    /// be taken for a target and switch everything else off.
    pub fn parse(text: &str) -> Result<LogFilter, String> {
        let text = text.trim();
        for directive in text.split(',') {
            let (target, level) = match directive.split_once('=') {
                Some((target, level)) => (Some(target.trim()), level.trim()),
                None => (None, directive.trim()),
            };
            let known = LogFilter::LEVELS
                .iter()
                .any(|known| known.eq_ignore_ascii_case(level));
            if !known || target == Some("") {
                let shown: String = directive.chars().take(40).collect();
                return Err(format!(
                    "unknown log level {shown:?}{}; there are {}, also by target as in \
                     \"info,greenroom::provider=debug\"",
                    hint(level, LogFilter::LEVELS),
                    LogFilter::LEVELS.join(", "),
                ));
            }
        }
        match text.parse::<Targets>() {
            Ok(_) => Ok(LogFilter(text.to_owned())),
            Err(error) => Err(format!("the log level cannot be read: {error}")),
        }
    }

    /// As it was written.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// For tracing. The actor library's chatter is shown only when asked for, as
    /// is all that the MCP library says: it repeats what servers send.
    pub fn targets(&self) -> Targets {
        let mut targets: Targets = self.0.parse().unwrap_or_default();
        let level = targets.default_level().unwrap_or(LevelFilter::OFF);
        if !self.0.contains("ractor") && level > LevelFilter::WARN {
            targets = targets.with_target("ractor", LevelFilter::WARN);
        }
        if !self.0.contains("rmcp") && level > LevelFilter::OFF {
            targets = targets.with_target("rmcp", LevelFilter::OFF);
        }
        targets
    }
}

impl Default for LogFilter {
    /// `warn`.
    fn default() -> LogFilter {
        LogFilter("warn".to_owned())
    }
}

impl<'de> Deserialize<'de> for LogFilter {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<LogFilter, D::Error> {
        from.deserialize_any(Reader::new("a log level", |found| match found {
            Found::Text(text) => LogFilter::parse(text),
            Found::Bool(false) => LogFilter::parse("off"),
            _ => Err(format!(
                "expected a log level: {}",
                LogFilter::LEVELS.join(", ")
            )),
        }))
    }
}
