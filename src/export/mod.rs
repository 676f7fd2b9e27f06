//! A session as a file to read, to keep, or to go on with: one page for a
//! browser, Markdown, or JSON lines.
//!
//! - [`journals`]: where events are read from, one after another.
//! - `tree`: the first pass: which entry follows which.
//! - `story`: the second pass: entries with all that belongs to them, secrets
//!   taken out, in the order in which they were told.
//! - `html`, `markdown`, `json_lines`: how a story is written.
//! - `place` and `file`: where to, and so that nothing is half-written and
//!   nothing silently replaced.
//!
//! Memory is bounded by the largest entry and the tree, whatever the session
//! weighs. Blocks its thread; knows no store and no wire.

mod file;
mod html;
mod job;
mod journals;
mod json_lines;
mod markdown;
mod place;
mod redacting;
mod story;
mod tree;
mod words;

pub use job::{Export, ExportError, Written, write};
pub use journals::{Journals, Member};
pub use place::Places;

#[cfg(test)]
mod tests;
