//! Reads the file that [`super::check`] turns into the configuration.

use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;

use super::check::check;
use super::raw::RawConfig;
use super::{Config, ConfigError, ConfigFile, Environment, Places};
use crate::provider::scripted::DEMO_NAME;
use crate::provider::{ModelEntry, read_models};

/// The file of the user's own models, beside the configuration.
const MODELS: &str = "models.yaml";

/// A longer file is something else.
const LONGEST_FILE: u64 = 1 << 20;

impl Config {
    /// Loads the configuration. `file` and `script` are the values of
    /// `--config` and `--script` (a path or `builtin:demo`); a script (also of `$GREENROOM_SCRIPT`) makes
    /// the scripted provider the default, so that no test calls a paid one.
    pub fn load(
        file: Option<&Path>,
        script: Option<&Path>,
        env: &Environment,
    ) -> Result<Config, ConfigError> {
        let places = Places::find(file, env)?;
        let (raw, file_found) = match read(&places.file)? {
            Some(text) => (
                parse(places.file.path().unwrap_or(Path::new("")), &text)?,
                true,
            ),
            None => (RawConfig::default(), false),
        };
        let script = find_script(script, env)?;
        let models = own_models(&places)?;
        check(raw, places, file_found, script.as_deref(), env)
            .map(|config| Config { models, ..config })
    }
}

fn read(file: &ConfigFile) -> Result<Option<String>, ConfigError> {
    let Some(path) = file.path() else {
        return Ok(None);
    };
    let mut text = String::new();
    let outcome =
        open_regular(path).and_then(|file| file.take(LONGEST_FILE + 1).read_to_string(&mut text));
    let shown = path.display();
    match (outcome, file) {
        (Ok(_), _) if text.len() as u64 > LONGEST_FILE => Err(ConfigError::other(format!(
            "{shown} is longer than 1 MiB, so it is no configuration"
        ))),
        (Ok(_), _) => Ok(Some(text)),
        (Err(error), ConfigFile::Named { by, .. }) => Err(ConfigError::named(format!(
            "{by}: {shown} cannot be read: {error}"
        ))),
        (Err(error), _) if is_missing(&error) => Ok(None),
        (Err(error), _) => Err(ConfigError::other(format!(
            "{shown} cannot be read: {error}"
        ))),
    }
}

/// The user's own additions to the catalogue of models: `models.yaml` beside the
/// configuration file.
fn own_models(places: &Places) -> Result<Vec<ModelEntry>, ConfigError> {
    let Some(path) = places.file.path().map(|file| file.with_file_name(MODELS)) else {
        return Ok(Vec::new());
    };
    let shown = path.display();
    let mut text = String::new();
    let read =
        open_regular(&path).and_then(|file| file.take(LONGEST_FILE + 1).read_to_string(&mut text));
    match read {
        Ok(_) if text.len() as u64 > LONGEST_FILE => Err(ConfigError::other(format!(
            "{shown} is longer than 1 MiB, so it is no list of models"
        ))),
        Ok(_) => read_models(&text, &shown.to_string()).map_err(ConfigError::other),
        Err(error) if is_missing(&error) => Ok(Vec::new()),
        Err(error) => Err(ConfigError::other(format!(
            "{shown} cannot be read: {error}"
        ))),
    }
}

/// Opens a regular file, links followed. A pipe is not waited for: nobody may
/// ever write to it.
fn open_regular(path: &Path) -> std::io::Result<File> {
    let mut options = OpenOptions::new();
    options
        .read(true)
        .custom_flags((OFlags::NONBLOCK | OFlags::NOCTTY).bits().cast_signed());
    let file = options.open(path)?;
    match file.metadata()?.is_file() {
        true => Ok(file),
        false => Err(std::io::Error::other("it is not a regular file")),
    }
}

fn is_missing(error: &std::io::Error) -> bool {
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory)
}

fn parse(file: &Path, text: &str) -> Result<RawConfig, ConfigError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let raw: Result<Option<RawConfig>, serde_yaml::Error> = serde_yaml::from_str(text);
    match raw {
        Ok(raw) => Ok(raw.unwrap_or_default()),
        Err(error) => Err(ConfigError::yaml(file, &error)),
    }
}

fn find_script(flag: Option<&Path>, env: &Environment) -> Result<Option<PathBuf>, ConfigError> {
    let (path, by) = match (flag, env.get("GREENROOM_SCRIPT")) {
        (Some(path), _) => (path.to_owned(), "--script"),
        (None, Some(path)) => (PathBuf::from(path), "$GREENROOM_SCRIPT"),
        (None, None) => return Ok(None),
    };
    if path.as_os_str() == DEMO_NAME {
        return Ok(Some(path));
    }
    let shown = path.display();
    match std::fs::canonicalize(&path) {
        Ok(found) if found.is_file() => Ok(Some(found)),
        Ok(_) => Err(ConfigError::named(format!("{by}: {shown} is not a file"))),
        Err(error) => Err(ConfigError::named(format!(
            "{by}: {shown} cannot be read: {error}"
        ))),
    }
}
