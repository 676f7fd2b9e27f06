//! The sandbox's section of the file.

use std::path::{Path, PathBuf};

use super::choice::{Choice, Named};
use super::raw::RawSandbox;
use crate::tool::{Network, SandboxMode, SandboxSettings};

impl Choice for SandboxMode {
    const WHAT: &'static str = "sandbox";
    fn all() -> Vec<(&'static str, SandboxMode)> {
        vec![
            ("off", SandboxMode::Off),
            ("workspace", SandboxMode::Workspace),
        ]
    }
}

impl Choice for Network {
    const WHAT: &'static str = "access to the network";
    fn all() -> Vec<(&'static str, Network)> {
        vec![("allow", Network::Allow), ("deny", Network::Deny)]
    }
}

/// Fills the defaults in. `home` is the user's, for paths that begin with `~/`.
pub(super) fn sandbox(raw: RawSandbox, home: Option<&Path>) -> Result<SandboxSettings, String> {
    let paths = |key: &str, paths: Option<Vec<String>>| {
        let paths = paths.unwrap_or_default().into_iter();
        paths
            .map(|path| absolute(&path, home).map_err(|fault| format!("sandbox.{key}: {fault}")))
            .collect::<Result<Vec<PathBuf>, String>>()
    };
    Ok(SandboxSettings {
        mode: raw.mode.map_or(SandboxMode::default(), |Named(mode)| mode),
        network: raw.network.map_or(Network::default(), |Named(it)| it),
        extra_write: paths("extra_write", raw.extra_write)?,
        extra_read: paths("extra_read", raw.extra_read)?,
    })
}

fn absolute(path: &str, home: Option<&Path>) -> Result<PathBuf, String> {
    if let Some(below) = path.strip_prefix("~/") {
        let home = home.ok_or_else(|| format!("{path}: there is no home folder; write it out"))?;
        return Ok(home.join(below));
    }
    match Path::new(path).is_absolute() {
        true => Ok(PathBuf::from(path)),
        false => Err(format!(
            "{path:?} is neither absolute nor in the home folder: begin it with / or ~/"
        )),
    }
}
