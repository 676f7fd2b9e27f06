//! `audit`: which decisions of the past are shown, and how.

use clap::Args;
use greenroom_protocol::session::SessionId;

use super::flags::session_id;
use super::options::CommonOptions;
use crate::audit::{By, When};
use crate::config::nearest::hint;

/// The most decisions that are shown at once: all of them are in memory.
const MOST: usize = 100_000;

const EXAMPLES: &str = "\
Examples:
  greenroom audit                            the latest 200 decisions
  greenroom audit --denied --since 2d
  greenroom audit --by client --tool shell
  greenroom audit --session 20261106-091500-k3x7qa --json

Exit codes: 0 shown, also when there was none; 1 the store cannot be read;
2 the command line cannot work.";

/// `greenroom audit`: decisions about calls, from the saved sessions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditOptions {
    /// Of this session alone.
    pub session: Option<SessionId>,
    /// Not before this.
    pub since: Option<When>,
    /// Before this.
    pub until: Option<When>,
    /// Denied ones alone.
    pub denied: bool,
    /// Of this tool alone.
    pub tool: Option<String>,
    /// Settled by this alone.
    pub by: Option<By>,
    /// With this text in what ruled.
    pub rule: Option<String>,
    /// So many of the latest, 1 to 100,000.
    pub limit: usize,
    /// For programs.
    pub json: bool,
    /// Flags that every command has.
    pub common: CommonOptions,
}

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct AuditFlags {
    /// Only of this session.
    #[arg(long, value_name = "ID", value_parser = session_id)]
    session: Option<SessionId>,
    /// Only since then: 90s, 30m, 2h, 7d, 2w before now, or a day or time in
    /// UTC, as 2026-12-01T08:00.
    #[arg(long, value_name = "TIME", value_parser = When::parse)]
    since: Option<When>,
    /// Only before then.
    #[arg(long, value_name = "TIME", value_parser = When::parse)]
    until: Option<When>,
    /// Only what was denied, by whomever.
    #[arg(long)]
    denied: bool,
    /// Only of this tool.
    #[arg(long, value_name = "NAME")]
    tool: Option<String>,
    /// Only what was settled by: rule, mode, floor, guard, grant, client,
    /// policy, nobody, deadline, abort, restart.
    #[arg(long, value_name = "WHO", value_parser = by)]
    by: Option<By>,
    /// Only where what ruled holds this text, as "user deny[2]".
    #[arg(long, value_name = "TEXT")]
    rule: Option<String>,
    /// So many of the latest ones, 1 to 100000.
    #[arg(long, value_name = "N", value_parser = limit, default_value = "200")]
    limit: usize,
    /// Print a JSON object a line, for programs.
    #[arg(long)]
    json: bool,
}

impl AuditFlags {
    pub(super) fn options(self, common: CommonOptions) -> AuditOptions {
        AuditOptions {
            session: self.session,
            since: self.since,
            until: self.until,
            denied: self.denied,
            tool: self.tool,
            by: self.by,
            rule: self.rule,
            limit: self.limit,
            json: self.json,
            common,
        }
    }
}

fn by(name: &str) -> Result<By, String> {
    By::named(name).ok_or_else(|| {
        let names = By::ALL.map(By::name);
        format!("there are {}{}", names.join(", "), hint(name, names))
    })
}

fn limit(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(limit) if (1..=MOST).contains(&limit) => Ok(limit),
        _ => Err(format!(
            "expected a whole number from 1 to {MOST}; --since and --until show more in parts"
        )),
    }
}
