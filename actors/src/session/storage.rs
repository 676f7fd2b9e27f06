//! How a session records, and what it does when it can't.

use std::sync::Arc;

use greenroom_protocol::session::{AgentOrder, Command, Event, Happening, Refusal, Reply};
use ractor::{ActorProcessingErr, ActorRef};

use super::actor::{SessionActor, State};
use super::clients::Held;
use super::input::{Effect, Input};
use super::load::{Loaded, load};
use super::machine::Session;
use super::messages::SessionMsg;
use crate::journal::{JournalMsg, RecordId};
use crate::outbox::Out;
use crate::ports::{Batch, StoreError};
use crate::subagents::SubagentsMsg;

impl SessionActor {
    /// Sends what must be durable to the journal, before anything of the list
    /// is carried out: all of it, or nothing, will be there after a crash.
    pub(super) fn record(
        &self,
        myself: &ActorRef<SessionMsg>,
        state: &mut State,
        effects: &[Effect],
    ) -> Result<(), ActorProcessingErr> {
        // With a failed journal the end of the turn is told all the same: it
        // says why.
        if state.session.storage_fault().is_some() {
            return Ok(());
        }
        let durable = effects.iter().filter_map(|effect| match effect {
            Effect::Tell(event) if event.happening.is_durable() => Some(event.clone()),
            _ => None,
        });
        let events: Vec<Arc<Event>> = durable.collect();
        if events.is_empty() {
            return Ok(());
        }
        // A checkpoint is for the next process: no client is told of it, so the
        // text behind it need not wait for the disk.
        let is_checkpoint =
            |event: &Arc<Event>| matches!(event.happening, Happening::Checkpoint { .. });
        let number = match events.iter().all(is_checkpoint) {
            true => state.gate.record_aside(events.len()),
            false => state.gate.record(events.len()),
        };
        let record = RecordId {
            epoch: state.epoch,
            number,
        };
        let session = state.settings.id.clone();
        self.journal.cast(JournalMsg::Append {
            batch: Batch { session, events },
            record,
            by: myself.clone(),
        })?;
        Ok(())
    }

    /// The journal can't be written: commands that it was to hold are refused,
    /// and the turn ends. What happened in a turn that clients know of is told
    /// all the same, so that its end makes sense; a turn whose prompt is now
    /// refused never was.
    pub(super) async fn record_failed(
        &self,
        myself: &ActorRef<SessionMsg>,
        state: &mut State,
        error: StoreError,
    ) -> Result<(), ActorProcessingErr> {
        tracing::error!(session = %state.settings.id, %error, "the journal failed");
        state.epoch += 1;
        // The turn ends, and its workers with it.
        state.permits.clear();
        let mut turn_refused = false;
        for held in state.gate.fail() {
            match held {
                Held::To(client, out) => {
                    turn_refused |= starts_turn(&out);
                    let out = refused_by_storage(out, &error);
                    state.release(Held::To(client, out));
                }
                Held::Event(event) if !turn_refused && !runs(&event) => {
                    state.release(Held::Event(event));
                }
                // What was started before is stopped all the same.
                Held::Pool(pool, message) if !matches!(message, SubagentsMsg::Start { .. }) => {
                    state.release(Held::Pool(pool, message));
                }
                Held::Event(_) | Held::Run(..) | Held::Pool(..) => (),
            }
        }
        let failed = Input::StorageFailed {
            reason: error.message.into(),
        };
        let mut effects = state.session.handle(self.ports.clock.now(), failed);
        if turn_refused {
            effects.retain(|effect| !matches!(effect, Effect::Tell(_)));
        }
        self.carry_out(myself, state, effects).await
    }

    /// Reads the journal again, since memory is ahead of it. What clients say
    /// waits meanwhile, in order.
    pub(super) fn reload(
        &self,
        myself: &ActorRef<SessionMsg>,
        state: &mut State,
        said: SessionMsg,
    ) {
        state.waiting.push(said);
        if std::mem::replace(&mut state.reloading, true) {
            return;
        }
        let store = self.ports.store.clone();
        let id = state.settings.id.clone();
        let session = myself.clone();
        tokio::spawn(async move {
            let loaded = load(&*store, &id).await;
            let _ = session.cast(SessionMsg::Reloaded(loaded));
        });
    }

    pub(super) async fn reloaded(
        &self,
        myself: &ActorRef<SessionMsg>,
        state: &mut State,
        result: Result<Option<Loaded>, StoreError>,
    ) -> Result<(), ActorProcessingErr> {
        state.reloading = false;
        let waiting = std::mem::take(&mut state.waiting);
        let loaded = match result {
            Ok(loaded) => loaded,
            Err(error) => return self.not_reloaded(myself, state, waiting, error).await,
        };
        let now = self.ports.clock.now();
        let (mut session, effects) = match loaded {
            // Not even its opening was written.
            None => Session::open(state.settings.clone(), now),
            Some(loaded) => state.session.reread(&loaded, now),
        };
        session.take_over(&mut state.session);
        state.session = session;
        // Clients were told the end of the turn that the journal finds cut.
        for client in state.clients.values_mut() {
            client.since = state.session.seq();
        }
        self.carry_out(myself, state, effects).await?;
        for said in waiting {
            self.said_by_client(myself, state, said).await?;
        }
        Ok(())
    }

    /// The session stays as it is; commands are refused.
    async fn not_reloaded(
        &self,
        myself: &ActorRef<SessionMsg>,
        state: &mut State,
        waiting: Vec<SessionMsg>,
        error: StoreError,
    ) -> Result<(), ActorProcessingErr> {
        tracing::error!(session = %state.settings.id, %error, "the journal can't be read");
        for said in waiting {
            // To stop something, or to look, needs no journal.
            let needs_none = matches!(
                &said,
                SessionMsg::Ask {
                    command: Command::Abort
                        | Command::GetState
                        | Command::Agent {
                            order: AgentOrder::Interrupt,
                            ..
                        },
                    ..
                }
            );
            if needs_none {
                self.said_by_client(myself, state, said).await?;
            } else if let SessionMsg::Ask { by, ticket, .. } = said {
                let outcome = Err(Refusal::Storage(error.message.as_str().into()));
                let at = self.ports.clock.now();
                let out = Out::Answered {
                    ticket,
                    outcome,
                    at,
                };
                state.release(Held::To(by, out));
            } else {
                self.said_by_client(myself, state, said).await?;
            }
        }
        Ok(())
    }
}

/// A call whose start is held does not run.
fn runs(event: &Event) -> bool {
    matches!(event.happening, Happening::CallRunning { .. })
}

fn starts_turn(out: &Out) -> bool {
    let Out::Answered { outcome, .. } = out else {
        return false;
    };
    matches!(outcome, Ok(Reply::Started(_)))
}

/// What was decided on unwritten records is not so; what was only looked at is.
fn refused_by_storage(out: Out, error: &StoreError) -> Out {
    match out {
        Out::Answered {
            ticket,
            outcome: Ok(Reply::Done | Reply::Started(_) | Reply::Queued | Reply::Reset(_)),
            at,
        } => Out::Answered {
            ticket,
            outcome: Err(Refusal::Storage(error.message.as_str().into())),
            at,
        },
        other => other,
    }
}
