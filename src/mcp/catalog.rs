//! What a server offers: its tools, resources and prompts, each list bounded and
//! read leniently, so that one bad entry costs that entry and no other.

use greenroom_protocol::session::{Document, Text};
use serde_json::Value;

use super::schema;

/// As many entries of one list are kept.
pub(super) const MOST_ENTRIES: usize = 512;
/// As many pages of one list are read.
pub(super) const MOST_PAGES: usize = 64;
/// The longest description that a model reads, in bytes.
const LONGEST_DESCRIPTION: usize = 8 << 10;
/// The longest name or address.
const LONGEST_NAME: usize = 1 << 10;

/// What a server offers, as it last said.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Catalog {
    /// By name.
    pub tools: Vec<ServerTool>,
    /// As the server lists them.
    pub resources: Vec<ServerResource>,
    /// As the server lists them.
    pub prompts: Vec<ServerPrompt>,
    /// What was left out and why.
    pub notices: Vec<Text>,
}

/// A tool of a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerTool {
    /// As the server calls it.
    pub name: Text,
    /// For the model.
    pub description: Text,
    /// JSON Schema of its input, as providers take it.
    pub schema: Document,
}

/// Something that a server lets read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerResource {
    /// Its address; of a template with `{parts}` to fill in.
    pub uri: Text,
    /// Its name.
    pub name: Text,
    /// More about it.
    pub description: Option<Text>,
    /// Its media type, as the server says.
    pub media_type: Option<Text>,
    /// Whether the address is a template.
    pub template: bool,
}

/// A prompt of a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerPrompt {
    /// Its name.
    pub name: Text,
    /// More about it.
    pub description: Option<Text>,
    /// What it takes.
    pub arguments: Vec<PromptArgument>,
}

/// A value that a prompt takes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PromptArgument {
    /// Its name.
    pub name: Text,
    /// More about it.
    pub description: Option<Text>,
    /// Whether it must be given.
    pub required: bool,
}

/// The tools of a list, by name; notices on those that are left out.
pub(super) fn tools(entries: &[Value], notices: &mut Vec<Text>) -> Vec<ServerTool> {
    let mut tools: Vec<ServerTool> = Vec::new();
    for entry in entries {
        let Some(name) = name(entry, "name") else {
            notices.push("a tool without a usable name is left out".into());
            continue;
        };
        if tools.iter().any(|tool| tool.name == name) {
            notices.push(
                format!(
                    "the tool {} is listed twice; the first counts",
                    short(&name)
                )
                .into(),
            );
            continue;
        }
        let schema = match entry.get("inputSchema") {
            Some(schema) => schema::harmless(schema),
            None => schema::harmless(&Value::Object(serde_json::Map::new())),
        };
        match schema {
            Ok(schema) => tools.push(ServerTool {
                description: description(entry).unwrap_or_else(|| name.clone()),
                name,
                schema,
            }),
            Err(fault) => {
                notices.push(format!("the tool {} is left out: {fault}", short(&name)).into());
            }
        }
    }
    tools.sort_by(|a, b| a.name.cmp(&b.name));
    tools
}

/// The resources of a list, or the templates.
pub(super) fn resources(entries: &[Value], template: bool) -> Vec<ServerResource> {
    let key = if template { "uriTemplate" } else { "uri" };
    let read = |entry: &Value| {
        let uri = name(entry, key)?;
        Some(ServerResource {
            name: name(entry, "name").unwrap_or_else(|| uri.clone()),
            description: description(entry),
            media_type: name(entry, "mimeType"),
            uri,
            template,
        })
    };
    entries.iter().filter_map(read).collect()
}

/// The prompts of a list.
pub(super) fn prompts(entries: &[Value]) -> Vec<ServerPrompt> {
    let argument = |entry: &Value| {
        Some(PromptArgument {
            name: name(entry, "name")?,
            description: description(entry),
            required: entry.get("required").and_then(Value::as_bool) == Some(true),
        })
    };
    let read = |entry: &Value| {
        let arguments = entry.get("arguments").and_then(Value::as_array);
        Some(ServerPrompt {
            name: name(entry, "name")?,
            description: description(entry),
            arguments: arguments
                .into_iter()
                .flatten()
                .filter_map(argument)
                .collect(),
        })
    };
    entries.iter().filter_map(read).collect()
}

fn name(entry: &Value, key: &str) -> Option<Text> {
    let name = entry.get(key)?.as_str()?;
    let fits = !name.is_empty() && name.len() <= LONGEST_NAME && !name.contains(char::is_control);
    fits.then(|| Text::from(name))
}

/// A description without control characters, cut when it is too long.
fn description(entry: &Value) -> Option<Text> {
    let text = entry.get("description")?.as_str()?;
    let (kept, rest) = text.split_at(text.floor_char_boundary(LONGEST_DESCRIPTION));
    let mut kept: String = kept
        .chars()
        .filter(|c| !c.is_control() || matches!(c, '\n' | '\t'))
        .collect();
    if !rest.is_empty() {
        kept.push_str(" […]");
    }
    (!kept.trim().is_empty()).then(|| Text::from(kept))
}

/// A name short enough for a message.
fn short(name: &str) -> String {
    match name.split_at(name.floor_char_boundary(80)) {
        (all, "") => format!("{all:?}"),
        (start, _) => format!("{start:?}…"),
    }
}

#[cfg(test)]
mod tests;
