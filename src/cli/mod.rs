//! The command line: arguments become one [`Invocation`], checked as far as
//! that is possible without the configuration; with it, a [`Launch`].
//!
//! - [`flags`]: the flags of our own commands, for clap.
//! - [`agent`]: `agent --rpc`, hm's form, as [`RpcOptions`].
//! - [`autohand`]: `--mode rpc`, Autohand's form, read leniently.
//! - [`audit`], [`guard`], [`models`]: the flags of these commands.
//! - [`options`], [`launch`]: what comes out.
//!
//! Nothing here prints, exits or starts anything: that is `main.rs`. Errors are
//! a [`Usage`] for standard error, so that standard output stays empty.

mod agent;
mod audit;
mod autohand;
mod flags;
mod guard;
mod invocation;
mod launch;
mod models;
mod options;
mod usage;

#[cfg(test)]
mod tests;

pub use audit::AuditOptions;
pub use guard::{GuardAct, GuardOptions};
pub use invocation::{Invocation, Program};
pub use launch::Launch;
pub use models::ModelsOptions;
pub use options::{
    BenchOptions, CommonOptions, DemoOptions, DoctorOptions, RpcOptions, SessionChoice, WireName,
};
pub use usage::Usage;

/// What `--version` prints.
pub const VERSION: &str = concat!("greenroom ", env!("CARGO_PKG_VERSION"));
