//! The binary as a process: exit codes, signals, pipes of every kind.
//!
//! What is said over the wire is the transcripts' matter; here it is what the
//! system sees, and input that no text file can hold.

mod exits;
mod input;
mod jobs;
mod lines;
mod logs;
mod orphans;
mod output;
mod outputs;
mod pictures;
mod sessions;
mod signals;
