//! Which decisions are shown.

use greenroom_protocol::session::Millis;

use super::by::By;
use super::record::{Record, Verdict};

/// What a decision must be to be shown; every condition counts.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Wanted {
    /// Not judged before this.
    pub since: Option<Millis>,
    /// Judged before this.
    pub until: Option<Millis>,
    /// Denied, whoever denied it.
    pub denied: bool,
    /// Of this tool.
    pub tool: Option<String>,
    /// Settled by this.
    pub by: Option<By>,
    /// With this text in what ruled.
    pub rule: Option<String>,
}

impl Wanted {
    /// Whether it is one of those.
    pub fn is(&self, record: &Record) -> bool {
        self.since.is_none_or(|since| record.at >= since)
            && self.until.is_none_or(|until| record.at < until)
            && (!self.denied || record.verdict == Verdict::Denied)
            && self.by.is_none_or(|by| record.by == by)
            && self.tool.as_ref().is_none_or(|tool| **tool == *record.tool)
            && self
                .rule
                .as_ref()
                .is_none_or(|rule| record.rule.contains(rule.as_str()))
    }
}
