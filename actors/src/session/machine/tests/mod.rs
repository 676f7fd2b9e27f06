//! Snapshots: inputs in, effects out.

mod calls;
mod stage;
mod summing;
mod titles;
mod turns;
