//! The supervised tree that runs sessions.
//!
//! ```text
//! ROOT                starts the rest in order, ends it in reverse
//! ├─ journal          one writer, group commit
//! └─ SESSIONS         id → live session; restarts within a limit
//!     └─ SESSION      sequencer: decides, numbers, records, tells
//!         ├─ TURN     supervises the running model call
//!         ├─ APPROVALS  has calls planned and judged
//!         ├─ TOOLS    one worker a call in flight
//!         └─ SUBAGENTS  one watcher a child session
//! ```
//!
//! Decisions are made in `machine` files: plain values that take an input and
//! return effects. They know no actor, no task and no clock. `actor` files
//! carry the effects out, in order. The outside world is reached through the
//! traits in [`ports`].
//!
//! Deliberately absent: JSON, dialects, files, the network, the time of day. A
//! test (`tests/it/architecture/`) holds this.

pub mod approvals;
pub mod journal;
pub mod limits;
pub mod modes;
pub mod outbox;
pub mod ports;
pub mod root;
pub mod session;
pub mod sessions;
pub mod subagents;
pub mod supervision;
#[cfg(feature = "testing")]
pub mod testing;
pub mod tools;
pub mod turn;
