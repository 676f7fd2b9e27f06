//! Carries out what a session decides, in order.

use std::collections::BTreeMap;
use std::sync::Arc;

use greenroom_protocol::session::{Event, Happening, Millis, SessionId, SubscriberId};
use ractor::{Actor, ActorProcessingErr, ActorRef, SupervisionEvent};
use tokio::task::JoinSet;

use super::gate::Gate;
use super::input::{Effect, Input};
use super::machine::Session;
use super::messages::{Leave, Seed, SessionMsg, Start};
use super::settings::Settings;
use super::turn_actors::TurnActors;
use crate::journal::JournalMsg;
use crate::outbox::{Out, Outbox};
use crate::ports::Ports;
use crate::tools::ToolsMsg;

/// The actor.
pub struct SessionActor {
    /// The outside world.
    pub ports: Ports,
    /// The one writer.
    pub journal: ActorRef<JournalMsg>,
}

/// The actor's state.
pub struct State {
    pub(super) session: Session,
    pub(super) settings: Settings,
    pub(super) clients: BTreeMap<SubscriberId, Client>,
    pub(super) gate: Gate<Held>,
    pub(super) epoch: u32,
    pub(super) turn: Option<TurnActors>,
    pub(super) timers: JoinSet<()>,
    /// What clients said while the journal is read again.
    pub(super) waiting: Vec<SessionMsg>,
    pub(super) reloading: bool,
}

pub(super) struct Client {
    outbox: Outbox,
    /// The last event before it joined.
    pub(super) since: u64,
}

/// What waits for the journal.
pub(super) enum Held {
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
        if let Some(current) = start.current {
            // Before clients hear of it: what they say then must come here.
            current.send_replace((start.generation, myself.clone()));
        }
        for (client, outbox) in start.clients {
            let generation = start.generation;
            outbox.push(Out::Restarted {
                generation,
                at: now,
            });
            // They saw a part of the turn that was cut: its end goes to them.
            state.clients.insert(client, Client { outbox, since: 0 });
            let joined = state.joined(now);
            state.pass(Held::To(client, joined));
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
        match message {
            said
            @ (SessionMsg::Join { .. } | SessionMsg::Ask { .. } | SessionMsg::Leave { .. }) => {
                let needs_journal = matches!(said, SessionMsg::Ask { .. })
                    && state.session.storage_fault().is_some();
                if state.reloading || needs_journal {
                    self.reload(&myself, state, said);
                    return Ok(());
                }
                self.said_by_client(&myself, state, said).await
            }
            SessionMsg::Report { input, permit } => {
                let told = self.tell_session(&myself, state, input).await;
                permit.release(state.clients.values().map(|client| &client.outbox));
                told
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
            return self.tell_session(&myself, state, Input::TurnFailed).await;
        }
        Ok(())
    }
}

impl SessionActor {
    /// What clients say, in the order in which they said it.
    pub(super) async fn said_by_client(
        &self,
        myself: &ActorRef<SessionMsg>,
        state: &mut State,
        said: SessionMsg,
    ) -> Result<(), ActorProcessingErr> {
        let input = match said {
            SessionMsg::Join { client, outbox } => {
                state.session.client_joined();
                let at = self.ports.clock.now();
                state.join(client, outbox, at);
                return Ok(());
            }
            SessionMsg::Ask {
                by,
                ticket,
                command,
            } => Input::Asked {
                by,
                ticket,
                command,
            },
            SessionMsg::Leave { client, how } => Input::ClientLeaves {
                by: client,
                abort: match how {
                    Leave::AfterTurn => None,
                    Leave::Abort(by) => Some(by),
                },
                last: state.is_last(client),
            },
            _ => return Ok(()),
        };
        self.tell_session(myself, state, input).await
    }

    pub(super) async fn tell_session(
        &self,
        myself: &ActorRef<SessionMsg>,
        state: &mut State,
        input: Input,
    ) -> Result<(), ActorProcessingErr> {
        let effects = state.session.handle(self.ports.clock.now(), input);
        self.carry_out(myself, state, effects).await
    }

    pub(super) async fn carry_out(
        &self,
        myself: &ActorRef<SessionMsg>,
        state: &mut State,
        effects: Vec<Effect>,
    ) -> Result<(), ActorProcessingErr> {
        self.record(myself, state, &effects)?;
        for effect in effects {
            match effect {
                Effect::Tell(event) => {
                    log(&state.settings.id, &event.happening);
                    state.pass(Held::Event(event));
                }
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
}

/// What operators see of a session: its course, and none of its content.
fn log(session: &SessionId, happening: &Happening) {
    match happening {
        Happening::Opened { .. } => tracing::info!(%session, "session opened"),
        Happening::Resumed => tracing::info!(%session, "session resumed"),
        Happening::TurnStarted { turn, mode, model } => {
            let (provider, mode) = (&*model.provider, mode.name());
            tracing::info!(%session, %turn, provider, mode, "turn started");
        }
        Happening::CallRunning { call, tool } => {
            tracing::debug!(%session, %call, tool = &**tool, "call running");
        }
        Happening::CallEnded(result) => {
            let (call, end, ms) = (&result.call, result.end, result.duration_ms);
            tracing::debug!(%session, %call, ?end, ms, "call ended");
        }
        Happening::Retrying {
            attempt, failure, ..
        } => tracing::warn!(%session, attempt, kind = ?failure.kind, "model call is tried again"),
        Happening::TurnEnded {
            turn,
            outcome,
            steps,
            duration_ms,
            ..
        } => tracing::info!(%session, %turn, ?outcome, steps, ms = duration_ms, "turn ended"),
        _ => (),
    }
}

impl State {
    fn join(&mut self, client: SubscriberId, outbox: Outbox, at: Millis) {
        let since = self.session.seq();
        self.clients.insert(client, Client { outbox, since });
        let joined = self.joined(at);
        self.pass(Held::To(client, joined));
    }

    fn joined(&self, at: Millis) -> Out {
        let state = Box::new(self.session.snapshot());
        Out::Joined { state, at }
    }

    /// Whether nobody else is there who could answer.
    fn is_last(&self, client: SubscriberId) -> bool {
        let mut clients = self.clients.keys();
        clients.all(|other| *other == client || self.session.is_leaving(*other))
    }

    fn pass(&mut self, held: Held) {
        if let Some(held) = self.gate.pass(held) {
            self.release(held);
        }
    }

    pub(super) fn release(&mut self, held: Held) {
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
