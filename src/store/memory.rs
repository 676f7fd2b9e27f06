//! Journals in memory: for `--no-session` and for tests.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use greenroom_actors::ports::{Batch, Store, StoreError, StoredSession, Work, listing};
use greenroom_protocol::session::{Event, SessionId, SessionListing, Text};

use super::rules;

/// A store that is gone with the process. Clones share it. It asks of a batch
/// what the durable store asks, and takes all of an `append` or nothing.
#[derive(Clone, Default)]
pub struct MemoryStore {
    journals: Arc<Mutex<Journals>>,
}

type Journals = HashMap<SessionId, Vec<Arc<Event>>>;

impl MemoryStore {
    /// An empty store.
    pub fn new() -> MemoryStore {
        MemoryStore::default()
    }

    /// Nothing between two statements of a holder can fail half-way, so that a
    /// holder's panic leaves the journals whole.
    fn journals(&self) -> MutexGuard<'_, Journals> {
        self.journals.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Store for MemoryStore {
    fn append(&self, batches: Vec<Batch>) -> Work<Result<(), StoreError>> {
        let store = self.clone();
        Box::pin(async move {
            let mut journals = store.journals();
            check_all(&journals, &batches)?;
            for batch in batches.into_iter().filter(|batch| !batch.events.is_empty()) {
                let journal = journals.entry(batch.session).or_default();
                journal.extend(batch.events);
            }
            Ok(())
        })
    }

    fn load(&self, session: SessionId) -> Work<Result<Option<StoredSession>, StoreError>> {
        let store = self.clone();
        Box::pin(async move {
            let journals = store.journals();
            let stored = journals.get(&session).map(|journal| StoredSession {
                events: journal.iter().map(|event| event.as_ref().clone()).collect(),
            });
            Ok(stored)
        })
    }

    fn list(&self, root: Option<Text>) -> Work<Result<Vec<SessionListing>, StoreError>> {
        let store = self.clone();
        Box::pin(async move {
            let mut listings = Vec::new();
            for (id, journal) in store.journals().iter() {
                let Some(listing) = listing::of(id, journal.iter().map(AsRef::as_ref)) else {
                    continue;
                };
                if root.as_ref().is_none_or(|root| *root == listing.root) {
                    listings.push(listing);
                }
            }
            listing::latest_first(&mut listings);
            Ok(listings)
        })
    }

    fn is_durable(&self, _: &SessionId) -> bool {
        false
    }
}

fn check_all(journals: &Journals, batches: &[Batch]) -> Result<(), StoreError> {
    let mut lasts: HashMap<&SessionId, u64> = HashMap::new();
    for batch in batches {
        let stored = || {
            let last = journals
                .get(&batch.session)
                .and_then(|events| events.last());
            last.map_or(0, |event| event.seq)
        };
        let last = lasts.entry(&batch.session).or_insert_with(stored);
        for event in &batch.events {
            rules::check_next(&batch.session, *last, event)?;
            *last = event.seq;
        }
    }
    Ok(())
}
