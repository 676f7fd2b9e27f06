//! Decides about one call: any denial denies, any question asks, and what is
//! left must be covered, part by part, by rules or by the mode.
//!
//! - [`tally`] collects what is found and gives the verdict.
//! - [`paths`], [`network`], [`shell`] take calls apart.
//! - [`words`] looks for paths in words of commands, [`wrappers`] for commands
//!   in commands.
//!
//! It knows the disk only through [`Links`].

mod network;
mod paths;
mod programs;
mod shell;
mod simple;
mod tally;
mod words;
mod wrappers;

use std::sync::Arc;

use greenroom_protocol::session::{Category, Mode};

use super::decision::{Decision, excerpt};
use super::floor::Floor;
use super::links::{Links, NoLinks};
use super::matching::{Ground, NamePattern, Place};
use super::modes::Base;
use super::modes::{self, Standing};
use super::rules::Terms;
use super::rules::{Rule, Rules, Subject};
use super::shell::Dialect;
use tally::Tally;

/// Everything that a decision depends on, beside the call.
pub struct Scene<'a> {
    /// The rules in force.
    pub rules: &'a Rules,
    /// The turn's mode.
    pub mode: Base,
    /// The turn's mode by its name.
    pub named: &'a str,
    /// Whether a sub-agent makes the call.
    pub sub_agent: bool,
    /// The workspace: absolute, links resolved.
    pub root: &'a str,
    /// The user's home folder.
    pub home: Option<&'a str>,
    /// Who follows links.
    pub links: &'a dyn Links,
    /// What no mode goes below.
    pub(super) floor: &'a Floor,
    /// What the interpreter of commands speaks.
    pub dialect: Dialect,
}

/// A call, as far as rules are concerned.
#[derive(Debug)]
pub enum Call<'a> {
    /// A command line.
    Shell {
        /// The line.
        line: &'a str,
        /// Where it runs: absolute, links resolved.
        cwd: &'a str,
    },
    /// Files, read or (`edit`, or each with `true`) written.
    Paths {
        /// Whether the call is an edit.
        edit: bool,
        /// Each with whether it would be written.
        places: Vec<(Place, bool)>,
    },
    /// A request to this URL.
    Web(Option<&'a str>),
    /// A call of `server/tool`.
    Mcp(Option<&'a str>),
    /// A sub-agent of that name.
    Agent(Option<&'a str>),
    /// A tool of the session itself.
    Session,
}

/// Protects nothing.
static NO_FLOOR: Floor = Floor { own: Vec::new() };

impl<'a> Scene<'a> {
    /// A main agent's scene without links and without files of Greenroom's own,
    /// for trying rules out.
    pub fn plain(rules: &'a Rules, mode: Mode, root: &'a str, home: Option<&'a str>) -> Scene<'a> {
        let mode = Base::of(&mode);
        Scene {
            rules,
            mode,
            named: mode.name(),
            sub_agent: false,
            root,
            home,
            links: &NoLinks,
            floor: &NO_FLOOR,
            dialect: Dialect::Bash,
        }
    }

    /// The decision on a call of a tool.
    pub fn decide(&self, tool: &str, call: &Call<'_>) -> Decision {
        let mut tally = Tally::new(self.mode);
        let by_tool = self.tool(tool, &mut tally);
        match call {
            Call::Shell { line, cwd } => self.shell(line, cwd, by_tool, &mut tally),
            Call::Paths { edit, places } => self.paths(*edit, places, by_tool, &mut tally),
            Call::Web(url) => self.web(*url, by_tool, &mut tally),
            Call::Mcp(name) => self.mcp(*name, by_tool, &mut tally),
            Call::Agent(name) => self.agent(*name, by_tool, &mut tally),
            Call::Session => {}
        }
        tally.decision()
    }

    /// Rules about whole tools; whether one allows this one.
    fn tool(&self, tool: &str, tally: &mut Tally) -> bool {
        let patterns = |rule: &'a Rule| match &rule.subject {
            Subject::Tool(patterns) => Some(patterns.as_slice()),
            _ => None,
        };
        self.names(tool, patterns, tally)
    }

    /// Rules about names of one kind; whether one allows this name.
    fn names(
        &self,
        name: &str,
        patterns: impl Fn(&'a Rule) -> Option<&'a [NamePattern]>,
        tally: &mut Tally,
    ) -> bool {
        let loose = |rule: &'a Rule| {
            patterns(rule).is_some_and(|all| all.iter().any(|pattern| pattern.loose(name)))
        };
        for rule in self.deny().filter(|rule| loose(rule)) {
            tally.deny_by(rule, excerpt(name));
        }
        for rule in self.ask().filter(|rule| loose(rule)) {
            tally.ask_by(rule, excerpt(name));
        }
        let strict = |rule: &'a Rule| {
            patterns(rule).is_some_and(|all| all.iter().any(|pattern| pattern.strict(name)))
        };
        match self.allow().find(|rule| strict(rule)) {
            Some(rule) => {
                tally.allow_by(rule);
                true
            }
            None => false,
        }
    }

    /// What the mode says to a part of the call that no rule covers.
    fn by_mode(&self, category: Category, inside: bool, tally: &mut Tally) {
        match modes::standing(self.mode, category, inside) {
            Standing::Runs => {}
            Standing::Asks => tally.ask_mode(modes::question(self.mode, category)),
            Standing::Denied => tally.deny_mode(modes::denial(self.mode, category)),
        }
    }

    fn ground(&self) -> Ground<'a> {
        Ground {
            root: self.root,
            home: self.home,
        }
    }

    fn deny(&self) -> impl Iterator<Item = &'a Rule> {
        self.held(&self.rules.deny)
    }

    fn ask(&self) -> impl Iterator<Item = &'a Rule> {
        self.held(&self.rules.ask)
    }

    fn allow(&self) -> impl Iterator<Item = &'a Rule> {
        self.held(&self.rules.allow)
    }

    fn held(&self, rules: &'a [Arc<Rule>]) -> impl Iterator<Item = &'a Rule> {
        let terms = self.terms();
        let rules = rules.iter().map(|rule| &**rule);
        rules.filter(move |rule| rule.holds(terms))
    }

    /// What says which rules hold.
    fn terms(&self) -> Terms<'a> {
        Terms {
            base: self.mode,
            named: self.named,
            sub_agent: self.sub_agent,
        }
    }
}
