//! Patterns of rules, each with two ways to match.
//!
//! *Loose* is for deny and ask: it suspects (any case, any spelling, clusters
//! and abbreviations of options). *Strict* is for allow: it wants proof. What a
//! strict match covers, a loose match of the same pattern covers too.
//!
//! It must not know rules, modes or the disk.

mod argv;
mod name;
mod option;
mod path;
mod place;
mod web;

pub use argv::{ShellPattern, Token};
pub use name::NamePattern;
pub use path::PathPattern;
pub use place::{Ground, Place, Trail};
pub use web::{Address, WebPattern};

pub(in crate::guard) use argv::base_name;
pub(in crate::guard) use path::{GLOB, may_stand_for};

#[cfg(test)]
mod tests;
