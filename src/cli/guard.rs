//! `guard`: rule files looked at, trusted, checked and tried.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use greenroom_protocol::session::Mode;

use super::agent::workspace;
use super::flags::named_mode;
use super::options::CommonOptions;
use super::usage::Usage;

const EXAMPLES: &str = "\
Examples:
  greenroom guard list                         the files in effect here
  greenroom guard trust ~/app                  read its rules, then trust them
  greenroom guard trust ~/app/.mcp.json        read its MCP servers, then trust them
  greenroom guard check guard.yaml
  greenroom guard explain 'git push --force' --mode full
  greenroom guard explain --tool read_file ~/.ssh/config

Exit codes: 0 done; 1 a rule file is broken, or was not trusted; 2 the command
line cannot work.";

/// `greenroom guard`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GuardOptions {
    /// What is to be done.
    pub act: GuardAct,
    /// For programs.
    pub json: bool,
    /// Flags that every command has.
    pub common: CommonOptions,
}

/// What is to be done with rules.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GuardAct {
    /// Trust the rules of a workspace as they are now.
    Trust {
        /// The workspace, or its rule file, as given.
        path: PathBuf,
        /// Without a question.
        yes: bool,
    },
    /// Show the files in effect.
    List {
        /// The workspace: absolute, links resolved.
        root: PathBuf,
    },
    /// Check a file.
    Check {
        /// As given.
        file: PathBuf,
    },
    /// Tell what would be decided about a call.
    Explain {
        /// The workspace: absolute, links resolved.
        root: PathBuf,
        /// The command line, path, address or name, or the call's input as a
        /// JSON object.
        subject: String,
        /// The tool.
        tool: String,
        /// Nothing means the configured mode.
        mode: Option<Mode>,
        /// A sub-agent makes the call.
        sub_agent: bool,
    },
}

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, disable_help_subcommand = true)]
pub(super) struct GuardFlags {
    /// Print JSON, for programs.
    #[arg(long, global = true)]
    json: bool,
    #[command(subcommand)]
    act: Act,
}

#[derive(Debug, Subcommand)]
enum Act {
    /// Show a project's rules and trust them, as they are now.
    Trust {
        /// The workspace, or its .greenroom/guard.yaml [default: the current
        /// folder]; or its .mcp.json, for its MCP servers.
        #[arg(value_name = "PATH")]
        path: Option<PathBuf>,
        /// Without a question, for programs.
        #[arg(long)]
        yes: bool,
    },
    /// Show the rule files that are in effect, with their rules and problems.
    List {
        /// The workspace [default: the current folder].
        #[arg(long, value_name = "DIR")]
        cwd: Option<PathBuf>,
    },
    /// Check a rule file.
    Check {
        /// The file.
        #[arg(value_name = "FILE")]
        file: PathBuf,
    },
    /// Tell what would be decided about a call, and by what.
    Explain {
        /// A command line; with another --tool a path, an address or a name; or
        /// the call's input as a JSON object.
        #[arg(value_name = "CALL", allow_hyphen_values = true)]
        subject: String,
        /// The tool: shell, read_file, write_file … or web, mcp, agent.
        #[arg(long, value_name = "NAME", default_value = "shell")]
        tool: String,
        /// The mode [default: the configured one].
        #[arg(long, value_name = "NAME", value_parser = named_mode)]
        mode: Option<Mode>,
        /// As if a sub-agent made the call.
        #[arg(long)]
        sub_agent: bool,
        /// The workspace [default: the current folder].
        #[arg(long, value_name = "DIR")]
        cwd: Option<PathBuf>,
    },
}

impl GuardFlags {
    pub(super) fn options(self, common: CommonOptions) -> Result<GuardOptions, Usage> {
        let root = |cwd: Option<PathBuf>| workspace("--cwd", cwd.as_deref());
        let act = match self.act {
            Act::Trust { path, yes } => GuardAct::Trust {
                path: path.unwrap_or_else(|| PathBuf::from(".")),
                yes,
            },
            Act::List { cwd } => GuardAct::List { root: root(cwd)? },
            Act::Check { file } => GuardAct::Check { file },
            Act::Explain {
                subject,
                tool,
                mode,
                sub_agent,
                cwd,
            } => GuardAct::Explain {
                root: root(cwd)?,
                subject,
                tool,
                mode,
                sub_agent,
            },
        };
        Ok(GuardOptions {
            act,
            json: self.json,
            common,
        })
    }
}
