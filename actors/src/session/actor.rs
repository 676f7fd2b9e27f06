//! Carries out what a session decides, in order.

use std::collections::BTreeMap;

use greenroom_protocol::session::SubscriberId;
use ractor::{Actor, ActorProcessingErr, ActorRef, SupervisionEvent};
use tokio::task::JoinSet;

use super::clients::{Client, Held};
use super::gate::Gate;
use super::input::Input;
use super::machine::Session;
use super::messages::{Leave, Seed, SessionMsg, Start};
use super::reports::Permit;
use super::settings::Settings;
use super::turn_actors::TurnActors;
use crate::journal::JournalMsg;
use crate::outbox::{Out, Outbox};
use crate::ports::Ports;
use crate::sessions::SessionsMsg;
use crate::subagents::SubagentsMsg;

/// The actor.
pub struct SessionActor {
    /// The outside world.
    pub ports: Ports,
    /// The one writer.
    pub journal: ActorRef<JournalMsg>,
    /// Where forks are opened.
    pub sessions: ActorRef<SessionsMsg>,
}

/// The actor's state.
pub struct State {
    pub(super) session: Session,
    pub(super) settings: Settings,
    pub(super) clients: BTreeMap<SubscriberId, Client>,
    pub(super) gate: Gate<Held>,
    /// Of reports whose consequences wait for the journal.
    pub(super) permits: Vec<Permit>,
    pub(super) epoch: u32,
    pub(super) turn: Option<TurnActors>,
    pub(super) timers: JoinSet<()>,
    /// Work beside turns. It ends with the session's actor.
    pub(super) asides: JoinSet<()>,
    /// Somebody has joined since it was started.
    pub(super) was_joined: bool,
    /// The pool of sub-agents, once there was one.
    pub(super) pool: Option<ActorRef<SubagentsMsg>>,
    /// The fork that is being recorded.
    pub(super) fork: Option<Box<Session>>,
    /// Clients that went on in a fork: what they had asked for is answered all
    /// the same.
    pub(super) moved: BTreeMap<SubscriberId, Outbox>,
    /// What clients said while the journal is read again.
    pub(super) waiting: Vec<SessionMsg>,
    pub(super) reloading: bool,
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
            Seed::Journal(loaded, why) => Session::rebuild(settings.clone(), &loaded, now, why),
            Seed::Fork(session) => (*session, Vec::new()),
        };
        let mut state = State {
            session,
            settings,
            clients: BTreeMap::new(),
            gate: Gate::new(),
            permits: Vec::new(),
            epoch: 0,
            turn: None,
            timers: JoinSet::new(),
            asides: JoinSet::new(),
            was_joined: false,
            pool: None,
            fork: None,
            moved: BTreeMap::new(),
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
        self.open_extras(&myself, &mut state);
        self.hear_of_jobs(&myself, &mut state);
        Ok(state)
    }

    async fn handle(
        &self,
        myself: ActorRef<SessionMsg>,
        message: SessionMsg,
        state: &mut State,
    ) -> Result<(), ActorProcessingErr> {
        let told = self.take(&myself, message, state).await;
        if state.is_deserted() {
            myself.stop(None);
        }
        told
    }

    // Not of an actor that failed: the next one goes on with its commands.
    async fn post_stop(
        &self,
        _: ActorRef<SessionMsg>,
        state: &mut State,
    ) -> Result<(), ActorProcessingErr> {
        self.ports.jobs.close_session(&state.settings.id);
        Ok(())
    }

    async fn handle_supervisor_evt(
        &self,
        myself: ActorRef<SessionMsg>,
        event: SupervisionEvent,
        state: &mut State,
    ) -> Result<(), ActorProcessingErr> {
        let SupervisionEvent::ActorFailed(child, reason) = event else {
            return Ok(());
        };
        if state.turn.as_ref().is_some_and(|turn| turn.has(&child)) {
            tracing::error!(session = %state.settings.id, %reason, "a turn's actor failed");
            return self.tell_session(&myself, state, Input::TurnFailed).await;
        }
        self.pool_failed(&myself, state, &child, &reason).await
    }
}

impl SessionActor {
    async fn take(
        &self,
        myself: &ActorRef<SessionMsg>,
        message: SessionMsg,
        state: &mut State,
    ) -> Result<(), ActorProcessingErr> {
        match message {
            said
            @ (SessionMsg::Join { .. } | SessionMsg::Ask { .. } | SessionMsg::Leave { .. }) => {
                let needs_journal = matches!(said, SessionMsg::Ask { .. })
                    && state.session.storage_fault().is_some();
                if state.reloading || needs_journal {
                    self.reload(myself, state, said);
                    return Ok(());
                }
                self.said_by_client(myself, state, said).await
            }
            SessionMsg::Report { input, permit } => {
                let told = self.tell_session(myself, state, input).await;
                state.permits.push(permit);
                state.release_permits();
                told
            }
            SessionMsg::Timer(timer) => {
                self.tell_session(myself, state, Input::TimeCame(timer))
                    .await
            }
            SessionMsg::Recorded(record) => {
                if record.epoch == state.epoch {
                    state.gate.durable(record.number);
                }
                while let Some(held) = state.gate.next() {
                    state.release(held);
                }
                state.release_permits();
                Ok(())
            }
            SessionMsg::RecordFailed { record, error } if record.epoch == state.epoch => {
                self.record_failed(myself, state, error).await
            }
            SessionMsg::RecordFailed { .. } => Ok(()),
            SessionMsg::Reloaded(result) => self.reloaded(myself, state, result).await,
            SessionMsg::Done(input) => {
                while state.asides.try_join_next().is_some() {}
                self.tell_session(myself, state, input).await
            }
            SessionMsg::Arrive {
                client,
                outbox,
                ticket,
            } => {
                state.arrive(client, outbox, ticket, self.ports.clock.now());
                Ok(())
            }
        }
    }

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
}
