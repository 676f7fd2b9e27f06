//! The tree on a clock that only moves when everybody waits: deadlines,
//! retries, panics, restarts, a journal that fails.

// Helpers of tests are tests too, which clippy cannot see in this folder.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod agents;
mod client;
mod judging;
mod restarts;
mod storage;
mod turns;
