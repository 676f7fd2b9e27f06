//! Collects what is found about the parts of a call.

use greenroom_actors::ports::Likeness;

use crate::guard::decision::{Blame, Decision, Verdict};
use crate::guard::modes::Base;
use crate::guard::rules::Rule;

/// What was found so far. The first ground of the gravest verdict counts.
pub(super) struct Tally {
    mode: Base,
    verdict: Verdict,
    by: Option<Blame>,
    reason: String,
    /// Rules that allowed parts.
    allowed: Vec<std::sync::Arc<str>>,
    /// Whether nothing but a missing rule made it ask.
    grantable: bool,
    grant: Option<Likeness>,
}

impl Tally {
    pub fn new(mode: Base) -> Tally {
        Tally {
            mode,
            verdict: Verdict::Allow,
            by: None,
            reason: String::new(),
            allowed: Vec::new(),
            grantable: true,
            grant: None,
        }
    }

    /// Whether it is denied already, so that the rest need not be looked at.
    pub fn is_denied(&self) -> bool {
        self.verdict == Verdict::Deny
    }

    pub fn deny_by(&mut self, rule: &Rule, on: String) {
        let reason = words(rule, &on, "is forbidden");
        self.raise(Verdict::Deny, blame(rule, on), reason);
    }

    pub fn ask_by(&mut self, rule: &Rule, on: String) {
        self.grantable = false;
        let reason = words(rule, &on, "needs a yes");
        self.raise(Verdict::Ask, blame(rule, on), reason);
    }

    /// Notes the rule that allows a part.
    pub fn allow_by(&mut self, rule: &Rule) {
        if !self.allowed.iter().any(|label| **label == *rule.label) {
            self.allowed.push(rule.label.clone());
        }
    }

    pub fn deny_mode(&mut self, reason: String) {
        self.raise(Verdict::Deny, Blame::Mode(self.mode), reason);
    }

    pub fn deny(&mut self, by: Blame, reason: impl Into<String>) {
        self.raise(Verdict::Deny, by, reason.into());
    }

    /// Asks because no rule covers a part: a grant may cover it.
    pub fn ask_mode(&mut self, reason: String) {
        self.raise(Verdict::Ask, Blame::Mode(self.mode), reason);
    }

    /// Asks for a ground that no grant covers.
    pub fn ask(&mut self, by: Blame, reason: impl Into<String>) {
        self.grantable = false;
        self.raise(Verdict::Ask, by, reason.into());
    }

    /// Offers no grant, whatever the ground of the question is.
    pub fn once_only(&mut self) {
        self.grantable = false;
    }

    /// What a grant would cover, if one may be offered.
    pub fn offer(&mut self, grant: impl FnOnce() -> Likeness) {
        if self.grantable && self.verdict == Verdict::Ask {
            self.grant = Some(grant());
        }
    }

    pub fn decision(self) -> Decision {
        let by = match (self.verdict, self.by) {
            (Verdict::Ask | Verdict::Deny, Some(by)) => by,
            _ if self.allowed.is_empty() => Blame::Mode(self.mode),
            _ => Blame::Rules {
                labels: self.allowed,
                on: String::new(),
            },
        };
        let offered = self.verdict == Verdict::Ask && self.grantable;
        Decision {
            verdict: self.verdict,
            by,
            reason: self.reason,
            grant: self.grant.filter(|_| offered),
        }
    }

    fn raise(&mut self, verdict: Verdict, by: Blame, reason: String) {
        if self.verdict < verdict {
            self.verdict = verdict;
            self.by = Some(by);
            self.reason = reason;
        }
    }
}

fn blame(rule: &Rule, on: String) -> Blame {
    Blame::Rules {
        labels: vec![rule.label.clone()],
        on,
    }
}

fn words(rule: &Rule, on: &str, what: &str) -> String {
    let on = match on {
        "" => "this call",
        on => on,
    };
    match &rule.why {
        Some(why) => format!("{why} ({on} {what} by the rule {})", rule.label),
        None => format!("{on} {what} by the rule {}", rule.label),
    }
}
