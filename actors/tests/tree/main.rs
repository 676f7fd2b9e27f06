//! The tree on a clock that only moves when everybody waits: deadlines,
//! retries, panics, restarts, a journal that fails.

mod client;
mod restarts;
mod storage;
mod turns;
