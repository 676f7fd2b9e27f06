//! Journals in one redb file.
//!
//! - `store`: [`RedbStore`], the port; opening.
//! - `disk`: the files: made private, opened, forgotten after a failed write.
//! - `lock`: one process at a time, and who it is.
//! - `schema`: the tables. `append`, `listed`, `read` and `blobs`: what is done
//!   to them.
//! - `shared`: the open database between the writer and the readers.
//! - `writer`: the one thread that writes. `keeper`: what it does with appends:
//!   the log ahead, checkpoints, seals. `commit`: its transactions. `recovery`:
//!   opening, and opening anew after a failure.
//! - `ahead`: the log ahead of the database. `frame`: what stands in it.
//! - `fault`: what the database says, in words with a next step.
//!
//! Why it is laid out so stands in `docs/decisions/0002-journal-layout.md`
//! and `0003-log-ahead.md`.

mod store;

mod ahead;
mod append;
mod blobs;
mod commit;
mod disk;
mod fault;
mod frame;
mod keeper;
mod listed;
mod lock;
mod read;
mod recovery;
mod schema;
mod shared;
mod writer;

pub use lock::holder_of;
pub use store::{RedbSettings, RedbStore};

#[cfg(test)]
mod flaky_disk;
#[cfg(test)]
mod tests;
