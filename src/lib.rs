//! The daemon's parts that touch the world.
//!
//! - [`app`]: the only place that knows all parts and puts them together.
//! - [`audit`]: decisions of the past, for operators.
//! - [`bench`]: measures the built program from outside.
//! - [`cli`] and [`config`]: flags, files and environment become one checked
//!   value.
//! - [`serve`]: bytes in and out, a dialect between, one session behind.
//! - [`demo`]: a session for people to watch, played from outside.
//! - [`instructions`], [`skills`] and [`agents`]: what the user and the project
//!   tell the model, at once, when it needs it, and of sub-agents
//!   ([`front_matter`] is how the latter two begin).
//! - [`mcp`]: servers that bring tools.
//! - [`provider`], [`tool`], [`guard`], [`store`], [`clock`]: the ports of the
//!   actor tree, each as technologies. They don't know [`serve`], nor it them.
//! - [`secret`]: the type that keys live in.

pub mod agents;
pub mod app;
pub mod audit;
pub mod bench;
pub mod cli;
pub mod clock;
pub mod config;
pub mod demo;
pub mod doctor;
pub mod export;
pub mod front_matter;
pub mod guard;
pub mod images;
pub mod instructions;
pub mod mcp;
pub mod provider;
pub mod redact;
pub mod secret;
pub mod serve;
pub mod signals;
pub mod skills;
pub mod store;
pub mod telemetry;
pub mod tool;
