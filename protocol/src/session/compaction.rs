//! Compaction: a summary in place of what it sums up.

use super::{EntryId, Text};

/// Who or what wanted a compaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CompactionReason {
    /// A client asked for it.
    Manual,
    /// The conversation came near the model's window.
    Threshold,
    /// The provider found the conversation too long.
    Overflow,
}

impl CompactionReason {
    /// The name that wires use.
    pub const fn name(self) -> &'static str {
        match self {
            CompactionReason::Manual => "manual",
            CompactionReason::Threshold => "threshold",
            CompactionReason::Overflow => "overflow",
        }
    }
}

/// What the model reads from now on: the summary, then every entry from
/// `keeps_from` to the one before the summary, word for word, then what
/// follows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Compacted {
    /// The summary's entry. Its parent is the head that was summed up.
    pub entry: EntryId,
    /// What the model wrote.
    pub summary: Text,
    /// The first entry that is kept word for word; nothing when none is.
    pub keeps_from: Option<EntryId>,
}
