//! Where an export reads from.

use std::ops::ControlFlow;

use greenroom_protocol::session::{EntryId, Event, SessionId};

/// Journals to read from, one event after another, never a whole one in memory.
pub trait Journals {
    /// The sessions of one tree: each stands behind the one that it goes on
    /// from. With `all` the forks of all of them, else only the way to this one.
    fn family(&self, of: &SessionId, all: bool) -> Result<Vec<Member>, String>;

    /// Gives each event in order, until the visitor breaks off.
    fn read(
        &self,
        session: &SessionId,
        visit: &mut dyn FnMut(Event) -> ControlFlow<()>,
    ) -> Result<(), String>;
}

/// A session of a tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    /// Its name.
    pub id: SessionId,
    /// What it goes on from.
    pub fork_of: Option<(SessionId, EntryId)>,
}
