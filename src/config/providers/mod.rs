//! Providers of the configuration: entries of the file, the usual environment
//! variables, and the scripted one that is always there.
//!
//! - [`well_known`]: what the names `openai`, `anthropic`, `openrouter`,
//!   `ollama` and `gemini` stand for when nothing else is said.
//! - [`build`]: entries and variables become [`crate::provider::ProviderConfig`].
//! - [`fallback`]: whom to ask instead of one that is overloaded.
//! - [`key`]: where keys are read. They leave it as secrets or not at all.
//! - [`rules`], [`url`]: what may stand in an entry.

mod build;
mod fallback;
mod key;
mod rules;
mod url;
mod well_known;

#[cfg(test)]
mod tests;

use std::fmt;
use std::path::PathBuf;

pub(super) use build::{Built, build};
pub use fallback::Fallbacks;
pub(crate) use well_known::how_to_get;

/// The name of the provider that needs no key and is always there.
pub const SCRIPTED: &str = "scripted";

/// Where a provider comes from, for people (doctor).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProviderNote {
    /// The provider's name.
    pub name: String,
    /// Who brought it in.
    pub origin: Origin,
    /// Where its key is looked for; nothing when it needs none.
    pub key: Option<KeySource>,
    /// What is wrong with its key, with the remedy; never the key itself.
    pub problem: Option<String>,
}

/// Who brought a provider in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// An entry of the configuration file.
    File,
    /// One of the usual environment variables.
    Environment,
    /// It is part of the program.
    BuiltIn,
}

/// Where a key is looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeySource {
    /// An environment variable, by name.
    Variable(String),
    /// A file that holds nothing else.
    File(PathBuf),
}

impl fmt::Display for KeySource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            KeySource::Variable(name) => write!(f, "${name}"),
            KeySource::File(path) => path.display().fmt(f),
        }
    }
}
