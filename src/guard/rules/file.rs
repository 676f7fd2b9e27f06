//! A whole rule file.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use greenroom_actors::modes::Modes;
use greenroom_protocol::session::Mode;
use serde::de::{self, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};

use super::rule::{Rule, RuleSeed};
use super::value::Texts;
use super::{List, Opaque, RulesError, lines};

/// Where a file comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// With the program.
    Shipped,
    /// The user's.
    User,
    /// The workspace's.
    Project,
}

impl Origin {
    /// As blames call it.
    pub fn name(self) -> &'static str {
        match self {
            Origin::Shipped => "shipped",
            Origin::User => "user",
            Origin::Project => "project",
        }
    }
}

/// A checked file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RuleFile {
    /// What becomes of commands that cannot be read, when it says so.
    pub opaque: Option<Opaque>,
    /// Variables that an allowed command may be given.
    pub env_safe: Vec<String>,
    /// Rules that deny.
    pub deny: Vec<Arc<Rule>>,
    /// Rules that ask.
    pub ask: Vec<Arc<Rule>>,
    /// Rules that allow.
    pub allow: Vec<Arc<Rule>>,
}

impl RuleFile {
    /// Reads a file's text. `home` is what `~/` stands for.
    pub fn parse(
        text: &str,
        file: &Path,
        origin: Origin,
        home: Option<&str>,
    ) -> Result<RuleFile, RulesError> {
        let seed = FileSeed { origin, home };
        seed.deserialize(serde_yaml::Deserializer::from_str(text))
            .map_err(|error| RulesError::yaml(file, &error))
    }

    /// Adds to the labels of the rules where they stand, as `guard.yaml:14`, so
    /// that a blame leads there. `text` is the file's own.
    pub fn name_lines(&mut self, text: &str, path: &Path) {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let lists = [
            (List::Deny, &mut self.deny),
            (List::Ask, &mut self.ask),
            (List::Allow, &mut self.allow),
        ];
        for (list, rules) in lists {
            let lines = lines::of_list(text, list, rules.len()).unwrap_or_default();
            for (rule, line) in rules.iter_mut().zip(lines) {
                let label = format!("{} ({name}:{line})", rule.label);
                Arc::make_mut(rule).label = label.into();
            }
        }
    }

    /// Fails when a rule is for a mode that is not there: it would never hold.
    pub fn check_modes(&self, path: &Path, modes: &Modes) -> Result<(), RulesError> {
        let lists = [
            (List::Deny, &self.deny),
            (List::Ask, &self.ask),
            (List::Allow, &self.allow),
        ];
        for (list, rules) in lists {
            for (index, rule) in rules.iter().enumerate() {
                let mut names = rule.modes.iter().flatten();
                if let Some(name) = names.find(|name| !modes.knows(&Mode::named(name))) {
                    let list = list.name();
                    let what = format!(
                        "{list}[{index}].modes: {name:?} is no mode; there are {}",
                        modes.names()
                    );
                    return Err(RulesError::of(path, what));
                }
            }
        }
        Ok(())
    }

    /// What counts of a file that nobody trusts: only what makes things tighter.
    pub fn tightening(&self) -> RuleFile {
        RuleFile {
            opaque: self.opaque.filter(|opaque| *opaque != Opaque::Allow),
            env_safe: Vec::new(),
            deny: self.deny.clone(),
            ask: self.ask.clone(),
            allow: Vec::new(),
        }
    }
}

struct FileSeed<'a> {
    origin: Origin,
    home: Option<&'a str>,
}

impl<'de> DeserializeSeed<'de> for FileSeed<'_> {
    type Value = RuleFile;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<RuleFile, D::Error> {
        from.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for FileSeed<'_> {
    type Value = RuleFile;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("rules: `version: 1` and the lists deny, ask and allow")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<RuleFile, A::Error> {
        let mut file = RuleFile::default();
        let mut seen: Vec<String> = Vec::new();
        while let Some(key) = map.next_key::<String>()? {
            if seen.contains(&key) {
                return Err(de::Error::custom(format!("{key:?} stands there twice")));
            }
            let list = |list| ListSeed {
                origin: self.origin,
                home: self.home,
                list,
            };
            match key.as_str() {
                "version" => version(map.next_value()?)?,
                "opaque" => file.opaque = Some(opaque(map.next_value::<String>()?.as_str())?),
                "env_safe" => file.env_safe = variables(map.next_value::<Texts>()?)?,
                "deny" => file.deny = map.next_value_seed(list(List::Deny))?,
                "ask" => file.ask = map.next_value_seed(list(List::Ask))?,
                "allow" => file.allow = map.next_value_seed(list(List::Allow))?,
                _ => {
                    return Err(de::Error::custom(format!(
                        "unknown key {key:?}; there are version, opaque, env_safe, deny, ask and allow"
                    )));
                }
            }
            seen.push(key);
        }
        match seen.iter().any(|key| key == "version") {
            true => Ok(file),
            false => Err(de::Error::custom(
                "version is missing; write `version: 1` at the top",
            )),
        }
    }
}

fn version<E: de::Error>(found: u64) -> Result<(), E> {
    match found {
        1 => Ok(()),
        _ => Err(E::custom(format!(
            "version {found} is not known; this program reads version 1"
        ))),
    }
}

fn opaque<E: de::Error>(found: &str) -> Result<Opaque, E> {
    match found {
        "allow" => Ok(Opaque::Allow),
        "ask" => Ok(Opaque::Ask),
        "deny" => Ok(Opaque::Deny),
        _ => Err(E::custom("opaque: write ask, deny or allow")),
    }
}

/// Variables that make programs load or run other things are never harmless.
const HARMFUL: &[&str] = &[
    "PATH",
    "IFS",
    "ENV",
    "BASH_ENV",
    "SHELLOPTS",
    "BASHOPTS",
    "PS4",
    "PROMPT_COMMAND",
    "CDPATH",
    "GLOBIGNORE",
    "PYTHONPATH",
    "PYTHONSTARTUP",
    "NODE_OPTIONS",
    "PERL5LIB",
    "PERL5OPT",
    "RUBYOPT",
    "RUBYLIB",
    "JAVA_TOOL_OPTIONS",
    "EDITOR",
    "VISUAL",
    "PAGER",
    "RUSTC_WRAPPER",
];

fn variables<E: de::Error>(Texts(names): Texts) -> Result<Vec<String>, E> {
    for name in &names {
        let plain = name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
        if !plain || name.is_empty() {
            return Err(E::custom(format!(
                "env_safe: {name:?} is no variable's name"
            )));
        }
        let loads = ["LD_", "DYLD_", "GIT_", "BASH_FUNC"]
            .iter()
            .any(|start| name.starts_with(start));
        if loads || HARMFUL.contains(&name.as_str()) {
            return Err(E::custom(format!(
                "env_safe: {name} makes programs run other ones; allow the whole command by a rule instead"
            )));
        }
    }
    Ok(names)
}

struct ListSeed<'a> {
    origin: Origin,
    home: Option<&'a str>,
    list: List,
}

impl<'de> DeserializeSeed<'de> for ListSeed<'_> {
    type Value = Vec<Arc<Rule>>;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Self::Value, D::Error> {
        from.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for ListSeed<'_> {
    type Value = Vec<Arc<Rule>>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a list of rules under {}", self.list.name())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        let mut rules = Vec::new();
        loop {
            let seed = RuleSeed {
                origin: self.origin,
                list: self.list,
                index: rules.len(),
                home: self.home,
            };
            match seq.next_element_seed(seed)? {
                Some(rule) => rules.push(Arc::new(rule)),
                None => return Ok(rules),
            }
        }
    }
}
