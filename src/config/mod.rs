//! Configuration: a file, the environment and defaults become one checked
//! [`Config`]. Whoever holds one need not check anything again.
//!
//! - [`raw`] is the file as serde sees it, with values that check themselves
//!   ([`value`]), so that an error knows its line.
//! - [`settings`] is what the rest of the program reads.
//! - [`load`] puts the two together; [`places`] knows the folders.
//! - [`providers`] turns entries and the usual variables into providers.
//!
//! Deliberately absent: the network, writing files, flags (see [`crate::cli`]).
//! Keys go straight into [`crate::secret::Secret`] and into no message.

mod check;
pub(crate) mod choice;
mod environment;
mod error;
mod load;
mod log_filter;
mod mcp;
mod modes;
pub(crate) mod nearest;
mod places;
mod providers;
mod raw;
mod sandbox;
mod sections;
mod settings;
mod titles;
mod value;
mod web;

#[cfg(test)]
mod tests;

pub use environment::Environment;
pub use error::ConfigError;
pub use log_filter::LogFilter;
pub(crate) use modes::choose_mode;
pub use places::{ConfigFile, Places};
pub(crate) use providers::how_to_get;
pub use providers::{Fallbacks, KeySource, Origin, ProviderNote, SCRIPTED};
pub use settings::{
    AgentSettings, CompactionSettings, Config, Deadlines, InputSettings, InstructionSettings,
    JournalSettings, Limits, LogFormat, LogSettings, OutputSettings, Retries, ToolOptions, WhenMet,
};
