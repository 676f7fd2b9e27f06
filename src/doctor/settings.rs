//! The configuration file.

use super::report::{Area, Finding};
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
