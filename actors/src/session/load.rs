//! A session out of the store: its own journal, and of a fork the way through
//! the sessions that it goes on from.

use std::collections::BTreeSet;

use greenroom_protocol::session::{EntryId, Event, Happening, SessionId};

use super::tree::{Node, Tree};
use crate::ports::{Store, StoreError};

/// A session as it was found.
#[derive(Debug, Clone)]
pub struct Loaded {
    /// Its journal, oldest first; the first is `Opened`.
    pub events: Vec<Event>,
    /// The entries before its own, of a fork.
    pub origin: Vec<Node>,
}

impl Loaded {
    /// All entries that it may go on from.
    pub fn tree(&self) -> Tree {
        let mut tree = Tree::of_path(self.origin.clone());
        for event in &self.events {
            tree.take(event);
        }
        tree
    }
}

impl From<Vec<Event>> for Loaded {
    /// A session that is no fork.
    fn from(events: Vec<Event>) -> Loaded {
        let origin = Vec::new();
        Loaded { events, origin }
    }
}

/// Reads a session. Nothing when there is none.
///
/// Fails when the store does, and when a session that it goes on from is gone.
pub async fn load(store: &dyn Store, session: &SessionId) -> Result<Option<Loaded>, StoreError> {
    let Some(stored) = store.load(session.clone()).await? else {
        return Ok(None);
    };
    let mut origins: Vec<(Vec<Event>, EntryId)> = Vec::new();
    let mut seen = BTreeSet::from([session.clone()]);
    let mut next = fork_of(&stored.events);
    while let Some((id, entry)) = next {
        let stored = match store.load(id.clone()).await? {
            Some(stored) if seen.insert(id.clone()) => stored,
            _ => {
                let message = format!(
                    "session {session} goes on from session {id}, which is gone: restore the journal from a copy"
                );
                return Err(StoreError { message });
            }
        };
        next = fork_of(&stored.events);
        origins.push((stored.events, entry));
    }
    let mut origin = Vec::new();
    for (events, entry) in origins.into_iter().rev() {
        origin = Loaded { events, origin }.tree().path(entry);
    }
    Ok(Some(Loaded {
        events: stored.events,
        origin,
    }))
}

fn fork_of(events: &[Event]) -> Option<(SessionId, EntryId)> {
    match &events.first()?.happening {
        Happening::Opened { fork_of, .. } => fork_of.clone(),
        _ => None,
    }
}
