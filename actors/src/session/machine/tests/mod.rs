//! Snapshots: inputs in, effects out.

mod calls;
mod stage;
mod titles;
mod turns;
