//! Drives the real binary over real pipes, and judges what comes out.
//!
//! - [`Stage`]: the folders of one test, and how the binary is started there.
//! - [`Host`]: a running process: lines in, lines out, its end.
//! - [`invariants`]: what must hold of every trace; each host runs it over what
//!   it sends and what comes.
//! - [`processes`]: what the system tells of processes.
//!
//! Nothing here waits for luck: every wait is for something that must come, and
//! gives up after [`DEADLINE`].

mod host;
pub mod invariants;
mod lines;
pub mod processes;
mod stage;

use std::time::Duration;

pub use host::{Ended, Host};
pub use lines::Line;
pub use stage::{Stage, repository};

/// How long anything that must come is waited for. Long, so that a loaded
/// machine fails no test.
pub const DEADLINE: Duration = Duration::from_secs(30);
