//! Where the configuration file and the state are.

use std::path::{Path, PathBuf};

use super::{ConfigError, Environment};

/// The folders and the file that a process works with. Nothing is created.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Places {
    /// The configuration file, and who named it.
    pub file: ConfigFile,
    /// `$GREENROOM_HOME`, else `$XDG_STATE_HOME/greenroom`, else
    /// `~/.local/state/greenroom`.
    pub home: PathBuf,
    /// Where a configuration file is looked for when none is named; nothing
    /// when there is no home folder.
    pub usual_folder: Option<PathBuf>,
    /// The user's home folder, which `~/` stands for.
    pub user_home: Option<PathBuf>,
}

/// The configuration file, and who named it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ConfigFile {
    /// `--config` or `$GREENROOM_CONFIG`: it must exist.
    Named {
        /// As it was named.
        path: PathBuf,
        /// `--config` or `$GREENROOM_CONFIG`.
        by: &'static str,
    },
    /// `$XDG_CONFIG_HOME/greenroom/config.yaml`, or the same in `~/.config`: it
    /// may be missing.
    Usual(PathBuf),
    /// There is no home folder, so there is no usual place.
    Nowhere,
}

impl ConfigFile {
    /// The file's path, whether it exists or not.
    pub fn path(&self) -> Option<&Path> {
        match self {
            ConfigFile::Named { path, .. } | ConfigFile::Usual(path) => Some(path),
            ConfigFile::Nowhere => None,
        }
    }
}

impl Places {
    /// Finds them; `flag` is the value of `--config`.
    pub fn find(flag: Option<&Path>, env: &Environment) -> Result<Places, ConfigError> {
        Ok(Places {
            file: config_file(flag, env),
            home: state_folder(env)?,
            usual_folder: usual_folder(env),
            user_home: home(env),
        })
    }
}

fn config_file(flag: Option<&Path>, env: &Environment) -> ConfigFile {
    if let Some(path) = flag {
        return ConfigFile::Named {
            path: path.to_owned(),
            by: "--config",
        };
    }
    if let Some(path) = env.get("GREENROOM_CONFIG") {
        return ConfigFile::Named {
            path: PathBuf::from(path),
            by: "$GREENROOM_CONFIG",
        };
    }
    match usual_folder(env) {
        Some(folder) => ConfigFile::Usual(folder.join("config.yaml")),
        None => ConfigFile::Nowhere,
    }
}

fn usual_folder(env: &Environment) -> Option<PathBuf> {
    let folder = xdg_folder(env, "XDG_CONFIG_HOME", ".config")?;
    Some(folder.join("greenroom"))
}

fn state_folder(env: &Environment) -> Result<PathBuf, ConfigError> {
    if let Some(home) = env.get("GREENROOM_HOME") {
        // Relative to where the process was started, whatever --cwd says later.
        return std::path::absolute(&home)
            .map_err(|error| ConfigError::other(format!("$GREENROOM_HOME: {error}")));
    }
    match xdg_folder(env, "XDG_STATE_HOME", ".local/state") {
        Some(folder) => Ok(folder.join("greenroom")),
        None => Err(ConfigError::other(
            "no folder for the state: neither $HOME nor $XDG_STATE_HOME is set; \
             set $GREENROOM_HOME to a folder that may be written",
        )),
    }
}

/// An XDG base folder. As its specification says, a relative one is ignored.
fn xdg_folder(env: &Environment, variable: &str, below_home: &str) -> Option<PathBuf> {
    if let Some(folder) = env.get(variable).map(PathBuf::from)
        && folder.is_absolute()
    {
        return Some(folder);
    }
    home(env).map(|home| home.join(below_home))
}

/// `$HOME`, when it is an absolute path.
pub(super) fn home(env: &Environment) -> Option<PathBuf> {
    env.get("HOME")
        .map(PathBuf::from)
        .filter(|home| home.is_absolute())
}
