//! Snapshots: inputs in, effects out.

mod calls;
mod stage;
mod turns;
