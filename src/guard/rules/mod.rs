//! Rule files: YAML becomes checked rules. Whoever holds a [`RuleFile`] need not
//! check anything again, and its patterns are ready to match.
//!
//! - [`file`] reads a whole file, [`rule`] one rule of it, [`value`] the values
//!   of its keys, so that an error knows its line.
//! - [`examples`] tries the `match` and `not_match` of a rule.
//! - [`outline`] shows a file to people, [`lines`] knows where rules begin.
//! - [`merged`] joins files to the rules in force.
//!
//! It must not know where files lie; it may ask [`super::evaluate`].

mod error;
mod examples;
mod file;
mod lines;
mod merged;
mod outline;
mod rule;
mod value;

pub use error::RulesError;
pub use file::{Origin, RuleFile};
pub use merged::Rules;
pub use outline::{Outline, Outlined};
pub use rule::{Rule, Subject, Terms};

/// The three lists of a file, the strongest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum List {
    /// Beats all else.
    Deny,
    /// Beats allow.
    Ask,
    /// Beats the mode.
    Allow,
}

impl List {
    /// Its key in the file.
    pub fn name(self) -> &'static str {
        match self {
            List::Deny => "deny",
            List::Ask => "ask",
            List::Allow => "allow",
        }
    }
}

/// What becomes of commands that cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Opaque {
    /// They run where every command may: no proof is asked for.
    Allow,
    /// They ask, unless nothing is forbidden and everything allowed.
    #[default]
    Ask,
    /// They are denied.
    Deny,
}

#[cfg(test)]
mod tests;
