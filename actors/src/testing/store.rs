//! A store in memory that fails, or takes its time, when it is told to.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use greenroom_protocol::session::{Event, SessionId, SessionListing, Text};

use crate::ports::{Batch, Store, StoreError, StoredSession, Work, listing};

/// Journals in memory.
#[derive(Debug, Default)]
pub struct MemoryStore {
    journals: Mutex<BTreeMap<SessionId, Vec<Event>>>,
    broken: AtomicBool,
    delay_ms: AtomicU64,
}

impl MemoryStore {
    /// From now on appends fail, or succeed again.
    pub fn set_broken(&self, broken: bool) {
        self.broken.store(broken, Ordering::Relaxed);
    }

    /// From now on an append takes so long.
    pub fn set_slow(&self, delay: Duration) {
        let delay_ms = u64::try_from(delay.as_millis()).unwrap_or(u64::MAX);
        self.delay_ms.store(delay_ms, Ordering::Relaxed);
    }

    /// A session's journal as it is.
    pub fn journal(&self, session: &SessionId) -> Vec<Event> {
        let journals = self.journals.lock().unwrap_or_else(PoisonError::into_inner);
        journals.get(session).cloned().unwrap_or_default()
    }
}

impl Store for MemoryStore {
    fn append(&self, batches: Vec<Batch>) -> Work<Result<(), StoreError>> {
        if self.broken.load(Ordering::Relaxed) {
            let message = "no space left; free some".to_owned();
            return Box::pin(async { Err(StoreError { message }) });
        }
        let mut journals = self.journals.lock().unwrap_or_else(PoisonError::into_inner);
        for batch in batches {
            let journal = journals.entry(batch.session).or_default();
            journal.extend(batch.events.iter().map(|event| (**event).clone()));
        }
        let delay = Duration::from_millis(self.delay_ms.load(Ordering::Relaxed));
        Box::pin(async move {
            tokio::time::sleep(delay).await;
            Ok(())
        })
    }

    fn load(&self, session: SessionId) -> Work<Result<Option<StoredSession>, StoreError>> {
        let journals = self.journals.lock().unwrap_or_else(PoisonError::into_inner);
        let events = journals.get(&session).cloned();
        Box::pin(async { Ok(events.map(|events| StoredSession { events })) })
    }

    fn list(&self, root: Option<Text>) -> Work<Result<Vec<SessionListing>, StoreError>> {
        let journals = self.journals.lock().unwrap_or_else(PoisonError::into_inner);
        let listings = journals
            .iter()
            .filter_map(|(id, journal)| listing::of(id, journal));
        let of_root = |it: &SessionListing| root.as_ref().is_none_or(|root| *root == it.root);
        let mut listings: Vec<SessionListing> = listings.filter(of_root).collect();
        listing::latest_first(&mut listings);
        Box::pin(async { Ok(listings) })
    }

    fn is_durable(&self, _: &SessionId) -> bool {
        false
    }
}
