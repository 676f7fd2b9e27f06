//! One definition. Its keys are ours and those that other agents' files have.

use std::time::Duration;

use greenroom_actors::modes::Modes;
use greenroom_actors::subagents::{AgentLimits, AgentSpec};
use greenroom_protocol::session::{Cost, Mode, ModelChange, Text};
use serde::Deserialize;

use crate::front_matter::split;

/// The longest name, in characters.
const LONGEST_NAME: usize = 64;
/// The longest description, in characters.
const LONGEST_DESCRIPTION: usize = 2048;

/// What is used of the front matter; other keys are for others.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Head {
    name: Option<String>,
    description: String,
    tools: Option<Names>,
    #[serde(alias = "permissionMode")]
    mode: Option<String>,
    provider: Option<String>,
    model: Option<String>,
    #[serde(alias = "maxTurns")]
    max_steps: Option<u32>,
    max_tokens: Option<u64>,
    max_cost_usd: Option<f64>,
    max_seconds: Option<u64>,
}

/// `[a, b]` or `a, b`.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Names {
    List(Vec<String>),
    Line(String),
}

impl Names {
    fn all(self) -> Vec<String> {
        match self {
            Names::List(names) => names,
            Names::Line(line) => line.split(',').map(|name| name.trim().to_owned()).collect(),
        }
    }
}

/// Other agents' names of tools that we have.
const OTHER_NAMES: &[(&str, &str)] = &[
    ("AskUserQuestion", "ask_user"),
    ("Bash", "shell"),
    ("Edit", "edit_file"),
    ("Glob", "find_files"),
    ("Grep", "search"),
    ("LS", "list_files"),
    ("MultiEdit", "edit_file"),
    ("Read", "read_file"),
    ("Skill", "skill"),
    ("Task", "task"),
    ("TodoWrite", "update_plan"),
    ("WebFetch", "web_fetch"),
    ("Write", "write_file"),
];

/// Names that mean another vendor's models, or the starter's own.
const OTHER_MODELS: &[&str] = &["inherit", "sonnet", "opus", "haiku"];

/// Reads a definition whose file has this stem. Also what of it does not count,
/// in words.
pub(super) fn read(
    text: &str,
    stem: &str,
    modes: &Modes,
) -> Result<(AgentSpec, Vec<String>), String> {
    let (head, body) =
        split(text).ok_or("it does not begin with front matter between two lines of ---")?;
    let head: Head =
        serde_yaml::from_str(head).map_err(|error| format!("its front matter: {error}"))?;
    let mut notes = Vec::new();
    let spec = AgentSpec {
        name: name(head.name.as_deref().unwrap_or(stem))?,
        description: description(&head.description)?,
        system: body.trim().into(),
        tools: head.tools.map(|names| tools(names.all())),
        mode: match head.mode {
            Some(name) => mode(&name, modes)?,
            None => None,
        },
        model: model(head.provider, head.model, &mut notes),
        limits: AgentLimits {
            steps: at_least_one(head.max_steps, "max_steps")?,
            tokens: at_least_one(head.max_tokens, "max_tokens")?,
            cost: head.max_cost_usd.map(cost).transpose()?,
            time: at_least_one(head.max_seconds, "max_seconds")?.map(Duration::from_secs),
        },
    };
    Ok((spec, notes))
}

fn name(name: &str) -> Result<Text, String> {
    let is_plain = |mark: char| mark.is_ascii_alphanumeric() || mark == '-' || mark == '_';
    if name.is_empty() || name.len() > LONGEST_NAME || !name.chars().all(is_plain) {
        return Err(format!(
            "name: it may have up to {LONGEST_NAME} letters, digits, - and _"
        ));
    }
    Ok(name.into())
}

fn description(text: &str) -> Result<Text, String> {
    let length = text.trim().chars().count();
    if length == 0 || length > LONGEST_DESCRIPTION {
        return Err(format!(
            "description: it must say in 1 to {LONGEST_DESCRIPTION} characters when to use the agent"
        ));
    }
    Ok(text.trim().into())
}

/// Names that there are not offer nothing, so they need no word here.
fn tools(names: Vec<String>) -> Vec<Text> {
    let names = names.into_iter().filter(|name| !name.is_empty());
    let ours = names.map(|name| {
        let known = OTHER_NAMES.iter().find(|(other, _)| *other == name);
        known.map_or(Text::from(name.as_str()), |(_, ours)| Text::from(*ours))
    });
    ours.collect()
}

fn mode(name: &str, modes: &Modes) -> Result<Option<Mode>, String> {
    let mode = match name {
        "default" => return Ok(None),
        "acceptEdits" => Mode::Auto,
        "bypassPermissions" => Mode::Full,
        name => Mode::named(name),
    };
    match modes.knows(&mode) {
        true => Ok(Some(mode)),
        false => Err(format!(
            "mode: there is no mode {name:?}; there are {}",
            modes.names()
        )),
    }
}

fn model(provider: Option<String>, model: Option<String>, notes: &mut Vec<String>) -> ModelChange {
    let model = model.filter(|name| match OTHER_MODELS.contains(&name.as_str()) {
        true if name != "inherit" => {
            notes.push(format!(
                "model: {name:?} is no model's id, so its starter's is used"
            ));
            false
        }
        is_other => !is_other,
    });
    ModelChange {
        provider: provider.map(Text::from),
        model: model.map(Text::from),
        effort: None,
    }
}

fn at_least_one<N: PartialOrd + From<u8>>(
    number: Option<N>,
    key: &str,
) -> Result<Option<N>, String> {
    match number {
        Some(number) if number < N::from(1) => Err(format!("{key}: it must be at least 1")),
        number => Ok(number),
    }
}

fn cost(dollars: f64) -> Result<Cost, String> {
    let millionths = dollars * 1e6;
    if !(1.0..=1e15).contains(&millionths) {
        return Err("max_cost_usd: it must be an amount of dollars above 0".to_owned());
    }
    Ok(Cost(millionths as u64))
}
