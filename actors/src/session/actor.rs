//! Carries out what a session decides, in order.

use std::collections::BTreeMap;
use std::sync::Arc;

use greenroom_protocol::session::{
    AbortedBy, Command, Event, Interruption, Refusal, Reply, SubscriberId, Ticket,
};
use ractor::{Actor, ActorProcessingErr, ActorRef, SupervisionEvent};
use tokio::task::JoinSet;

use super::gate::Gate;
use super::input::{Effect, Input};
use super::machine::Session;
use super::reports::Permit;
use super::settings::Settings;
use super::turn_actors::TurnActors;
use crate::journal::{JournalMsg, RecordId};
use crate::outbox::{Out, Outbox};
use crate::ports::{Batch, Ports, StoreError, StoredSession};
use crate::tools::ToolsMsg;

/// What a session is told.
pub enum SessionMsg {
    /// A client joins: it gets the state, then every later event.
    Join {
        /// Its name.
        client: SubscriberId,
        /// Its path.
        outbox: Outbox,
    },
    /// A client asks.
    Ask {
        /// Who.
        by: SubscriberId,
        /// Under which number.
        ticket: Ticket,
        /// What.
        command: Command,
    },
    /// A client leaves. It gets [`Out::Left`] when nothing more will come.
    Leave {
        /// Who.
        client: SubscriberId,
        /// What happens to the running turn.
        how: Leave,
    },
    /// A worker of the turn reports.
    Report {
        /// What.
        input: Input,
        /// Until it is handled.
        permit: Permit,
    },
    /// A timer.
    Timer(super::input::Timer),
    /// All records up to this one are durable.
    Recorded(RecordId),
    /// Records could not be written.
    RecordFailed {
        /// The last of them.
        record: RecordId,
        /// Why.
        error: StoreError,
    },
    /// The journal was read again after it failed.
    Reloaded(Result<Option<StoredSession>, StoreError>),
}

/// What a leaving client means for the running turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Leave {
    /// It runs to its end.
    AfterTurn,
    /// It is aborted.
    Abort(AbortedBy),
}

/// What a session starts from.
pub enum Seed {
    /// Nothing: it is new.
    New,
    /// Its journal, and why it was left.
    Journal(Vec<Event>, Interruption),
}

/// What a session's actor is started with.
pub struct Start {
    /// Its settings.
    pub settings: Settings,
    /// What it starts from.
    pub seed: Seed,
    /// Clients that an earlier actor of this session had.
    pub clients: Vec<(SubscriberId, Outbox)>,
    /// How many actors this session had before, in this process.
    pub generation: u32,
}

/// The actor.
pub struct SessionActor {
    /// The outside world.
    pub ports: Ports,
    /// The one writer.
    pub journal: ActorRef<JournalMsg>,
}

/// The actor's state.
pub struct State {
    session: Session,
    settings: Settings,
    clients: BTreeMap<SubscriberId, Client>,
    gate: Gate<Held>,
    epoch: u32,
    turn: Option<TurnActors>,
    timers: JoinSet<()>,
    /// Commands that wait for the journal to be read again.
    waiting: Vec<(SubscriberId, Ticket, Command)>,
    reloading: bool,
}

struct Client {
    outbox: Outbox,
    /// The last event before it joined.
    since: u64,
}

/// What waits for the journal.
enum Held {
    To(SubscriberId, Out),
    Event(Arc<Event>),
    Run(ActorRef<ToolsMsg>, ToolsMsg),
}

impl Actor for SessionActor {
    type Msg = SessionMsg;
    type State = State;
    type Arguments = Start;

    async fn pre_start(
        &self,
        myself: ActorRef<SessionMsg>,
        start: Start,
    ) -> Result<State, ActorProcessingErr> {
        let now = self.ports.clock.now();
        let settings = start.settings;
        let (session, effects) = match start.seed {
            Seed::New => Session::open(settings.clone(), now),
            Seed::Journal(events, why) => Session::rebuild(settings.clone(), &events, now, why),
        };
        let mut state = State {
            session,
            settings,
            clients: BTreeMap::new(),
            gate: Gate::new(),
            epoch: 0,
            turn: None,
            timers: JoinSet::new(),
            waiting: Vec::new(),
            reloading: false,
        };
        for (client, outbox) in start.clients {
            // They saw a part of the turn that was cut: its end goes to them.
            state.clients.insert(client, Client { outbox, since: 0 });
            let generation = start.generation;
            state.pass(Held::To(
                client,
                Out::Restarted {
                    generation,
                    at: now,
                },
            ));
        }
        self.carry_out(&myself, &mut state, effects).await?;
        Ok(state)
    }

    async fn handle(
        &self,
        myself: ActorRef<SessionMsg>,
        message: SessionMsg,
        state: &mut State,
    ) -> Result<(), ActorProcessingErr> {
        let now = self.ports.clock.now();
        match message {
            SessionMsg::Join { client, outbox } => {
                let joined = Out::Joined {
                    state: Box::new(state.session.snapshot()),
                    at: now,
                };
                state.join(client, outbox, joined);
                Ok(())
            }
            SessionMsg::Ask {
                by,
                ticket,
                command,
            } => {
                if state.session.storage_fault().is_some() {
                    self.reload(&myself, state, (by, ticket, command));
                    return Ok(());
                }
                let input = Input::Asked {
                    by,
                    ticket,
                    command,
                };
                self.tell_session(&myself, state, input).await
            }
            SessionMsg::Leave { client, how } => {
                let last = state.clients.keys().all(|other| *other == client);
                let abort = match how {
                    Leave::AfterTurn => None,
                    Leave::Abort(by) => Some(by),
                };
                let by = client;
                let input = Input::ClientLeaves { by, abort, last };
                self.tell_session(&myself, state, input).await
            }
            SessionMsg::Report { input, permit } => {
                drop(permit);
                self.tell_session(&myself, state, input).await
            }
            SessionMsg::Timer(timer) => {
                self.tell_session(&myself, state, Input::TimeCame(timer))
                    .await
            }
            SessionMsg::Recorded(record) => {
                if record.epoch == state.epoch {
                    state.gate.durable(record.number);
                }
                while let Some(held) = state.gate.next() {
                    state.release(held);
                }
                Ok(())
            }
            SessionMsg::RecordFailed { record, error } if record.epoch == state.epoch => {
                self.record_failed(&myself, state, error).await
            }
            SessionMsg::RecordFailed { .. } => Ok(()),
            SessionMsg::Reloaded(result) => self.reloaded(&myself, state, result).await,
        }
    }

    async fn handle_supervisor_evt(
        &self,
        myself: ActorRef<SessionMsg>,
        event: SupervisionEvent,
        state: &mut State,
    ) -> Result<(), ActorProcessingErr> {
        if let SupervisionEvent::ActorFailed(child, reason) = event
            && state.turn.as_ref().is_some_and(|turn| turn.has(&child))
        {
            tracing::error!(session = %state.settings.id, %reason, "a turn's actor failed");
            let reason = reason.to_string();
            let input = Input::TurnFailed { reason };
            return self.tell_session(&myself, state, input).await;
        }
        Ok(())
    }
}

impl SessionActor {
    async fn tell_session(
        &self,
        myself: &ActorRef<SessionMsg>,
        state: &mut State,
        input: Input,
    ) -> Result<(), ActorProcessingErr> {
        let effects = state.session.handle(self.ports.clock.now(), input);
        self.carry_out(myself, state, effects).await
    }

    async fn carry_out(
        &self,
        myself: &ActorRef<SessionMsg>,
        state: &mut State,
        effects: Vec<Effect>,
    ) -> Result<(), ActorProcessingErr> {
        self.record(myself, state, &effects)?;
        for effect in effects {
            match effect {
                Effect::Tell(event) => state.pass(Held::Event(event)),
                Effect::Answer {
                    to,
                    ticket,
                    outcome,
                    at,
                } => state.pass(Held::To(
                    to,
                    Out::Answered {
                        ticket,
                        outcome,
                        at,
                    },
                )),
                Effect::Left { client } => state.pass(Held::To(client, Out::Left)),
                Effect::StartTurn => {
                    let turn = TurnActors::start(&self.ports, &state.settings, myself).await?;
                    state.turn = Some(turn);
                }
                Effect::CallModel { work, request } => {
                    if let Some(turn) = &state.turn {
                        turn.call_model(work, request);
                    }
                }
                Effect::Judge {
                    call,
                    tool,
                    input,
                    mode,
                } => {
                    if let Some(turn) = &state.turn {
                        turn.judge(call, tool, input, mode);
                    }
                }
                Effect::RunTool {
                    call,
                    planned,
                    amendment,
                    mode,
                } => {
                    if let Some(turn) = &state.turn {
                        let run = ToolsMsg::Run {
                            call,
                            planned,
                            amendment,
                            mode,
                        };
                        let tools = turn.tools();
                        state.pass(Held::Run(tools, run));
                    }
                }
                Effect::StopTurn => {
                    state.timers.abort_all();
                    if let Some(turn) = state.turn.take() {
                        turn.stop();
                    }
                }
                Effect::SetTimer { timer, after } => {
                    while state.timers.try_join_next().is_some() {}
                    let session = myself.clone();
                    state.timers.spawn(async move {
                        tokio::time::sleep(after).await;
                        let _ = session.cast(SessionMsg::Timer(timer));
                    });
                }
            }
        }
        Ok(())
    }

    /// Sends what must be durable to the journal, before anything of the list
    /// is carried out: all of it, or nothing, will be there after a crash.
    fn record(
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
        let record = RecordId {
            epoch: state.epoch,
            number: state.gate.record(events.len()),
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
    async fn record_failed(
        &self,
        myself: &ActorRef<SessionMsg>,
        state: &mut State,
        error: StoreError,
    ) -> Result<(), ActorProcessingErr> {
        tracing::error!(session = %state.settings.id, %error, "the journal failed");
        state.epoch += 1;
        let mut turn_refused = false;
        for held in state.gate.fail() {
            match held {
                Held::To(client, out) => {
                    turn_refused |= starts_turn(&out);
                    let out = refused_by_storage(out, &error);
                    state.release(Held::To(client, out));
                }
                Held::Event(event) if !turn_refused => state.release(Held::Event(event)),
                Held::Event(_) | Held::Run(..) => (),
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

    /// Reads the journal again, since memory is ahead of it; the command waits.
    fn reload(
        &self,
        myself: &ActorRef<SessionMsg>,
        state: &mut State,
        asked: (SubscriberId, Ticket, Command),
    ) {
        state.waiting.push(asked);
        if std::mem::replace(&mut state.reloading, true) {
            return;
        }
        let load = self.ports.store.load(state.settings.id.clone());
        let session = myself.clone();
        tokio::spawn(async move {
            let _ = session.cast(SessionMsg::Reloaded(load.await));
        });
    }

    async fn reloaded(
        &self,
        myself: &ActorRef<SessionMsg>,
        state: &mut State,
        result: Result<Option<StoredSession>, StoreError>,
    ) -> Result<(), ActorProcessingErr> {
        state.reloading = false;
        let waiting = std::mem::take(&mut state.waiting);
        let stored = match result {
            Ok(stored) => stored,
            Err(error) => {
                let reason = error.message;
                tracing::error!(session = %state.settings.id, reason, "the journal can't be read");
                Some(StoredSession { events: Vec::new() })
            }
        };
        let now = self.ports.clock.now();
        let settings = state.settings.clone();
        let (session, effects) = match stored {
            Some(stored) if stored.events.is_empty() => {
                // It could not be read: the session stays as it is.
                for (client, ticket, _) in waiting {
                    let reason = "the journal cannot be read; see `greenroom doctor`".into();
                    let outcome = Err(Refusal::Storage(reason));
                    let at = now;
                    let out = Out::Answered {
                        ticket,
                        outcome,
                        at,
                    };
                    state.release(Held::To(client, out));
                }
                return Ok(());
            }
            Some(stored) => Session::rebuild(settings, &stored.events, now, Interruption::Restart),
            None => Session::open(settings, now),
        };
        let told = state.session.seq();
        state.session = session;
        state.session.skip_seq(told);
        // Clients were told the end of the turn that the journal finds cut.
        for client in state.clients.values_mut() {
            client.since = state.session.seq();
        }
        self.carry_out(myself, state, effects).await?;
        for (by, ticket, command) in waiting {
            let input = Input::Asked {
                by,
                ticket,
                command,
            };
            self.tell_session(myself, state, input).await?;
        }
        Ok(())
    }
}

impl State {
    fn join(&mut self, client: SubscriberId, outbox: Outbox, first: Out) {
        let since = self.session.seq();
        self.clients.insert(client, Client { outbox, since });
        self.pass(Held::To(client, first));
    }

    fn pass(&mut self, held: Held) {
        if let Some(held) = self.gate.pass(held) {
            self.release(held);
        }
    }

    fn release(&mut self, held: Held) {
        match held {
            Held::To(id, out) => {
                let left = matches!(out, Out::Left);
                if let Some(client) = self.clients.get(&id) {
                    client.outbox.push(out);
                }
                if left {
                    self.clients.remove(&id);
                }
            }
            Held::Event(event) => {
                for client in self.clients.values() {
                    if client.since < event.seq {
                        client.outbox.push(Out::Happened(event.clone()));
                    }
                }
            }
            Held::Run(tools, run) => {
                // The turn may be over by now; then nothing is to run.
                let _ = tools.cast(run);
            }
        }
    }
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
