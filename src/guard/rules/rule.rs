//! One rule.

use std::fmt;
use std::sync::Arc;

use greenroom_protocol::session::Text;
use serde::de::{self, DeserializeSeed, Deserializer, MapAccess, Visitor};

use super::List;
use super::examples::{self, Examples};
use super::file::Origin;
use super::value::{Command, Texts};
use crate::guard::matching::{NamePattern, PathPattern, ShellPattern, WebPattern};
use crate::guard::modes::Base;

/// One rule, ready to match.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    /// `user deny[2]`, with its name in quotes when it has one, and its line,
    /// as `(guard.yaml:14)`, when its file lies on the disk.
    pub label: Arc<str>,
    /// What the model is told when the rule stops it.
    pub why: Option<Text>,
    /// The modes that it holds in, and in those based on them; nothing means
    /// all.
    pub modes: Option<Vec<String>>,
    /// Whose calls it is about.
    pub who: Who,
    /// What it is about.
    pub subject: Subject,
}

/// Whose calls a rule is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Who {
    /// Everybody's.
    All,
    /// The main agent's alone.
    Main,
    /// Sub-agents' alone.
    Sub,
}

/// What a rule is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Subject {
    /// Commands.
    Shell(ShellPattern),
    /// Writing files.
    Edit(Vec<PathPattern>),
    /// Reading files; a denial forbids writing as well.
    Read(Vec<PathPattern>),
    /// Addresses on the network.
    Web(Vec<WebPattern>),
    /// Tools of MCP servers: `server/tool`.
    Mcp(Vec<NamePattern>),
    /// Sub-agents, by name.
    Agent(Vec<NamePattern>),
    /// Whole tools, by name.
    Tool(Vec<NamePattern>),
}

/// What of a call says which rules hold.
#[derive(Debug, Clone, Copy)]
pub struct Terms<'a> {
    /// The built-in mode whose policy holds.
    pub base: Base,
    /// The turn's mode by its name.
    pub named: &'a str,
    /// Whether a sub-agent makes the call.
    pub sub_agent: bool,
}

impl Rule {
    /// Whether it holds for a call.
    pub fn holds(&self, terms: Terms<'_>) -> bool {
        let who = match self.who {
            Who::All => true,
            Who::Main => !terms.sub_agent,
            Who::Sub => terms.sub_agent,
        };
        let names = |name: &String| *name == terms.named || *name == terms.base.name();
        who && self
            .modes
            .as_ref()
            .is_none_or(|modes| modes.iter().any(names))
    }
}

/// Reads one rule of a list.
pub(super) struct RuleSeed<'a> {
    pub origin: Origin,
    pub list: List,
    pub index: usize,
    pub home: Option<&'a str>,
}

const KEYS: &[&str] = &[
    "shell",
    "edit",
    "read",
    "web",
    "mcp",
    "agent",
    "tool",
    "why",
    "modes",
    "in",
    "match",
    "not_match",
    "name",
];

/// The keys of a rule, as they stand in the file.
#[derive(Default)]
struct Parts {
    subject: Option<(&'static str, Raw)>,
    why: Option<String>,
    name: Option<String>,
    modes: Option<Texts>,
    who: Option<String>,
    matching: Option<Texts>,
    other: Option<Texts>,
}

enum Raw {
    Shell(ShellPattern),
    Texts(Vec<String>),
}

impl<'de> DeserializeSeed<'de> for RuleSeed<'_> {
    type Value = Rule;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Rule, D::Error> {
        from.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for RuleSeed<'_> {
    type Value = Rule;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a rule, such as `{shell: git push}`")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Rule, A::Error> {
        let mut parts = Parts::default();
        while let Some(key) = map.next_key::<String>()? {
            let Some(known) = KEYS.iter().find(|known| **known == key) else {
                return Err(de::Error::custom(format!(
                    "unknown key {key:?}; a rule has one of {}, and beside it {}",
                    KEYS[..7].join(", "),
                    KEYS[7..].join(", ")
                )));
            };
            let twice = match *known {
                "shell" => {
                    let Command(pattern) = map.next_value()?;
                    parts.take_subject(known, Raw::Shell(pattern))
                }
                "why" => parts
                    .why
                    .replace(map.next_value()?)
                    .is_some()
                    .then_some(*known),
                "name" => parts
                    .name
                    .replace(map.next_value()?)
                    .is_some()
                    .then_some(*known),
                "in" => parts
                    .who
                    .replace(map.next_value()?)
                    .is_some()
                    .then_some(*known),
                "modes" => parts
                    .modes
                    .replace(map.next_value()?)
                    .is_some()
                    .then_some(*known),
                "match" => parts
                    .matching
                    .replace(map.next_value()?)
                    .is_some()
                    .then_some(*known),
                "not_match" => parts
                    .other
                    .replace(map.next_value()?)
                    .is_some()
                    .then_some(*known),
                subject => {
                    let Texts(texts) = map.next_value()?;
                    parts.take_subject(subject, Raw::Texts(texts))
                }
            };
            match twice {
                Some(before) if before == *known => {
                    return Err(de::Error::custom(format!("{key:?} stands there twice")));
                }
                Some(before) => {
                    return Err(de::Error::custom(format!(
                        "it has {before} and {key}; make two rules of it"
                    )));
                }
                None => {}
            }
        }
        self.build(parts).map_err(de::Error::custom)
    }
}

impl Parts {
    /// Takes the subject; gives the name of the one that stood there before.
    fn take_subject(&mut self, name: &'static str, raw: Raw) -> Option<&'static str> {
        self.subject.replace((name, raw)).map(|(before, _)| before)
    }
}

impl RuleSeed<'_> {
    fn build(self, parts: Parts) -> Result<Rule, String> {
        let place = format!("{}[{}]", self.list.name(), self.index);
        let Some((key, raw)) = parts.subject else {
            return Err(format!(
                "it says nothing; give it one of {}",
                KEYS[..7].join(", ")
            ));
        };
        let subject = self
            .subject(key, raw)
            .map_err(|error| format!("{key}: {error}"))?;
        let label = match &parts.name {
            Some(name) => format!("{} {place} {name:?}", self.origin.name()),
            None => format!("{} {place}", self.origin.name()),
        };
        let rule = Rule {
            label: Arc::from(label),
            why: parts.why.map(Text::from),
            modes: parts.modes.map(|Texts(names)| names),
            who: match parts.who.as_deref() {
                None => Who::All,
                Some("main") => Who::Main,
                Some("sub") => Who::Sub,
                Some(_) => {
                    return Err("in: write `main` or `sub`, or leave it out".into());
                }
            },
            subject,
        };
        let texts = |texts: Option<Texts>| texts.map(|it| it.0).unwrap_or_default();
        let examples = Examples {
            matching: texts(parts.matching),
            other: texts(parts.other),
        };
        examples::check(&rule, self.list, &examples, self.home)?;
        Ok(rule)
    }

    fn subject(&self, key: &str, raw: Raw) -> Result<Subject, String> {
        let texts = match raw {
            Raw::Shell(pattern) => return self.shell(pattern).map(Subject::Shell),
            Raw::Texts(texts) => texts,
        };
        let paths = || -> Result<Vec<PathPattern>, String> {
            let read = |text: &String| {
                PathPattern::new(text, self.home).map_err(|error| format!("{text:?}: {error}"))
            };
            texts.iter().map(read).collect()
        };
        let names = || texts.iter().map(|text| NamePattern::new(text)).collect();
        Ok(match key {
            "edit" => Subject::Edit(paths()?),
            "read" => Subject::Read(paths()?),
            "web" => {
                let read = |text: &String| {
                    WebPattern::new(text).map_err(|error| format!("{text:?}: {error}"))
                };
                Subject::Web(texts.iter().map(read).collect::<Result<_, _>>()?)
            }
            "mcp" => {
                for text in &texts {
                    self.check_server(text)?;
                }
                Subject::Mcp(names())
            }
            "agent" => Subject::Agent(names()),
            _ => Subject::Tool(names()),
        })
    }

    fn shell(&self, pattern: ShellPattern) -> Result<ShellPattern, String> {
        if self.list != List::Allow && (!pattern.not.is_empty() || pattern.inside) {
            return Err(
                "`not` and `args` are for allow: a rule that stops calls must not be escaped \
                        by adding words"
                    .into(),
            );
        }
        if pattern.exact && (!pattern.has.is_empty() || !pattern.not.is_empty()) {
            return Err("`exact` leaves no room for `has` and `not`; leave one of them out".into());
        }
        Ok(pattern)
    }

    fn check_server(&self, text: &str) -> Result<(), String> {
        let Some((server, _)) = text.split_once('/') else {
            return Err(format!(
                "{text:?}: write `server/tool`, or `server/*` for all its tools"
            ));
        };
        match self.list == List::Allow && server.contains(['*', '?']) {
            true => Err(format!(
                "{text:?}: to allow, the server must be named whole"
            )),
            false => Ok(()),
        }
    }
}
