//! Taking secrets out of text: those that the process knows, and whatever is
//! shaped like one.
//!
//! - [`Known`]: values that the process knows, in every spelling.
//! - `shapes`: what secrets look like.
//! - [`Redactor`]: finds both; `plain` looks through colour codes, `json`
//!   through a document's escapes.
//! - [`Tally`]: what was taken out, by kind.
//!
//! Whoever writes text out gives it here as a reader would see it, joined and
//! decoded, before any escapes of its own. Knows no file and no session.

mod json;
mod known;
mod plain;
mod redactor;
mod shapes;
mod tally;

pub use known::{Known, from_environment};
pub use redactor::Redactor;
pub use tally::Tally;

#[cfg(test)]
mod tests;
