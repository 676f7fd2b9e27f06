//! The one writer: what several sessions record at the same moment becomes one
//! transaction.

mod actor;

pub use actor::{JournalActor, JournalMsg, RecordId};
