//! The daemon's integration tests, in one binary so that they link once.

// Helpers of tests are tests too, which clippy cannot see in this folder.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr
)]

mod aborts;
mod agents;
mod architecture;
mod audit;
mod bench;
mod binary;
mod clients;
mod crashes;
mod demo;
mod faults;
mod guard;
mod instructions;
mod interleavings;
mod mcp;
mod mock_model;
mod models;
mod providers;
mod readme;
mod seed;
mod started;
mod store_crash;
mod support;
mod transcripts;
