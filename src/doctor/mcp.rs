//! The MCP servers: whether each can be started or reached.

use std::ffi::OsString;
use std::path::PathBuf;

use super::report::{Area, Finding};
use crate::config::Config;
use crate::mcp::{Loaded, check};

/// The servers of the workspace that the doctor stands in.
#[derive(Default)]
pub struct McpState {
    /// What was found in files.
    pub loaded: Loaded,
    /// The workspace.
    pub root: PathBuf,
    /// `PATH`, to find programs in.
    pub path: Option<OsString>,
}

/// What is wrong costs the server's tools, and no session.
pub(super) async fn look(state: &McpState, config: Option<&Config>) -> Vec<Finding> {
    let mut findings = Vec::new();
    let servers = &state.loaded.servers;
    for checked in check(servers, &state.root, state.path.as_deref()).await {
        let server = checked.server;
        findings.push(match checked.found {
            Ok(what) => Finding::ok(Area::Mcp, format!("{server}: {what}")),
            Err((what, next)) => Finding::warn(Area::Mcp, format!("{server}: {what}"), next),
        });
    }
    let warnings = config.into_iter().flat_map(|config| &config.warnings);
    let left_out = warnings.filter(|it| it.starts_with("mcp."));
    for notice in left_out.chain(&state.loaded.notices) {
        // What it is, and behind the last semicolon what to do.
        let (what, next) = match notice.rsplit_once("; ") {
            Some((what, next)) => (what, next),
            None => (notice.as_str(), "see docs/mcp.md"),
        };
        findings.push(Finding::warn(Area::Mcp, what, next));
    }
    findings
}
