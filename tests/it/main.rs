//! The daemon's integration tests, in one binary so that they link once.

// Helpers of tests are tests too, which clippy cannot see in this folder.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod clients;
mod demo;
mod mock_model;
mod providers;
mod started;
mod store_crash;
