//! What is decided about a call, and by what.

use std::fmt;
use std::sync::Arc;

use greenroom_actors::ports::Likeness;

use super::modes::Base;

/// What happens to a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// It runs.
    Allow,
    /// Somebody must say so.
    Ask,
    /// It does not run.
    Deny,
}

/// A verdict with all that a person, a model and an audit trail want to know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision {
    /// What happens.
    pub verdict: Verdict,
    /// What decided.
    pub by: Blame,
    /// In words, for whoever is asked or refused; empty for allow.
    pub reason: String,
    /// What a grant for the session would cover; nothing when none is offered.
    pub grant: Option<Likeness>,
}

/// What decided.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Blame {
    /// Rules: one that asks or denies, or all that allowed a part of the call.
    Rules {
        /// As [`super::rules::Rule::label`] has them.
        labels: Vec<Arc<str>>,
        /// The sub-command, path or address that decided; empty for allow.
        on: String,
    },
    /// No rule speaks, so the mode does.
    Mode(Base),
    /// What no mode goes below.
    Floor,
    /// A command that cannot be read: why not.
    Unreadable(&'static str),
    /// What lies outside the workspace.
    Outside,
    /// The call itself is no such call: a URL that is none, a path with a NUL.
    Malformed,
    /// The rules cannot be read.
    BrokenRules,
    /// The sandbox that the settings ask for is not there.
    NoSandbox,
}

impl Decision {
    /// The decision where nobody can be asked: a question becomes a denial.
    pub fn unattended(mut self) -> Decision {
        if self.verdict == Verdict::Ask {
            self.verdict = Verdict::Deny;
            self.reason = format!("nobody to ask: {}", self.reason);
            self.grant = None;
        }
        self
    }
}

/// The longest excerpt of a call in a reason or a blame, in characters.
const EXCERPT: usize = 120;

/// The beginning of a text, on one line.
pub(super) fn excerpt(text: &str) -> String {
    let mut short: String = text.chars().take(EXCERPT).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short.replace(|c: char| c.is_control(), " ")
}

impl fmt::Display for Blame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Blame::Rules { labels, on } => {
                f.write_str(&labels.join(", "))?;
                match on.is_empty() {
                    true => Ok(()),
                    false => write!(f, " on {on}"),
                }
            }
            Blame::Mode(mode) => write!(f, "mode {}", mode.name()),
            Blame::Floor => f.write_str("floor"),
            Blame::Unreadable(why) => write!(f, "unreadable command: {why}"),
            Blame::Outside => f.write_str("outside the workspace"),
            Blame::Malformed => f.write_str("malformed call"),
            Blame::BrokenRules => f.write_str("broken rules"),
            Blame::NoSandbox => f.write_str("no sandbox"),
        }
    }
}
