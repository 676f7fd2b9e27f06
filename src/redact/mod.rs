//! Taking secrets out of text: those that the process knows, and whatever is
//! shaped like one.
//!
//! - [`Known`]: values that the process knows; `spelling` and `needles` find
//!   them in every spelling.
//! - `shapes`: what secrets look like; `shape_finder` looks for it.
//! - [`Redactor`]: finds both and puts marks there; `view` looks through colour
//!   codes and escapes, `json` through a document's.
//! - [`Tally`]: what was taken out, by kind.
//!
//! Whoever writes text out gives it here as a reader would see it, joined and
//! decoded, before any escapes of its own. Knows no file and no session.

mod entropy;
mod json;
mod known;
mod mark;
mod needles;
mod places;
mod redactor;
mod shape_finder;
mod shapes;
mod spelling;
mod tally;
mod view;

pub use known::{Known, from_environment};
pub use redactor::Redactor;
pub use tally::Tally;

#[cfg(test)]
mod tests;
