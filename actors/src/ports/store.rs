//! Where journals live.

use std::sync::Arc;

use greenroom_protocol::session::{Event, SessionId, SessionListing, Text};
use thiserror::Error;

use super::Work;

/// Append-only journals, one a session. Only durable events are given to it.
pub trait Store: Send + Sync {
    /// Appends all batches in one durable transaction: all of them or none.
    /// Events of one session come in the order of their `seq`.
    fn append(&self, batches: Vec<Batch>) -> Work<Result<(), StoreError>>;

    /// A session's whole journal, oldest first; nothing when there is none.
    fn load(&self, session: SessionId) -> Work<Result<Option<StoredSession>, StoreError>>;

    /// The next events of a session behind this number, oldest first, as many as
    /// are read at once; none behind the last. For those who must not hold a
    /// whole journal.
    fn page(&self, session: SessionId, after: u64) -> Work<Result<Vec<Event>, StoreError>> {
        let load = self.load(session);
        Box::pin(async move {
            let events = load.await?.map(|stored| stored.events).unwrap_or_default();
            Ok(events
                .into_iter()
                .filter(|event| event.seq > after)
                .collect())
        })
    }

    /// The saved sessions, the latest changed first; of one workspace, or all.
    fn list(&self, root: Option<Text>) -> Work<Result<Vec<SessionListing>, StoreError>>;

    /// Whether a session outlives the process.
    fn is_durable(&self, session: &SessionId) -> bool;
}

/// Events of one session for one transaction.
#[derive(Debug, Clone)]
pub struct Batch {
    /// Whose.
    pub session: SessionId,
    /// In order.
    pub events: Vec<Arc<Event>>,
}

/// A journal as it was found.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredSession {
    /// Oldest first; the first is `Opened`.
    pub events: Vec<Event>,
}

/// Why the store does not do it.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{message}")]
pub struct StoreError {
    /// In words, with the next step.
    pub message: String,
}
