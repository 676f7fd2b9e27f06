//! Connections: bytes in and out, a dialect between, one session behind.
//!
//! It knows the wires and the tree's outer surface, and nothing of providers,
//! tools or the store.

mod asked;
mod connection;
mod exit;
mod incoming;
mod outgoing;
mod preparing;
pub mod stdio;

pub use connection::{Connection, Limits, Stop};
pub use exit::Exit;
