//! What command lines ask for.

use std::path::PathBuf;

use greenroom_protocol::session::{AnswerPolicy, Effort, Mode, SessionId};

use crate::config::{Environment, LogFilter, LogFormat, LogSettings};

/// One agent session over standard input and output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RpcOptions {
    /// The language spoken.
    pub wire: WireName,
    /// The workspace: absolute, with links resolved; it is a folder.
    pub cwd: PathBuf,
    /// Whether the command line named it.
    pub cwd_named: bool,
    /// What runs without asking; nothing means the configured mode.
    pub mode: Option<Mode>,
    /// Nothing means the configured default. Checked by [`RpcOptions::launch`].
    pub provider: Option<String>,
    /// Nothing or empty means the provider's configured one.
    pub model: Option<String>,
    /// Nothing means the configured one.
    pub effort: Option<Effort>,
    /// Which session.
    pub session: SessionChoice,
    /// Model calls in a turn, at least 1; nothing means the configured number.
    pub max_steps: Option<u32>,
    /// Who decides what is asked.
    pub approve: AnswerPolicy,
    /// Autohand's `--yolo PATTERN`: calls like it are allowed unasked. Without
    /// a pattern it is in `approve`.
    pub yolo: Option<String>,
    /// A script for the scripted provider, as given.
    pub script: Option<PathBuf>,
    /// Flags that every command has.
    pub common: CommonOptions,
    /// For people, on standard error; the session starts all the same.
    pub warnings: Vec<String>,
}

/// The language that a client speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WireName {
    /// `agent --rpc`
    Hm,
    /// `--mode rpc`
    Autohand,
}

/// Which session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SessionChoice {
    /// A new one.
    New,
    /// This one. Whether it is there, only the store knows.
    Resume(SessionId),
    /// The workspace's latest one.
    Continue,
    /// A new one that is nowhere saved.
    Ephemeral,
}

/// Flags that every command has.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CommonOptions {
    /// `--config`, as given.
    pub config: Option<PathBuf>,
    /// `--log`
    pub log: Option<LogFilter>,
    /// `--log-format`
    pub log_format: Option<LogFormat>,
}

impl CommonOptions {
    /// What is logged: the flag, else `$RUST_LOG`, else the configuration. The
    /// text is a warning about a `$RUST_LOG` that is written for others.
    pub fn log_settings(
        &self,
        configured: &LogSettings,
        env: &Environment,
    ) -> (LogSettings, Option<String>) {
        let format = self.log_format.unwrap_or(configured.format);
        let with = |level: LogFilter| LogSettings { level, format };
        if let Some(level) = &self.log {
            return (with(level.clone()), None);
        }
        let variable = env.text("RUST_LOG").transpose();
        match variable.map(|text| text.and_then(|text| LogFilter::parse(&text))) {
            Some(Ok(level)) => (with(level), None),
            Some(Err(reason)) => {
                let warning = format!("$RUST_LOG is ignored: {reason}");
                (with(configured.level.clone()), Some(warning))
            }
            None => (with(configured.level.clone()), None),
        }
    }
}

/// `greenroom demo`: a scripted session for people to look at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DemoOptions {
    /// Flags that every command has.
    pub common: CommonOptions,
}

/// `greenroom doctor`: what is fine and what is not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DoctorOptions {
    /// For programs.
    pub json: bool,
    /// Flags that every command has.
    pub common: CommonOptions,
}

/// `greenroom bench`: how fast it is here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BenchOptions {
    /// For programs.
    pub json: bool,
    /// Fewer and shorter runs.
    pub quick: bool,
    /// Flags that every command has.
    pub common: CommonOptions,
}
