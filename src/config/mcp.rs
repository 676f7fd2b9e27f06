//! The section of MCP servers.

use std::path::Path;
use std::time::Duration;

use super::Environment;
use super::choice::{Choice, Named};
use super::raw::{RawMcpServer, Table};
use crate::mcp::{EntryFault, ServerConfig, ServerEntry, ToolFilter, Transport};

/// Where a server of this section comes from, for people.
const ORIGIN: &str = "config.yaml";

impl Choice for Transport {
    const WHAT: &'static str = "transport";
    fn all() -> Vec<(&'static str, Transport)> {
        vec![("http", Transport::Http), ("sse", Transport::Sse)]
    }
}

/// Checks the servers of the file and puts variables in. `home` is the user's.
/// A server whose variable is not set is left out with a warning: sessions start
/// without it.
pub(super) fn servers(
    raw: Table<RawMcpServer>,
    home: Option<&Path>,
    env: &Environment,
    warnings: &mut Vec<String>,
) -> Result<Vec<ServerConfig>, String> {
    let variables = |name: &str| env.text(name).ok().flatten();
    let mut servers = Vec::new();
    for (name, raw) in raw.0 {
        let shown = shown(&name);
        match entry(raw).resolve(&name, ORIGIN, home, &variables) {
            Ok(server) => servers.push(server),
            Err(EntryFault::Unset(fault)) => {
                warnings.push(format!("mcp.{shown} is left out: {fault}"));
            }
            Err(EntryFault::Wrong(fault)) => return Err(format!("mcp.{shown}: {fault}")),
        }
    }
    Ok(servers)
}

fn entry(raw: RawMcpServer) -> ServerEntry {
    let pairs = |table: Option<Table<String>>| table.unwrap_or_default().0;
    let seconds = |count: u64| Duration::from_secs(count);
    let tools = raw.tools.unwrap_or_default();
    ServerEntry {
        command: raw.command,
        args: raw.args.unwrap_or_default(),
        env: pairs(raw.env),
        cwd: raw.cwd,
        url: raw.url,
        headers: pairs(raw.headers),
        transport: raw.transport.map(|Named(transport)| transport),
        tools: ToolFilter {
            allow: tools.allow,
            deny: tools.deny.unwrap_or_default(),
        },
        timeout: raw.timeout_seconds.map(|it| seconds(it.0)),
        start_timeout: raw.start_timeout_seconds.map(|it| seconds(it.0)),
        output_kb: raw.output_cap_kb.map(|it| it.0 as usize),
        disabled: raw.disabled.unwrap_or_default(),
    }
}

fn shown(name: &str) -> String {
    (name.chars().take(64))
        .filter(|c| !c.is_control())
        .collect()
}
