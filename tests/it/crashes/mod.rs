//! What must survive: kill -9 at any moment, and a disk that is full.

mod compaction;
mod full_disk;
pub mod journal;
mod kill;
mod known;
