//! The only place that knows all parts: configuration becomes ports, ports
//! become a tree, a connection is served on it, and all of it ends in reverse.
//!
//! - [`run`]: what `main` calls: an invocation becomes an exit code.
//! - `parts`: configuration becomes ports and settings.
//! - `audit`: reads the journals for the audit trail.
//! - `checkup`: what the doctor looks at.
//! - `find`: which session the command line means.
//! - `guard`: rule files for people: shown, trusted, checked, tried.
//! - `mcp`: which MCP servers a workspace has.
//! - `models`: the models that there are, for people.
//! - `rpc`: one session over standard input and output.
//! - `prompt`: the system prompt.

mod audit;
mod checkup;
mod export;
mod find;
mod guard;
mod mcp;
mod models;
mod parts;
mod prompt;
mod rpc;
mod run;

pub use parts::Parts;
pub use run::run;
