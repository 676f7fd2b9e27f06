//! Which entry follows which: the first pass over the journals.

use std::collections::{BTreeMap, BTreeSet};

use greenroom_protocol::session::{EntryId, Event, Happening, SessionId};

use super::journals::Member;

/// An entry's name in a tree of sessions: the session's place in the family,
/// and its own number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Id {
    pub member: usize,
    pub entry: EntryId,
}

impl Id {
    /// `7`, and of a fork `2.7`: unique in a file, fit for a link.
    pub fn text(self) -> String {
        match self.member {
            0 => self.entry.to_string(),
            member => format!("{}.{}", member + 1, self.entry),
        }
    }
}

/// All entries of a family, by their parents.
#[derive(Debug, Default)]
pub(super) struct Tree {
    parents: BTreeMap<Id, Option<Id>>,
    /// Where each session's conversation ends.
    heads: Vec<Option<Id>>,
    /// What each session goes on from.
    origins: Vec<Option<Id>>,
}

impl Tree {
    /// A session follows, whose events come next.
    pub fn begin(&mut self, family: &[Member], member: &Member) {
        let origin = member.fork_of.as_ref().and_then(|(session, entry)| {
            let at = family.iter().position(|it| it.id == *session)?;
            self.resolve(at, *entry)
        });
        self.origins.push(origin);
        self.heads.push(origin);
    }

    /// The next event of the session that was begun last.
    pub fn take(&mut self, event: &Event) {
        let Some(member) = self.heads.len().checked_sub(1) else {
            return;
        };
        let head = match &event.happening {
            Happening::ConversationReset => None,
            Happening::Rewound { to } => self.resolve(member, *to),
            other => {
                let Some(entry) = entry_of(other) else {
                    return;
                };
                let id = Id { member, entry };
                let parent = self.heads.last().copied().flatten();
                self.parents.insert(id, parent);
                Some(id)
            }
        };
        if let Some(last) = self.heads.last_mut() {
            *last = head;
        }
    }

    /// The entry that a session calls so: its own, or one that it inherited.
    fn resolve(&self, member: usize, entry: EntryId) -> Option<Id> {
        let id = Id { member, entry };
        if self.parents.contains_key(&id) {
            return Some(id);
        }
        let origin = self.origins.get(member).copied().flatten()?;
        // A session stands behind the one that it goes on from.
        match origin.member < member && entry <= origin.entry {
            true => self.resolve(origin.member, entry),
            false => None,
        }
    }

    pub fn parent(&self, id: Id) -> Option<Id> {
        self.parents.get(&id).copied().flatten()
    }

    pub fn len(&self) -> usize {
        self.parents.len()
    }

    /// The way to where a session's conversation ends.
    pub fn path(&self, member: usize) -> BTreeSet<Id> {
        let mut path = BTreeSet::new();
        let mut at = self.heads.get(member).copied().flatten();
        while let Some(id) = at
            && path.insert(id)
        {
            at = self.parent(id);
        }
        path
    }
}

/// The entry that an event makes.
pub(super) fn entry_of(happening: &Happening) -> Option<EntryId> {
    match happening {
        Happening::UserMessage { entry, .. }
        | Happening::MessageEnded { entry, .. }
        | Happening::BatchEnded { entry } => Some(*entry),
        Happening::CompactionEnded { compacted, .. } => compacted.as_ref().map(|it| it.entry),
        _ => None,
    }
}

/// A session's place in its family.
pub(super) fn place_of(family: &[Member], session: &SessionId) -> Option<usize> {
    family.iter().position(|member| member.id == *session)
}
