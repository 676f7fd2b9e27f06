//! Going on from an old entry: in a fork, which is a session of its own, or
//! here, with the head moved back. The entry is looked for in the journal; a
//! session keeps no more of it than the model reads.

use greenroom_protocol::session::{
    AbortedBy, Content, EntryId, Happening, Opening, Refusal, Reply, SessionId, Source,
    SubscriberId, Text, Ticket,
};

use super::core::Core;
use super::estimate;
use super::input::Effect;
use super::machine::Session;
use super::settings::Settings;
use super::tree::Tree;
use super::work::Work;

/// A move under way.
#[derive(Debug)]
pub(super) struct Move {
    by: SubscriberId,
    ticket: Ticket,
    kind: Kind,
}

#[derive(Debug)]
enum Kind {
    /// The client goes on in a new session.
    Fork(Option<EntryId>),
    /// The head of this one moves back.
    Rewind(EntryId),
}

impl Session {
    pub(super) fn fork(&mut self, by: SubscriberId, ticket: Ticket, from: Option<EntryId>) {
        self.look_for(by, ticket, Kind::Fork(from));
    }

    pub(super) fn rewind(&mut self, by: SubscriberId, ticket: Ticket, to: EntryId) {
        self.look_for(by, ticket, Kind::Rewind(to));
    }

    fn look_for(&mut self, by: SubscriberId, ticket: Ticket, kind: Kind) {
        self.work = Some(Work::Move(Move { by, ticket, kind }));
        self.core.out.push(Effect::ReadTree);
    }

    /// The journal was read. `fresh` is what a fork would be opened with.
    pub(super) fn tree_read(&mut self, read: Result<Tree, Text>, fresh: Settings) {
        let Some(Work::Move(moving)) = self.work.take() else {
            return;
        };
        let (by, ticket) = (moving.by, moving.ticket);
        let moved = match (read, &moving.kind) {
            (Err(reason), _) => Err(Refusal::Storage(reason)),
            (Ok(tree), Kind::Rewind(to)) => self.rewound(&tree, *to),
            (Ok(tree), Kind::Fork(from)) => match self.forked(&tree, *from, fresh) {
                Ok(()) => {
                    // Answered in the fork, once that is durable.
                    self.work = Some(Work::Move(moving));
                    return;
                }
                Err(refusal) => Err(refusal),
            },
        };
        self.core.answer(by, ticket, moved.map(|()| Reply::Done));
        self.let_leave();
    }

    fn rewound(&mut self, tree: &Tree, to: EntryId) -> Result<(), Refusal> {
        let to = tree.settled(to).ok_or(Refusal::NoSuchEntry(to))?;
        let core = &mut self.core;
        let conversation = tree.conversation_to(to);
        core.context = estimate::tokens(&conversation);
        core.conversation = conversation.into();
        core.tell(Happening::Rewound { to });
        Ok(())
    }

    fn forked(
        &mut self,
        tree: &Tree,
        from: Option<EntryId>,
        settings: Settings,
    ) -> Result<(), Refusal> {
        let from = match from {
            Some(from) => Some(tree.settled(from).ok_or(Refusal::NoSuchEntry(from))?),
            None => tree.head(),
        };
        // They work for who goes away then. Their ends must be told before that.
        self.stop_all_agents(AbortedBy::Close);
        let (session, effects) = Session::fork_of(&self.core, tree, from, settings);
        let session = Box::new(session);
        self.core.out.push(Effect::RecordFork { session, effects });
        Ok(())
    }

    /// The fork is in the journal, or could not be written there.
    pub(super) fn fork_recorded(&mut self, recorded: Result<(), Text>) {
        let Some(Work::Move(moving)) = self.work.take() else {
            return;
        };
        let (by, ticket) = (moving.by, moving.ticket);
        match recorded {
            Ok(()) => {
                // What waited goes along.
                self.core.drop_queue();
                self.leaving.retain(|client| *client != by);
                let client = by;
                self.core.out.push(Effect::HandOver { client, ticket });
            }
            Err(reason) => self.core.answer(by, ticket, Err(Refusal::Storage(reason))),
        }
        self.let_leave();
    }

    /// A new session that goes on from an entry of this one's tree, with this
    /// one's mode, model, plan, grants and waiting messages. The effects tell
    /// its beginning.
    fn fork_of(
        old: &Core,
        tree: &Tree,
        from: Option<EntryId>,
        settings: Settings,
    ) -> (Session, Vec<Effect>) {
        let mut core = Core::new(settings, old.now);
        core.mode = old.mode.clone();
        core.model = old.model.clone();
        core.approvals = old.approvals.grants();
        // From nothing, when the conversation is empty.
        let entry = from.unwrap_or_default();
        core.fork_of = Some((old.settings.id.clone(), entry));
        let path = tree.path(entry);
        core.counters.entry = entry.0;
        core.counters.call = Tree::last_call(&path);
        core.conversation = tree.conversation_to(entry).into();
        core.context = estimate::tokens(&core.conversation);
        core.tell(Happening::Opened {
            root: core.settings.root.to_string_lossy().into(),
            mode: core.mode.clone(),
            model: core.model.clone(),
            fork_of: core.fork_of.clone(),
            parent: None,
        });
        if !old.title.is_empty() {
            core.title = old.title.clone();
            let title = core.title.clone();
            core.tell(Happening::Titled { title });
        }
        if !old.plan.is_empty() {
            core.plan = old.plan.clone();
            let items = core.plan.clone();
            core.tell(Happening::PlanChanged { items });
        }
        for (content, source) in old.queue.waiting() {
            core.wait(content, source);
        }
        let effects = std::mem::take(&mut core.out);
        (Session::with_core(core, Opening::New), effects)
    }
}

impl Core {
    /// Puts a message into the queue, and tells so.
    pub(super) fn wait(&mut self, content: Content, source: Source) {
        match source {
            Source::Steer => self.queue.push_steer(content.clone()),
            _ => self.queue.push_follow_up(content.clone()),
        }
        let sizes = self.queue.sizes();
        self.tell(Happening::Queued {
            content,
            source,
            sizes,
        });
    }
}

/// The session and the entry that one goes on from.
pub(super) type ForkOf = Option<(SessionId, EntryId)>;
