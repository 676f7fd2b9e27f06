//! The root of the tree: starts the rest in order and ends it in reverse.

mod actor;

pub use actor::{Root, RootActor};
