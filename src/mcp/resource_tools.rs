//! Two tools that all servers share: what there is to read, and reading it.
//! They are offered when some server has resources.

use greenroom_actors::ports::{Ran, ToolFault, ToolSpec, Work};
use greenroom_protocol::session::{Category, Document, Text};
use serde_json::{Map, Value};

use super::catalog::ServerResource;
use super::session::SessionServers;

/// The tool that lists resources.
pub const LIST_RESOURCES: &str = "mcp_list_resources";
/// The tool that reads one.
pub const READ_RESOURCE: &str = "mcp_read_resource";

/// As many are listed at once.
const MOST_LISTED: usize = 200;

const LIST_SCHEMA: &str = r#"{
  "type": "object",
  "properties": {
    "server": {"type": "string", "description": "Only those of this MCP server."},
    "contains": {"type": "string", "description": "Only those with this in their address or name."}
  },
  "additionalProperties": false
}"#;

const READ_SCHEMA: &str = r#"{
  "type": "object",
  "properties": {
    "server": {"type": "string", "description": "The MCP server."},
    "uri": {"type": "string", "description": "The address, as it is listed; of a template with its {parts} filled in."}
  },
  "required": ["server", "uri"],
  "additionalProperties": false
}"#;

/// A call of one of the two tools that was understood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ResourceCall {
    /// What is there: of one server or all, with this in its address or name.
    List {
        /// The server; nothing means all.
        server: Option<String>,
        /// What it must contain.
        contains: Option<String>,
    },
    /// What one says.
    Read {
        /// The server.
        server: String,
        /// The address.
        uri: String,
    },
}

impl ResourceCall {
    /// Reads the input of a tool; nothing when it is neither of the two.
    pub fn plan(tool: &str, input: &Document) -> Option<Result<ResourceCall, ToolFault>> {
        match tool {
            LIST_RESOURCES => Some(list(input)),
            READ_RESOURCE => Some(read(input)),
            _ => None,
        }
    }

    /// What the guard judges: `server/uri`, with `*` for any server or all of
    /// its resources.
    pub fn target(&self) -> String {
        match self {
            ResourceCall::List { server, .. } => format!("{}/*", server.as_deref().unwrap_or("*")),
            ResourceCall::Read { server, uri } => format!("{server}/{uri}"),
        }
    }
}

impl SessionServers {
    /// The two tools, when there is something to read.
    pub fn resource_specs(&self) -> Vec<ToolSpec> {
        if self.resources(None).is_empty() {
            return Vec::new();
        }
        let spec = |name: &str, description: &str, schema: &str| ToolSpec {
            name: name.into(),
            description: description.into(),
            schema: Document(Text::from(schema)),
            category: Category::Mcp,
        };
        vec![
            spec(
                LIST_RESOURCES,
                "List what MCP servers let read: documents, records, logs, by their addresses.",
                LIST_SCHEMA,
            ),
            spec(
                READ_RESOURCE,
                "Read one resource of an MCP server by its address.",
                READ_SCHEMA,
            ),
        ]
    }

    /// Runs a call of one of the two tools.
    pub fn run_resource(&self, call: ResourceCall) -> Work<Ran> {
        match call {
            ResourceCall::Read { server, uri } => self.read_resource(&server, &uri),
            ResourceCall::List { server, contains } => {
                let all = self.resources(server.as_deref());
                let ran = listed(&all, contains.as_deref());
                Box::pin(std::future::ready(ran))
            }
        }
    }
}

fn listed(all: &[(Text, ServerResource)], contains: Option<&str>) -> Ran {
    let wanted = |resource: &ServerResource| {
        contains.is_none_or(|part| resource.uri.contains(part) || resource.name.contains(part))
    };
    let found: Vec<_> = all.iter().filter(|(_, it)| wanted(it)).collect();
    let mut lines: Vec<String> = Vec::new();
    for (server, resource) in found.iter().take(MOST_LISTED) {
        let mut line = format!("{server}: {}", resource.uri);
        if resource.name != resource.uri {
            line.push_str(&format!(" ({})", resource.name));
        }
        if resource.template {
            line.push_str(" [a template]");
        }
        if let Some(about) = &resource.description {
            let first = about.lines().next().unwrap_or_default();
            line.push_str(&format!(" - {first}"));
        }
        lines.push(line);
    }
    let more = found.len().saturating_sub(MOST_LISTED);
    if more > 0 {
        lines.push(format!(
            "[{more} more: narrow it with `server` or `contains`]"
        ));
    }
    Ran {
        text: match lines.is_empty() {
            true => "[nothing to read]".to_owned(),
            false => lines.join("\n"),
        },
        truncated: more > 0,
        ..Ran::default()
    }
}

fn list(input: &Document) -> Result<ResourceCall, ToolFault> {
    let fields = fields(input, &["server", "contains"])?;
    Ok(ResourceCall::List {
        server: text(&fields, "server")?,
        contains: text(&fields, "contains")?,
    })
}

fn read(input: &Document) -> Result<ResourceCall, ToolFault> {
    let fields = fields(input, &["server", "uri"])?;
    let needed = |key: &str| {
        let text = text(&fields, key)?.filter(|text| !text.is_empty());
        text.ok_or_else(|| ToolFault(format!("`{key}` is missing: name it, as it is listed")))
    };
    Ok(ResourceCall::Read {
        server: needed("server")?,
        uri: needed("uri")?,
    })
}

fn fields(input: &Document, known: &[&str]) -> Result<Map<String, Value>, ToolFault> {
    let Ok(Value::Object(fields)) = serde_json::from_str(&input.0) else {
        return Err(ToolFault("the input is no JSON object".into()));
    };
    match fields.keys().find(|key| !known.contains(&key.as_str())) {
        None => Ok(fields),
        Some(key) => {
            let shown: String = key.chars().take(60).collect();
            let known = known.join(" and ");
            Err(ToolFault(format!(
                "there is no {shown:?}: there are {known}"
            )))
        }
    }
}

fn text(fields: &Map<String, Value>, key: &str) -> Result<Option<String>, ToolFault> {
    match fields.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(_) => Err(ToolFault(format!("`{key}` must be a text"))),
    }
}

#[cfg(test)]
mod tests;
