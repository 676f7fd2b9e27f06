//! How often a child may be started anew, and the worker that does one job.

mod intensity;
mod worker;

pub use intensity::Intensity;
pub use worker::{Job, Worker};
