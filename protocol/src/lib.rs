//! Greenroom's vocabulary and the wires that carry it. Everything here is pure.
//!
//! - [`session`] is the one vocabulary: what may be asked of a session, what it
//!   answers, what happens in it. It knows no JSON and no wire's words.
//! - [`wire`] is framing that several dialects share: bytes to lines, JSON
//!   objects read field by field.
//! - [`dialect`] is one folder a wire language: frames to vocabulary and back.
//!
//! Deliberately absent: tasks, files, sockets, clocks, randomness. A test
//! (`tests/it/architecture/`) holds this.

pub mod dialect;
pub mod session;
pub mod wire;
