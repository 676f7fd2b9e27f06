//! Journals in one redb file.
//!
//! - `store`: [`RedbStore`], the port; opening.
//! - `disk`: the file: made private, opened, forgotten after a failed write.
//! - `lock`: one process at a time, and who it is.
//! - `schema`: the tables. `append`, `listed`, `read` and `blobs`: what is done
//!   to them.
//! - `shared`: the open database between the writer and the readers.
//! - `writer`: the one thread that writes: commits, seals, recovers.
//! - `fault`: what the database says, in words with a next step.
//!
//! Why it is laid out so stands in `docs/decisions/0002-journal-layout.md`.

mod store;

mod append;
mod blobs;
mod disk;
mod fault;
mod listed;
mod lock;
mod read;
mod schema;
mod shared;
mod writer;

pub use lock::holder_of;
pub use store::{RedbSettings, RedbStore};

#[cfg(test)]
mod flaky_disk;
#[cfg(test)]
mod tests;
