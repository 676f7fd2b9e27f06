//! The rules in force: the lists of all files, joined.

use std::sync::Arc;

use super::{Opaque, Rule, RuleFile, Subject, Terms};

/// Rules of all files. Order means nothing: deny beats ask, ask beats allow.
#[derive(Debug, Clone, Default)]
pub struct Rules {
    /// What becomes of commands that cannot be read.
    pub opaque: Opaque,
    /// Variables that an allowed command may be given.
    pub env_safe: Vec<String>,
    /// Rules that deny.
    pub deny: Vec<Arc<Rule>>,
    /// Rules that ask.
    pub ask: Vec<Arc<Rule>>,
    /// Rules that allow.
    pub allow: Vec<Arc<Rule>>,
}

impl Rules {
    /// Joins files. Of their words on unreadable commands the strictest counts.
    pub fn of<'a>(files: impl IntoIterator<Item = &'a RuleFile>) -> Rules {
        let mut rules = Rules::default();
        let mut said: Option<Opaque> = None;
        for file in files {
            said = match (said, file.opaque) {
                (Some(one), Some(other)) => Some(stricter(one, other)),
                (one, other) => one.or(other),
            };
            rules.env_safe.extend_from_slice(&file.env_safe);
            rules.deny.extend_from_slice(&file.deny);
            rules.ask.extend_from_slice(&file.ask);
            rules.allow.extend_from_slice(&file.allow);
        }
        rules.opaque = said.unwrap_or_default();
        rules
    }

    /// Whether anything is denied that an unreadable command could do.
    pub fn denies_commands(&self, terms: Terms<'_>) -> bool {
        let about_commands = |rule: &&Arc<Rule>| {
            matches!(
                rule.subject,
                Subject::Shell(_) | Subject::Edit(_) | Subject::Read(_)
            )
        };
        let mut rules = self.deny.iter().filter(about_commands);
        rules.any(|rule| rule.holds(terms))
    }
}

fn stricter(one: Opaque, other: Opaque) -> Opaque {
    match (one, other) {
        (Opaque::Deny, _) | (_, Opaque::Deny) => Opaque::Deny,
        (Opaque::Ask, _) | (_, Opaque::Ask) => Opaque::Ask,
        (Opaque::Allow, Opaque::Allow) => Opaque::Allow,
    }
}
