//! A sound rule file for people: each rule as it was written, on one line, with
//! its place.

use serde_yaml::Value;

use super::{List, lines};

/// A rule as its file has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outlined {
    /// Its list.
    pub list: List,
    /// Its place in the list, from 0.
    pub index: usize,
    /// Its line, from 1; nothing when that is not sure.
    pub line: Option<usize>,
    /// As YAML on one line, without its examples.
    pub rule: String,
}

/// What a file says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Outline {
    /// What becomes of commands that cannot be read, when it says so.
    pub opaque: Option<String>,
    /// Variables that an allowed command may be given.
    pub env_safe: Vec<String>,
    /// Its rules: deny, ask, allow, each in the order of the file.
    pub rules: Vec<Outlined>,
}

impl Outline {
    /// Of a text that is a sound rule file; nothing of another.
    pub fn of(text: &str) -> Option<Outline> {
        let file: Value = serde_yaml::from_str(text).ok()?;
        let mut outline = Outline {
            opaque: file
                .get("opaque")
                .and_then(Value::as_str)
                .map(str::to_owned),
            ..Outline::default()
        };
        match file.get("env_safe") {
            Some(Value::Sequence(names)) => outline.env_safe.extend(names.iter().map(flow)),
            Some(name) => outline.env_safe.push(flow(name)),
            None => (),
        }
        for list in [List::Deny, List::Ask, List::Allow] {
            let Some(Value::Sequence(rules)) = file.get(list.name()) else {
                continue;
            };
            let lines = lines::of_list(text, list, rules.len()).unwrap_or_default();
            outline
                .rules
                .extend(rules.iter().enumerate().map(|(index, rule)| Outlined {
                    list,
                    index,
                    line: lines.get(index).copied(),
                    rule: bare(rule),
                }));
        }
        Some(outline)
    }
}

/// Keys that stand behind the subject; the examples of a rule decide nothing.
const BEHIND: [&str; 4] = ["modes", "in", "name", "why"];
const EXAMPLES: [&str; 2] = ["match", "not_match"];

/// A rule without the braces around it, its subject first.
fn bare(rule: &Value) -> String {
    let Value::Mapping(pairs) = rule else {
        return flow(rule);
    };
    let mut shown: Vec<(usize, String)> = Vec::new();
    for (key, value) in pairs {
        let name = key.as_str().unwrap_or_default();
        if EXAMPLES.contains(&name) {
            continue;
        }
        let place = BEHIND.iter().position(|behind| *behind == name);
        let place = place.map_or(0, |place| place + 1);
        shown.push((place, format!("{}: {}", flow(key), flow(value))));
    }
    shown.sort_by_key(|(place, _)| *place);
    let shown: Vec<String> = shown.into_iter().map(|(_, text)| text).collect();
    shown.join(", ")
}

/// YAML on one line.
fn flow(value: &Value) -> String {
    match value {
        Value::Sequence(items) => {
            let items: Vec<String> = items.iter().map(flow).collect();
            format!("[{}]", items.join(", "))
        }
        Value::Mapping(pairs) => {
            let pairs = pairs.iter();
            let pairs: Vec<String> = pairs
                .map(|(key, value)| format!("{}: {}", flow(key), flow(value)))
                .collect();
            format!("{{{}}}", pairs.join(", "))
        }
        Value::String(text) => scalar(text),
        Value::Null => "null".to_owned(),
        Value::Bool(value) => value.to_string(),
        Value::Number(number) => number.to_string(),
        Value::Tagged(tagged) => flow(&tagged.value),
    }
}

/// A text: plain where it reads back as itself, else in quotes with what nobody
/// would see escaped.
fn scalar(text: &str) -> String {
    let is_harmless = |c: char| c.is_ascii_alphanumeric() || " -_./+=~".contains(c);
    let is_plain = text.chars().all(is_harmless)
        && text.starts_with(|c: char| c.is_ascii_alphabetic() || "./-".contains(c))
        && !text.starts_with("- ")
        && text.trim() == text
        && !matches!(text, "-" | "true" | "false" | "null" | "yes" | "no" | "~");
    match is_plain {
        true => text.to_owned(),
        false => format!("\"{}\"", escaped(text)),
    }
}

fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '"' | '\\' => escaped.extend(['\\', c]),
            // Control characters, and what turns the direction of writing.
            _ if c.is_control() || is_unseen(c) => escaped.extend(c.escape_unicode()),
            _ => escaped.push(c),
        }
    }
    escaped
}

fn is_unseen(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}
