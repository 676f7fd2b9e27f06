//! The `Store` port: where journals live.
//!
//! - [`RedbStore`]: one redb file, durable, one writing thread (`redb_store`).
//! - [`MemoryStore`]: gone with the process.
//! - [`PassingStore`]: for `--no-session`: one session in memory, its forks for
//!   good.
//! - `format`: events as bytes, versioned; the only place that knows them.
//! - `rules`: what every store asks of a batch before it takes it.
//! - `contract`: the tests that both stores must pass.
//!
//! Knows nothing of sessions' states, wires or actors: it keeps events in
//! order and gives them back as they were.

mod format;
mod memory;
mod passing;
mod redb_store;
mod rules;

pub use memory::MemoryStore;
pub use passing::PassingStore;
pub use redb_store::{RedbSettings, RedbStore, holder_of};

#[cfg(test)]
mod contract;
