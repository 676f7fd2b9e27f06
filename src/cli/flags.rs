//! The flags of our own commands, as clap reads them. Doc comments here are
//! the help.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use greenroom_protocol::session::{AnswerPolicy, Effort, Mode, SessionId};

use super::audit::AuditFlags;
use super::guard::GuardFlags;
use super::models::ModelsFlags;
use super::options::CommonOptions;
use crate::config::choice::choose;
use crate::config::nearest::hint;
use crate::config::{LogFilter, LogFormat};

const EXAMPLES: &str = "\
Examples:
  greenroom demo                      watch a session, no key needed
  greenroom agent --rpc               host a session for a program (hm's JSON lines)
  greenroom --mode rpc                the same in Autohand's protocol
  greenroom doctor                    check keys, folders and the sandbox
  OPENAI_API_KEY=... greenroom agent --rpc --model gpt-5.6

Called through a link named hm or autohand it takes that program's place.
Without a key the scripted model answers. Standard output carries the protocol
only; people read standard error.";

const AGENT_EXAMPLES: &str = "\
Examples:
  greenroom agent --rpc --cwd ~/app
  greenroom agent --rpc --provider anthropic --mode plan
  greenroom agent --rpc --continue --approve edits
  greenroom agent --rpc --no-session --script builtin:demo

Exit codes: 0 standard input was closed; 1 it could not start or go on;
2 the command line cannot work; 130 SIGINT or SIGTERM.";

/// Hosts coding-agent sessions for other programs.
#[derive(Debug, Parser)]
#[command(after_help = EXAMPLES, disable_version_flag = true, disable_help_subcommand = true)]
pub(super) struct Cli {
    #[command(flatten)]
    pub common: CommonFlags,
    /// Print the version.
    #[arg(short = 'V', long)]
    pub version: bool,
    #[command(subcommand)]
    pub command: Option<Command>,
}

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Host a session for the program that started this one.
    Agent(AgentFlags),
    /// Play a scripted session for people to watch.
    Demo,
    /// Check configuration, folders, providers and sandbox, with next steps.
    Doctor {
        /// Print one JSON object, for programs.
        #[arg(long)]
        json: bool,
    },
    /// Show what was decided about calls, by whom and why, from the saved
    /// sessions.
    Audit(AuditFlags),
    /// Look at rule files, trust a project's, check one, try a call.
    Guard(GuardFlags),
    /// Show which models there are, what fits into them and what they cost.
    Models(ModelsFlags),
    /// Measure this build on this machine.
    Bench {
        /// Print one JSON object, for programs.
        #[arg(long)]
        json: bool,
        /// Fewer and shorter runs.
        #[arg(long)]
        quick: bool,
    },
}

#[derive(Debug, Clone, Args)]
pub(super) struct CommonFlags {
    /// The configuration file [default: ~/.config/greenroom/config.yaml].
    #[arg(
        long,
        value_name = "PATH",
        global = true,
        help_heading = "Common options"
    )]
    config: Option<PathBuf>,
    /// What to log on standard error: off, error, warn, info, debug, trace.
    #[arg(long, value_name = "LEVEL", global = true, help_heading = "Common options", value_parser = LogFilter::parse)]
    log: Option<LogFilter>,
    /// How to log: text or json.
    #[arg(long, value_name = "FORMAT", global = true, help_heading = "Common options", value_parser = choose::<LogFormat>)]
    log_format: Option<LogFormat>,
}

impl CommonFlags {
    pub(super) fn options(self) -> CommonOptions {
        CommonOptions {
            config: self.config,
            log: self.log,
            log_format: self.log_format,
        }
    }
}

#[derive(Debug, Args)]
#[command(after_help = AGENT_EXAMPLES, args_override_self = true)]
pub(super) struct AgentFlags {
    /// Speak JSON lines on standard input and output (needed; there is no
    /// other way yet).
    #[arg(long)]
    pub rpc: bool,
    /// The workspace [default: the current folder].
    #[arg(long, value_name = "DIR")]
    pub cwd: Option<PathBuf>,
    /// What runs without asking: plan, ask, auto, full.
    #[arg(long, value_name = "NAME", value_parser = named_mode)]
    pub mode: Option<Mode>,
    /// The provider of the model, by its name in the configuration.
    #[arg(long, value_name = "NAME")]
    pub provider: Option<String>,
    /// The model, by the provider's id.
    #[arg(long, value_name = "ID")]
    pub model: Option<String>,
    /// How hard it thinks: off, low, medium, high, xhigh, max.
    #[arg(long, value_name = "NAME", value_parser = choose::<Effort>)]
    pub effort: Option<Effort>,
    /// Go on with this session.
    #[arg(long, value_name = "ID", value_parser = session_id)]
    pub session: Option<SessionId>,
    /// Go on with the workspace's latest session.
    #[arg(long = "continue")]
    pub go_on: bool,
    /// Save nothing.
    #[arg(long)]
    pub no_session: bool,
    /// Model calls in one turn, at least 1.
    #[arg(long, value_name = "N", value_parser = max_steps, allow_hyphen_values = true)]
    pub max_steps: Option<u32>,
    /// Who decides about calls that need approval: ask (the client), edits
    /// (edits are allowed, the client decides the rest), all (all are allowed).
    #[arg(long, value_name = "WHO", value_parser = answer_policy, default_value = "ask")]
    pub approve: AnswerPolicy,
    /// A script for the scripted model, which then answers; builtin:demo is the
    /// one of `greenroom demo`.
    #[arg(long, value_name = "FILE")]
    pub script: Option<PathBuf>,
}

/// Ids are minted as `YYYYMMDD-HHMMSS-xxxxxx`; what could be no file name is
/// surely none.
pub(super) fn session_id(text: &str) -> Result<SessionId, String> {
    let is_fine = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    if text.is_empty() || text.len() > 64 || !text.chars().all(is_fine) {
        return Err(
            "no session has such an id; an id looks like 20261106-091500-k3x7qa".to_owned(),
        );
    }
    Ok(SessionId::new(text))
}

pub(super) fn max_steps(text: &str) -> Result<u32, String> {
    match text.parse() {
        Ok(steps) if steps >= 1 => Ok(steps),
        _ => Err(format!("expected a whole number from 1 to {}", u32::MAX)),
    }
}

pub(super) fn answer_policy(text: &str) -> Result<AnswerPolicy, String> {
    match text {
        "ask" => Ok(AnswerPolicy::Ask),
        "edits" => Ok(AnswerPolicy::AllowEdits),
        "all" => Ok(AnswerPolicy::AllowAll),
        _ => Err(format!(
            "there are ask, edits, all{}",
            hint(text, ["ask", "edits", "all"])
        )),
    }
}

/// Whether there is such a mode, only the configuration knows.
pub(super) fn named_mode(name: &str) -> Result<Mode, String> {
    match name {
        "" => Err("it is empty: name a mode".to_owned()),
        name => Ok(Mode::named(name)),
    }
}
