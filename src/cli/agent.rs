//! `agent --rpc`: hm's form.

use std::path::{Path, PathBuf};

use super::flags::AgentFlags;
use super::options::{CommonOptions, RpcOptions, SessionChoice, WireName};
use super::usage::Usage;

/// Checks what clap cannot.
pub(super) fn options(flags: AgentFlags, common: CommonOptions) -> Result<RpcOptions, Usage> {
    if !flags.rpc {
        return Err(Usage::wrong(
            "only `agent --rpc` is there yet: a program starts it and speaks JSON lines with it; \
             add --rpc, or try `greenroom demo` to watch a session",
        ));
    }
    let cwd = workspace("--cwd", flags.cwd.as_deref())?;
    let session = session(&flags)?;
    Ok(RpcOptions {
        wire: WireName::Hm,
        cwd,
        cwd_named: flags.cwd.is_some(),
        mode: flags.mode,
        provider: flags.provider,
        model: flags.model,
        effort: flags.effort,
        session,
        max_steps: flags.max_steps,
        approve: flags.approve,
        yolo: None,
        script: flags.script,
        common,
        warnings: Vec::new(),
    })
}

fn session(flags: &AgentFlags) -> Result<SessionChoice, Usage> {
    match (&flags.session, flags.go_on, flags.no_session) {
        (None, false, false) => Ok(SessionChoice::New),
        (Some(id), false, false) => Ok(SessionChoice::Resume(id.clone())),
        (None, true, false) => Ok(SessionChoice::Continue),
        (None, false, true) => Ok(SessionChoice::Ephemeral),
        _ => Err(Usage::wrong(
            "--session, --continue and --no-session exclude each other; keep one of them",
        )),
    }
}

/// The workspace, absolute and with links resolved.
pub(super) fn workspace(flag: &str, given: Option<&Path>) -> Result<PathBuf, Usage> {
    let path = given.unwrap_or(Path::new("."));
    let what = match given {
        Some(path) => format!("{flag} {}", path.display()),
        None => "the current folder".to_owned(),
    };
    let remedy = format!("give a folder that exists with {flag}");
    match std::fs::canonicalize(path) {
        Ok(found) if found.is_dir() => Ok(found),
        Ok(_) => Err(Usage::wrong(format!("{what} is not a folder; {remedy}"))),
        Err(error) => Err(Usage::wrong(format!("{what}: {error}; {remedy}"))),
    }
}
