//! The audit trail: each decision about a call, out of the journals, for
//! operators.
//!
//! - [`record`]: one decision, whole; [`by`]: who or what settled it.
//! - [`trail`]: the events of a session become its decisions, one by one.
//! - [`wanted`] and [`when`]: which of them are shown; [`latest`] keeps so many.
//! - [`lines`] for people, [`json`] for programs.
//!
//! Pure: it opens nothing, prints nothing and knows no store.

mod by;
mod json;
mod latest;
mod lines;
mod record;
mod trail;
mod wanted;
mod when;

pub use by::By;
pub use json::json_line;
pub use latest::Latest;
pub use lines::Lines;
pub use record::{Record, Verdict};
pub use trail::Trail;
pub use wanted::Wanted;
pub use when::When;

#[cfg(test)]
mod tests;
