//! How often a child may be started anew, and the worker that does one job.

mod in_flight;
mod intensity;
mod worker;

pub use in_flight::InFlight;
pub use intensity::Intensity;
pub use worker::{Job, Worker};
