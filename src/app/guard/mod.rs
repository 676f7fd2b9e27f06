//! `greenroom guard`: rule files for people.
//!
//! - [`trust`], [`trust_servers`]: shows a project's rules, or its MCP servers,
//!   and records that they are trusted.
//! - [`list`]: the files in effect; `check`: one file.
//! - [`explain`]: what would be decided about a call.
//! - [`shown`]: rules as lines and as JSON.

mod explain;
mod list;
mod shown;
mod trust;
mod trust_servers;

use std::io::{self, Write};

use super::rpc::cannot_start;
use super::run::{configured, refuse};
use crate::cli::{GuardAct, GuardOptions, Usage};
use crate::config::Config;
use crate::guard::Survey;

/// Does what was asked; returns the exit code.
pub(super) fn run(options: &GuardOptions) -> u8 {
    let (config, _logging) = match configured(&options.common, None) {
        Ok(configured) => configured,
        Err(usage) => return refuse(&usage),
    };
    let json = options.json;
    let done = match &options.act {
        GuardAct::Trust { path, yes } => trust::run(&config, path, *yes, json),
        GuardAct::List { root } => list::run(&config, root, json),
        GuardAct::Check { file } => list::check(&config, file, json),
        GuardAct::Explain {
            root,
            subject,
            tool,
            mode,
            sub_agent,
        } => explain::run(
            &config,
            &explain::Asked {
                root,
                subject,
                tool,
                mode: mode.as_ref(),
                sub_agent: *sub_agent,
            },
            json,
        ),
    };
    done.unwrap_or_else(|usage| refuse(&usage))
}

/// Where this user's rules are looked for.
fn survey(config: &Config) -> Survey<'_> {
    Survey {
        folder: config.places.usual_folder.as_deref(),
        home: config.places.user_home.as_deref(),
        modes: &config.modes,
    }
}

/// Prints a text on standard output.
fn print(text: &str) -> Result<(), Usage> {
    match io::stdout().write_all(text.as_bytes()) {
        // Whoever reads has read enough.
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(cannot_start(format!("it cannot be shown: {error}"), 1))
        }
        _ => Ok(()),
    }
}
