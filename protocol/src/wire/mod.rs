//! Framing that several dialects share. It knows no dialect.

mod frames;

pub use frames::Frames;
