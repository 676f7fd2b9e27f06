//! Group commit: while one transaction is under way, everything that comes in
//! waits and goes together into the next. Before one begins, whatever is ready
//! to run goes first for some rounds: what it records belongs into the same.

use std::collections::BTreeMap;
use std::sync::Arc;

use ractor::{Actor, ActorId, ActorProcessingErr, ActorRef, RpcReplyPort};

use crate::ports::{Batch, Store, StoreError};
use crate::session::SessionMsg;

/// What the journal is told.
pub enum JournalMsg {
    /// Records of a session, in order.
    Append {
        /// What.
        batch: Batch,
        /// The last record of the batch, for the answer.
        record: RecordId,
        /// Who is told when it is durable.
        by: ActorRef<SessionMsg>,
    },
    /// The beginning of a session that no actor runs yet.
    Begin {
        /// What.
        batch: Batch,
        /// Told when it is durable, or why it is not.
        reply: RpcReplyPort<Result<(), StoreError>>,
    },
    /// Answer when everything that came before is durable, or has failed.
    Flush(RpcReplyPort<()>),
    /// Another round for the others before a transaction begins.
    Round,
    /// The transaction under way has ended.
    Committed(Result<(), StoreError>),
}

/// Rounds before a transaction begins: some 20 µs.
const ROUNDS: u32 = 12;

/// A record's place among those of one session's actor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct RecordId {
    /// Grows by one when records failed: later records of the same epoch would
    /// stand behind a hole, so they fail too.
    pub epoch: u32,
    /// From 1.
    pub number: u64,
}

/// The actor.
pub struct JournalActor {
    /// Where it goes.
    pub store: Arc<dyn Store>,
}

/// Who waits for a batch.
enum Waiting {
    /// A session's actor, for this record.
    Session(ActorRef<SessionMsg>, RecordId),
    /// Whoever began a session.
    Beginner(RpcReplyPort<Result<(), StoreError>>),
}

/// The actor's state.
#[derive(Default)]
pub struct State {
    /// Not yet in a transaction. Bounded, because each session waits for its
    /// records before it tells anybody, and clients for their answers.
    queued: Vec<Batch>,
    queued_by: Vec<Waiting>,
    /// A transaction begins after so many rounds; 0 when none is about to.
    rounds: u32,
    /// In the transaction under way; empty when there is none.
    committing: Vec<Waiting>,
    /// Wait for what is queued.
    flushing: Vec<RpcReplyPort<()>>,
    /// Wait for the transaction under way.
    flushing_after: Vec<RpcReplyPort<()>>,
    /// Sessions whose records failed, and in which epoch.
    failed: BTreeMap<ActorId, (u32, StoreError)>,
}

impl Actor for JournalActor {
    type Msg = JournalMsg;
    type State = State;
    type Arguments = ();

    async fn pre_start(
        &self,
        _: ActorRef<JournalMsg>,
        (): (),
    ) -> Result<State, ActorProcessingErr> {
        Ok(State::default())
    }

    async fn handle(
        &self,
        myself: ActorRef<JournalMsg>,
        message: JournalMsg,
        state: &mut State,
    ) -> Result<(), ActorProcessingErr> {
        match message {
            JournalMsg::Append { batch, record, by } => state.append(batch, record, by),
            JournalMsg::Begin { batch, reply } => {
                state.queued.push(batch);
                state.queued_by.push(Waiting::Beginner(reply));
            }
            JournalMsg::Flush(reply) => state.flushing.push(reply),
            JournalMsg::Committed(result) => state.committed(result),
            JournalMsg::Round => {
                state.rounds = state.rounds.saturating_sub(1);
                if state.rounds > 0 {
                    myself.cast(JournalMsg::Round)?;
                } else {
                    self.begin(&myself, state);
                }
                return Ok(());
            }
        }
        if !state.committing.is_empty() || state.rounds > 0 {
            return Ok(());
        }
        if !state.queued.is_empty() {
            state.rounds = ROUNDS;
            myself.cast(JournalMsg::Round)?;
        }
        for reply in state.flushing_now() {
            let _ = reply.send(());
        }
        Ok(())
    }
}

impl JournalActor {
    /// Begins a transaction of all that is queued.
    fn begin(&self, myself: &ActorRef<JournalMsg>, state: &mut State) {
        let batches = std::mem::take(&mut state.queued);
        state.committing = std::mem::take(&mut state.queued_by);
        state.flushing_after = std::mem::take(&mut state.flushing);
        let append = tokio::spawn(self.store.append(batches));
        let journal = myself.clone();
        tokio::spawn(async move {
            let result = append.await.unwrap_or_else(|error| {
                let message = format!("the store failed inside: {error}");
                Err(StoreError { message })
            });
            let _ = journal.cast(JournalMsg::Committed(result));
        });
    }
}

impl State {
    /// Who waits for what is queued, when nothing is.
    fn flushing_now(&mut self) -> Vec<RpcReplyPort<()>> {
        match self.queued.is_empty() {
            true => std::mem::take(&mut self.flushing),
            false => Vec::new(),
        }
    }

    fn append(&mut self, batch: Batch, record: RecordId, by: ActorRef<SessionMsg>) {
        match self.failed.get(&by.get_id()) {
            Some((epoch, error)) if record.epoch <= *epoch => {
                let error = error.clone();
                let _ = by.cast(SessionMsg::RecordFailed { record, error });
                return;
            }
            Some(_) => drop(self.failed.remove(&by.get_id())),
            None => (),
        }
        self.queued.push(batch);
        self.queued_by.push(Waiting::Session(by, record));
    }

    fn committed(&mut self, result: Result<(), StoreError>) {
        for reply in self.flushing_after.drain(..) {
            let _ = reply.send(());
        }
        let waiting = std::mem::take(&mut self.committing);
        let Err(error) = result else {
            for waiting in waiting {
                waiting.recorded();
            }
            return;
        };
        for waiting in waiting {
            match waiting {
                Waiting::Session(session, record) => {
                    self.failed
                        .insert(session.get_id(), (record.epoch, error.clone()));
                    let error = error.clone();
                    let _ = session.cast(SessionMsg::RecordFailed { record, error });
                }
                Waiting::Beginner(reply) => {
                    let _ = reply.send(Err(error.clone()));
                }
            }
        }
        // What these sessions have queued would stand behind the hole.
        let queued = std::mem::take(&mut self.queued);
        let queued_by = std::mem::take(&mut self.queued_by);
        for (batch, waiting) in queued.into_iter().zip(queued_by) {
            match waiting {
                Waiting::Session(session, record) => self.append(batch, record, session),
                Waiting::Beginner(_) => {
                    self.queued.push(batch);
                    self.queued_by.push(waiting);
                }
            }
        }
    }
}

impl Waiting {
    fn recorded(self) {
        match self {
            Waiting::Session(session, record) => {
                let _ = session.cast(SessionMsg::Recorded(record));
            }
            Waiting::Beginner(reply) => {
                let _ = reply.send(Ok(()));
            }
        }
    }
}
