//! The supervised tree that runs sessions.
//!
//! Decisions are made in `machine` files: plain values that take an input and
//! return effects. They know no actor, no task and no clock. `actor` files
//! carry the effects out, in order. The outside world is reached through the
//! traits in [`ports`].
//!
//! Deliberately absent: JSON, dialects, files, the network, the time of day. A
//! test (`tests/it/architecture.rs`) holds this.

pub mod ports;
