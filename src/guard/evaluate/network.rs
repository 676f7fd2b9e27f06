//! Requests, tools of MCP servers, sub-agents.

use greenroom_protocol::session::Category;

use super::Scene;
use super::tally::Tally;
use crate::guard::decision::{Blame, excerpt};
use crate::guard::grants;
use crate::guard::matching::{Address, WebPattern};
use crate::guard::rules::{Rule, Subject};

impl<'a> Scene<'a> {
    pub(super) fn web(&self, url: Option<&str>, by_tool: bool, tally: &mut Tally) {
        let Some(url) = url else {
            tally.once_only();
            return self.unless(by_tool, Category::Web, tally);
        };
        let address = match Address::new(url) {
            Ok(address) => address,
            Err(why) => {
                let reason = format!("{} is not fetched: {why}", excerpt(url));
                return tally.deny(Blame::Malformed, reason);
            }
        };
        let patterns = |rule: &'a Rule| match &rule.subject {
            Subject::Web(patterns) => patterns.as_slice(),
            _ => &[],
        };
        let loose = |rule: &'a Rule| {
            patterns(rule)
                .iter()
                .any(|it: &WebPattern| it.loose(&address))
        };
        for rule in self.deny().filter(|rule| loose(rule)) {
            tally.deny_by(rule, address.to_string());
        }
        for rule in self.ask().filter(|rule| loose(rule)) {
            tally.ask_by(rule, address.to_string());
        }
        let strict = |rule: &&'a Rule| patterns(rule).iter().any(|it| it.strict(&address));
        if let Some(rule) = self.allow().find(strict) {
            return tally.allow_by(rule);
        }
        if by_tool && !address.is_odd() {
            return;
        }
        self.by_mode(Category::Web, true, tally);
        if address.is_odd() {
            // Also in mode full: such addresses reach this machine and network.
            let reason = format!("the address {address} needs a rule that names it");
            tally.ask(Blame::Outside, reason);
        }
        tally.offer(|| grants::host(&address));
    }

    pub(super) fn mcp(&self, name: Option<&str>, by_tool: bool, tally: &mut Tally) {
        let Some(name) = name else {
            tally.once_only();
            return self.unless(by_tool, Category::Mcp, tally);
        };
        let patterns = |rule: &'a Rule| match &rule.subject {
            Subject::Mcp(patterns) => Some(patterns.as_slice()),
            _ => None,
        };
        let allowed = self.names(name, patterns, tally);
        self.unless(allowed || by_tool, Category::Mcp, tally);
        tally.offer(|| grants::mcp(name));
    }

    pub(super) fn agent(&self, name: Option<&str>, by_tool: bool, tally: &mut Tally) {
        let patterns = |rule: &'a Rule| match &rule.subject {
            Subject::Agent(patterns) => Some(patterns.as_slice()),
            _ => None,
        };
        let allowed = self.names(name.unwrap_or_default(), patterns, tally);
        self.unless(allowed || by_tool, Category::Agent, tally);
        match name {
            Some(name) => tally.offer(|| grants::agent(name)),
            None => tally.once_only(),
        }
    }

    fn unless(&self, allowed: bool, category: Category, tally: &mut Tally) {
        if !allowed {
            self.by_mode(category, true, tally);
        }
    }
}
