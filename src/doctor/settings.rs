//! The configuration file.

use greenroom_protocol::session::Text;

use super::report::{Area, Finding};
use crate::config::nearest::nearest;
use crate::config::{Config, ConfigError, ConfigFile};

pub(super) fn look(config: &Result<Config, ConfigError>) -> Finding {
    match config {
        Ok(config) => loaded(config),
        Err(error) => Finding::fail(
            Area::Config,
            error.message.clone(),
            "mend it; config/config.yaml of the distribution shows every key",
        ),
    }
}

fn loaded(config: &Config) -> Finding {
    let what = match (&config.places.file, config.file_found) {
        (ConfigFile::Nowhere, _) => "no file and no home folder; the defaults hold".to_owned(),
        (file, found) => {
            let path = file.path().map(|path| path.display().to_string());
            let path = path.unwrap_or_default();
            match found {
                true => format!("{path} is fine"),
                false => format!("no {path}; the defaults hold"),
            }
        }
    };
    Finding::ok(Area::Config, what)
}

/// Rules that cannot be read keep every session from starting.
pub(super) fn rules(fault: &str) -> Finding {
    let next = "mend it; `greenroom guard check FILE` tells when it is sound";
    Finding::fail(Area::Guard, fault, next)
}

/// Tools of modes that there are not: those of MCP servers are not known here.
pub(super) fn modes(config: &Result<Config, ConfigError>, tools: &[String]) -> Vec<Finding> {
    let Ok(config) = config else {
        return Vec::new();
    };
    let named = config.modes.own().flat_map(|(mode, spec)| {
        let tools = spec.tools.iter().flatten();
        tools.map(move |tool| (mode.clone(), tool.clone()))
    });
    let is_unknown = |tool: &str| {
        let is_pattern = tool.ends_with('*') || tool.starts_with("mcp_");
        !is_pattern && !tools.iter().any(|known| known == tool)
    };
    let unknown = named.filter(|(_, tool)| is_unknown(tool));
    let finding = |(mode, tool): (Text, Text)| {
        let what = format!("modes.{mode}.tools: there is no tool {tool:?}");
        let next = match nearest(&tool, tools.iter().map(String::as_str)) {
            Some(near) => format!("write {near}, or leave it out"),
            None => format!("there are {}", tools.join(", ")),
        };
        Finding::warn(Area::Config, what, next)
    };
    unknown.map(finding).collect()
}
