//! What takes its time beside turns, as the store would do it: the journal
//! read, a fork begun, titles, lists, exports.

use std::sync::Arc;

use greenroom_actors::limits::Limits;
use greenroom_actors::ports::{ExportFault, ModelError, ModelFacts};
use greenroom_actors::session::{Effect, Input, Loaded, Session, Settings};
use greenroom_actors::testing;
use greenroom_protocol::session::{
    EntryId, Event, FailureKind, Happening, ModelChange, ModelChoice, SubscriberId, Ticket,
};
use proptest::prelude::*;

use crate::world::World;

/// What a session waits for beside its turns.
#[derive(Debug, Clone, Copy)]
pub enum Beside {
    Tree,
    Fork,
    List(Ticket),
    Export(Ticket),
    Title,
}

/// A session whose title a model writes, and whose model has so little room that
/// turns sum up.
pub fn settings(name: &str) -> Settings {
    let facts = |choice: &ModelChoice| {
        (&*choice.provider == "scripted").then(|| ModelFacts {
            id: choice.model.clone(),
            context_window: Some(16),
            images: true,
            prices: None,
        })
    };
    Settings {
        title_model: Some(ModelChange::default()),
        facts: Arc::new(facts),
        limits: Limits {
            steps: 4,
            asks_to_raise: true,
            ..Limits::default()
        },
        ..testing::settings(name)
    }
}

impl World {
    /// One of the entries that there ever were, and one that never was.
    pub fn entry(&self, which: usize) -> EntryId {
        let told = self
            .journal
            .iter()
            .filter_map(|event| match &event.happening {
                Happening::UserMessage { entry, .. }
                | Happening::MessageEnded { entry, .. }
                | Happening::BatchEnded { entry } => Some(*entry),
                Happening::CompactionEnded { compacted, .. } => {
                    compacted.as_ref().map(|it| it.entry)
                }
                _ => None,
            });
        let mut entries: Vec<EntryId> = told.collect();
        entries.push(EntryId(999));
        entries.push(EntryId(1));
        entries[which % entries.len()]
    }

    /// All that the store has of the session.
    pub fn loaded(&self) -> Loaded {
        Loaded {
            events: self.journal.clone(),
            origin: self.origin.clone(),
        }
    }

    pub fn returns(&mut self, ok: bool) -> Option<Input> {
        let by = SubscriberId(1);
        Some(match self.beside.pop_front()? {
            Beside::Tree => Input::TreeRead {
                tree: match ok {
                    true => Ok(Box::new(self.loaded().tree())),
                    false => Err("the disk is gone".into()),
                },
                fresh: Box::new(settings(&format!("F{}", self.forks + 1))),
            },
            Beside::Fork if ok => Input::ForkRecorded(Ok(())),
            Beside::Fork => Input::ForkRecorded(Err("the disk is full".into())),
            Beside::Title => Input::TitleWritten(Box::new(match ok {
                true => Ok(testing::answer("Parser repair")),
                false => Err(ModelError::passing(
                    FailureKind::Overloaded,
                    "too much to do",
                )),
            })),
            Beside::List(ticket) => Input::Listed {
                by,
                ticket,
                result: Ok(Vec::new()),
            },
            Beside::Export(ticket) => Input::Exported {
                by,
                ticket,
                result: Err(ExportFault("no such folder".into())),
            },
        })
    }

    /// The client goes on in the fork: the world is that session's now.
    pub fn enter(&mut self, fork: &Session, effects: &[Effect]) -> Result<(), TestCaseError> {
        let told = effects.iter().filter_map(|effect| match effect {
            Effect::Tell(event) => Some((**event).clone()),
            _ => None,
        });
        let journal: Vec<Event> = told.collect();
        let from = journal.iter().find_map(|event| match &event.happening {
            Happening::Opened { fork_of, .. } => fork_of.clone(),
            _ => None,
        });
        let (_, from) = from.expect("a fork tells what it goes on from");
        self.origin = self.loaded().tree().path(from);
        self.last_seq = journal.last().map_or(0, |event| event.seq);
        self.journal = journal;
        self.forks += 1;
        // Calls are numbered on from the fork's way: another branch's numbers
        // come again.
        self.told.clear();
        self.ended.clear();
        prop_assert!(fork.is_idle());
        prop_assert_eq!(fork.conversation(), self.loaded().tree().conversation());
        Ok(())
    }
}
