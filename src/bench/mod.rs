//! `greenroom bench`: how fast this build is on this machine.
//!
//! It starts its own executable as a host does, over real pipes, with the
//! scripted provider and a journal on a real disk, and knows nothing of the
//! tree inside: what it tells, any host can measure. Each measure is a file;
//! a bar that is not met is told, and only what could not be measured, or a
//! broken promise, makes the exit code 1.

mod aborts;
mod deltas;
mod figure;
mod flood;
mod frame;
mod host;
mod lines;
mod machine;
mod memory;
mod process;
mod report;
mod requests;
mod run;
mod samples;
mod site;
mod start;
mod stop;
mod tools;
mod trouble;
mod turns;

pub use run::run;
