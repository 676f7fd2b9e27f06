//! What was found, as text for people and as JSON for programs.

use std::fmt::Write;

use serde_json::json;

/// Everything that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// In the order of areas.
    pub findings: Vec<Finding>,
}

/// One thing that is fine or not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// What it belongs to.
    pub area: Area,
    /// How bad it is.
    pub level: Level,
    /// What is, in words.
    pub what: String,
    /// What to do about it.
    pub next: Option<String>,
}

/// What a finding belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Area {
    Config,
    Guard,
    State,
    Providers,
    Mcp,
    Sandbox,
    Shell,
    Terminal,
}

impl Area {
    /// Its name in both forms.
    pub fn name(self) -> &'static str {
        match self {
            Area::Config => "config",
            Area::Guard => "guard",
            Area::State => "state",
            Area::Providers => "providers",
            Area::Mcp => "mcp",
            Area::Sandbox => "sandbox",
            Area::Shell => "shell",
            Area::Terminal => "terminal",
        }
    }
}

/// How bad a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// All is well.
    Ok,
    /// It works, but not as well as it could.
    Warn,
    /// Sessions will not start or not get far.
    Fail,
}

impl Level {
    /// Its name in both forms.
    pub fn name(self) -> &'static str {
        match self {
            Level::Ok => "ok",
            Level::Warn => "warn",
            Level::Fail => "fail",
        }
    }
}

impl Finding {
    pub(super) fn ok(area: Area, what: impl Into<String>) -> Finding {
        Finding {
            area,
            level: Level::Ok,
            what: what.into(),
            next: None,
        }
    }

    pub(super) fn warn(area: Area, what: impl Into<String>, next: impl Into<String>) -> Finding {
        Finding {
            area,
            level: Level::Warn,
            what: what.into(),
            next: Some(next.into()),
        }
    }

    pub(super) fn fail(area: Area, what: impl Into<String>, next: impl Into<String>) -> Finding {
        Finding {
            level: Level::Fail,
            ..Finding::warn(area, what, next)
        }
    }
}

impl Report {
    /// 0 when nothing failed, else 1.
    pub fn exit_code(&self) -> u8 {
        u8::from(self.count(Level::Fail) > 0)
    }

    /// For people: a line a finding, aligned, its next step below it.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for finding in &self.findings {
            let (level, area) = (finding.level.name(), finding.area.name());
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{level:<5} {area:<10} {}", one_line(&finding.what));
            if let Some(next) = &finding.next {
                let _ = writeln!(text, "{:<16} -> {}", "", one_line(next));
            }
        }
        let (warned, failed) = (self.count(Level::Warn), self.count(Level::Fail));
        let verdict = match (failed, warned) {
            (0, 0) => "all is well".to_owned(),
            (0, warned) => format!("it works; {warned} to look at"),
            (failed, 0) => format!("{failed} to mend"),
            (failed, warned) => format!("{failed} to mend, {warned} to look at"),
        };
        let _ = writeln!(text, "\n{verdict}");
        text
    }

    /// For programs: one line of JSON,
    /// `{"version", "ok", "findings": [{"area", "level", "what", "next"}]}`;
    /// `next` is null when nothing is to be done.
    pub fn json(&self) -> String {
        let findings: Vec<_> = self
            .findings
            .iter()
            .map(|finding| {
                json!({
                    "area": finding.area.name(),
                    "level": finding.level.name(),
                    "what": finding.what,
                    "next": finding.next,
                })
            })
            .collect();
        let report = json!({
            "version": env!("CARGO_PKG_VERSION"),
            "ok": self.exit_code() == 0,
            "findings": findings,
        });
        format!("{report}\n")
    }

    fn count(&self, level: Level) -> usize {
        let is_level = |finding: &&Finding| finding.level == level;
        self.findings.iter().filter(is_level).count()
    }
}

/// Errors of others may have several lines, and control characters that a
/// terminal would act on.
fn one_line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").replace(|c: char| c.is_control(), "?")
}
