//! For `--no-session`: one session in memory, and whatever is forked from it
//! in the journal of this user, which is opened when it is first needed.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use greenroom_actors::ports::{Batch, Store, StoreError, StoredSession, Work};
use greenroom_protocol::session::{Event, Happening, SessionId, SessionListing, Text};
use tokio::sync::OnceCell;

use super::MemoryStore;

/// Opens the journal that lasts.
type Opening = Box<dyn Fn() -> Work<Result<Arc<dyn Store>, StoreError>> + Send + Sync>;

/// A store that keeps one session in memory and all others for good.
///
/// A fork stands on the journal of the session that it goes on from, so the
/// passing session's journal up to the fork is saved with it: without it the
/// fork could not be read by the next process.
#[derive(Clone)]
pub struct PassingStore(Arc<Parts>);

struct Parts {
    passing: SessionId,
    memory: MemoryStore,
    opening: Opening,
    lasting: OnceCell<Arc<dyn Store>>,
    /// The last event of the passing session that was saved for a fork.
    saved: AtomicU64,
}

impl PassingStore {
    /// A store for this session. `opening` is called when another one is
    /// written, read or listed.
    pub fn new(
        passing: SessionId,
        opening: impl Fn() -> Work<Result<Arc<dyn Store>, StoreError>> + Send + Sync + 'static,
    ) -> PassingStore {
        PassingStore(Arc::new(Parts {
            passing,
            memory: MemoryStore::new(),
            opening: Box::new(opening),
            lasting: OnceCell::new(),
            saved: AtomicU64::new(0),
        }))
    }
}

impl Parts {
    /// Whether it is that session, or one of its sub-agents at any depth: their
    /// names begin with its own.
    fn is_passing(&self, session: &SessionId) -> bool {
        let below = session.as_str().strip_prefix(self.passing.as_str());
        below.is_some_and(|below| below.is_empty() || below.starts_with("-a"))
    }

    async fn lasting(&self) -> Result<Arc<dyn Store>, StoreError> {
        let opened = self.lasting.get_or_try_init(|| (self.opening)()).await;
        opened.cloned()
    }

    /// What of the passing session is not saved yet.
    async fn unsaved(&self) -> Result<Vec<Arc<Event>>, StoreError> {
        let stored = self.memory.load(self.passing.clone()).await?;
        let saved = self.saved.load(Ordering::Relaxed);
        let events = stored.map(|stored| stored.events).unwrap_or_default();
        let unsaved = events.into_iter().filter(|event| event.seq > saved);
        Ok(unsaved.map(Arc::new).collect())
    }

    async fn append(&self, batches: Vec<Batch>) -> Result<(), StoreError> {
        let is_passing = |batch: &Batch| self.is_passing(&batch.session);
        let (passing, mut lasting): (Vec<Batch>, Vec<Batch>) =
            batches.into_iter().partition(is_passing);
        if !lasting.is_empty() {
            let store = self.lasting().await?;
            let mut last = None;
            if lasting.iter().any(|batch| self.stands_on_passing(batch)) {
                let events = self.unsaved().await?;
                last = events.last().map(|event| event.seq);
                let session = self.passing.clone();
                lasting.insert(0, Batch { session, events });
            }
            store.append(lasting).await?;
            if let Some(last) = last {
                self.saved.store(last, Ordering::Relaxed);
            }
        }
        self.memory.append(passing).await
    }

    fn stands_on_passing(&self, batch: &Batch) -> bool {
        batch.events.iter().any(|event| {
            matches!(&event.happening, Happening::Opened { fork_of: Some((origin, _)), .. }
                if *origin == self.passing)
        })
    }
}

impl Store for PassingStore {
    fn append(&self, batches: Vec<Batch>) -> Work<Result<(), StoreError>> {
        let parts = self.0.clone();
        Box::pin(async move { parts.append(batches).await })
    }

    fn load(&self, session: SessionId) -> Work<Result<Option<StoredSession>, StoreError>> {
        let parts = self.0.clone();
        Box::pin(async move {
            if parts.is_passing(&session) {
                return parts.memory.load(session).await;
            }
            parts.lasting().await?.load(session).await
        })
    }

    fn page(&self, session: SessionId, after: u64) -> Work<Result<Vec<Event>, StoreError>> {
        let parts = self.0.clone();
        Box::pin(async move {
            if parts.is_passing(&session) {
                return parts.memory.page(session, after).await;
            }
            parts.lasting().await?.page(session, after).await
        })
    }

    /// The passing session is not among the saved ones.
    fn list(&self, root: Option<Text>) -> Work<Result<Vec<SessionListing>, StoreError>> {
        let parts = self.0.clone();
        Box::pin(async move { parts.lasting().await?.list(root).await })
    }

    fn is_durable(&self, session: &SessionId) -> bool {
        !self.0.is_passing(session)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::contract::{batch, event, journal, opened, titled};

    fn store(lasting: &MemoryStore) -> PassingStore {
        let lasting = lasting.clone();
        PassingStore::new(SessionId::new("a"), move || {
            let lasting: Arc<dyn Store> = Arc::new(lasting.clone());
            Box::pin(async move { Ok(lasting) })
        })
    }

    fn forked(from: &str) -> Arc<Event> {
        let Happening::Opened {
            root, mode, model, ..
        } = opened("/w", 9).happening.clone()
        else {
            unreachable!();
        };
        let fork_of = Some((SessionId::new(from), Default::default()));
        let happening = Happening::Opened {
            root,
            mode,
            model,
            fork_of,
            parent: None,
        };
        event(1, 9, happening)
    }

    #[tokio::test]
    async fn what_passes_is_gone_and_a_fork_of_it_is_whole() {
        let lasting = MemoryStore::new();
        let passing = store(&lasting);
        let begun = vec![opened("/w", 1), titled(2, "x")];
        passing.append(vec![batch("a", begun)]).await.unwrap();
        assert_eq!(lasting.load(SessionId::new("a")).await, Ok(None));
        assert_eq!(passing.list(None).await, Ok(Vec::new()));
        assert_eq!(journal(&passing, "a").await.len(), 2);

        passing
            .append(vec![batch("b", vec![forked("a")])])
            .await
            .unwrap();
        assert_eq!(journal(&lasting, "a").await.len(), 2);
        assert_eq!(journal(&lasting, "b").await.len(), 1);

        let more = vec![titled(3, "y")];
        passing.append(vec![batch("a", more)]).await.unwrap();
        assert_eq!(journal(&lasting, "a").await.len(), 2);
        passing
            .append(vec![batch("c", vec![forked("a")])])
            .await
            .unwrap();
        assert_eq!(journal(&lasting, "a").await, journal(&passing, "a").await);
        assert_eq!(passing.list(None).await.unwrap().len(), 3);
    }

    #[tokio::test]
    async fn a_journal_that_cannot_be_opened_is_told_and_tried_again() {
        let passing = PassingStore::new(SessionId::new("a"), || {
            let message = "it is held by process 7".to_owned();
            Box::pin(async move { Err(StoreError { message }) })
        });
        let begun = vec![opened("/w", 1)];
        passing
            .append(vec![batch("a", begun.clone())])
            .await
            .unwrap();
        for _ in 0..2 {
            let refused = passing.append(vec![batch("b", begun.clone())]).await;
            assert_eq!(refused.unwrap_err().message, "it is held by process 7");
            assert!(passing.list(None).await.is_err());
        }
        assert!(!passing.is_durable(&SessionId::new("a")));
        assert!(passing.is_durable(&SessionId::new("b")));
    }
}
