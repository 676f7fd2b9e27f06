//! `greenroom demo`: a session for people to watch. It starts its own binary as
//! an agent, plays the host over real pipes, shows both directions, and checks
//! that what the agent told really happened.
//!
//! - [`run`]: from start to end, and what remains of it.
//! - [`agent`]: the process at the other end, as lines in and out.
//! - [`host`]: what a host does: it prompts, approves, steers, answers.
//! - [`show`]: events in words; [`screen`]: words on standard output.
//! - [`story`]: what must happen, in which order.
//! - [`scratch`]: the folder that all of it happens in.
//! - [`proof`]: what is really on the disk afterwards.
//!
//! It knows the wire as any host does, from outside: no type of the engine is
//! used here.

mod agent;
mod host;
mod proof;
mod run;
mod scratch;
mod screen;
mod show;
mod story;

#[cfg(test)]
mod tests;

pub use run::run;
