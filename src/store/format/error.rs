//! Why bytes are no event, or an event no bytes.

use thiserror::Error;

use super::BlobId;

/// What is wrong with a record. Says nothing of its content, which may be
/// private.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub(in crate::store) enum FormatError {
    /// An event that lives in memory only.
    #[error("{0} is not durable and has no stored form")]
    NotDurable(&'static str),
    /// Written by a later build, or not by us.
    #[error(
        "it has format version {0} and this build reads versions up to 1: open it with the build that wrote it, or a later one"
    )]
    UnknownVersion(u8),
    /// The bytes are not what was written.
    #[error("it is damaged ({0}): restore the journal from a copy, or move it away to begin anew")]
    Damaged(String),
    /// A large value that a record refers to is not there or not whole.
    #[error(
        "its large value {id} {fault}: restore the journal from a copy, or move it away to begin anew"
    )]
    Blob {
        /// Which.
        id: BlobId,
        /// What is wrong with it.
        fault: &'static str,
    },
    /// The storage under the large values failed.
    #[error("{0}")]
    Storage(String),
}

impl FormatError {
    /// A record that serde could not read. Only the place is told.
    pub(super) fn unreadable(error: &serde_json::Error) -> FormatError {
        FormatError::Damaged(format!("no event at byte {}", error.column()))
    }
}
