//! Snapshots: inputs in, effects out.

mod budget;
mod calls;
mod stage;
mod summing;
mod titles;
mod turns;
