//! The daemon's integration tests, in one binary so that they link once.

// Helpers of tests are tests too, which clippy cannot see in this folder.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr
)]

mod aborts;
mod architecture;
mod binary;
mod crashes;
mod faults;
mod interleavings;
mod mock_model;
mod providers;
mod seed;
mod store_crash;
mod support;
mod transcripts;
