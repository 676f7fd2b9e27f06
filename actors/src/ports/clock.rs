//! Time of day and new names. Durations are tokio's matter, so that a paused
//! clock governs them in tests.

use greenroom_protocol::session::{Millis, SessionId};

/// Tells the time of day.
pub trait Clock: Send + Sync {
    /// Now, UTC. May jump; whoever needs order clamps it.
    fn now(&self) -> Millis;
}

/// Makes names that no other process makes.
pub trait Ids: Send + Sync {
    /// A new session's name, `YYYYMMDD-HHMMSS-xxxxxx`.
    fn session(&self) -> SessionId;
}
