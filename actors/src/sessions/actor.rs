//! Supervises sessions.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use greenroom_protocol::session::{Interruption, SessionId, SubscriberId, Ticket};
use ractor::{
    Actor, ActorCell, ActorProcessingErr, ActorRef, RpcReplyPort, SpawnErr, SupervisionEvent,
    call_t,
};
use tokio::sync::watch;
use tokio::time::Instant;

use super::handle::SessionHandle;
use crate::journal::JournalMsg;
use crate::outbox::{Out, Outbox};
use crate::ports::{Ports, StoreError};
use crate::session::{
    CurrentActor, Loaded, Seed, Session, SessionActor, SessionMsg, Settings, Start, load,
};
use crate::supervision::Intensity;

/// A session may be started anew so often…
const RESTARTS: usize = 3;
/// … in this time.
const RESTART_PERIOD: Duration = Duration::from_secs(60);

/// How long records on their way may take before a session is started anew.
const FLUSH_MS: u64 = 10_000;

/// What the supervisor is told.
pub enum SessionsMsg {
    /// Open a session, or join one that is open, as a client.
    Open {
        /// Its settings; not used for a session that is open already.
        settings: Box<Settings>,
        /// What it starts from; not used for a session that is open already.
        seed: Seed,
        /// The client's path; it gets the state first.
        outbox: Outbox,
        /// How to reach it.
        reply: RpcReplyPort<Result<SessionHandle, String>>,
    },
    /// How many sessions are open, and how often one was started anew.
    Count(RpcReplyPort<(usize, u32)>),
    /// A failed session's journal was read.
    Reloaded {
        /// Whose.
        session: SessionId,
        /// What came of it.
        result: Result<Option<Loaded>, StoreError>,
    },
    /// A client goes on in a fork, whose journal is begun.
    HandOver {
        /// The session that it leaves.
        from: SessionId,
        /// The fork.
        fork: Box<Session>,
        /// Who.
        client: SubscriberId,
        /// Its path. It is told [`Out::Moved`], then the fork's state, then the
        /// answer.
        outbox: Outbox,
        /// The number of the fork's command.
        ticket: Ticket,
    },
}

/// The actor.
pub struct SessionsActor {
    /// The outside world.
    pub ports: Ports,
    /// The one writer.
    pub journal: ActorRef<JournalMsg>,
}

/// The actor's state.
#[derive(Default)]
pub struct State {
    live: BTreeMap<SessionId, Live>,
    last_client: u64,
    restarts: u32,
}

struct Live {
    settings: Settings,
    actor: ActorCell,
    current: CurrentActor,
    clients: Vec<(SubscriberId, Outbox)>,
    intensity: Intensity,
}

impl Actor for SessionsActor {
    type Msg = SessionsMsg;
    type State = State;
    type Arguments = ();

    async fn pre_start(
        &self,
        _: ActorRef<SessionsMsg>,
        (): (),
    ) -> Result<State, ActorProcessingErr> {
        Ok(State::default())
    }

    async fn handle(
        &self,
        myself: ActorRef<SessionsMsg>,
        message: SessionsMsg,
        state: &mut State,
    ) -> Result<(), ActorProcessingErr> {
        match message {
            SessionsMsg::Open {
                settings,
                seed,
                outbox,
                reply,
            } => {
                let opened = self.open(&myself, state, *settings, seed, outbox).await;
                let _ = reply.send(opened.map_err(|error| error.to_string()));
            }
            SessionsMsg::Count(reply) => {
                let _ = reply.send((state.live.len(), state.restarts));
            }
            SessionsMsg::Reloaded { session, result } => {
                self.restart(&myself, state, session, result).await;
            }
            SessionsMsg::HandOver {
                from,
                fork,
                client,
                outbox,
                ticket,
            } => {
                if let Some(live) = state.live.get_mut(&from) {
                    live.clients.retain(|(other, _)| *other != client);
                }
                let arrival = (client, outbox, ticket);
                self.hand_over(&myself, state, fork, arrival).await;
            }
        }
        Ok(())
    }

    // Ractor's own default stops a supervisor with any child that ends.
    async fn handle_supervisor_evt(
        &self,
        myself: ActorRef<SessionsMsg>,
        event: SupervisionEvent,
        state: &mut State,
    ) -> Result<(), ActorProcessingErr> {
        match event {
            SupervisionEvent::ActorTerminated(actor, ..) => {
                state
                    .live
                    .retain(|_, live| live.actor.get_id() != actor.get_id());
            }
            SupervisionEvent::ActorFailed(actor, reason) => {
                let found = state
                    .live
                    .iter_mut()
                    .find(|(_, live)| live.actor.get_id() == actor.get_id());
                let Some((id, live)) = found else {
                    return Ok(());
                };
                let id = id.clone();
                tracing::error!(session = %id, %reason, "a session's actor failed");
                if live.intensity.allows(Instant::now()) {
                    let (journal, store) = (self.journal.clone(), self.ports.store.clone());
                    tokio::spawn(async move {
                        // What the failed actor had recorded may be on its way.
                        let _ = call_t!(journal, JournalMsg::Flush, FLUSH_MS);
                        let result = load(&*store, &id).await;
                        let session = id;
                        let _ = myself.cast(SessionsMsg::Reloaded { session, result });
                    });
                } else {
                    state.give_up(&id, "it failed too often");
                }
            }
            _ => (),
        }
        Ok(())
    }
}

impl SessionsActor {
    async fn open(
        &self,
        myself: &ActorRef<SessionsMsg>,
        state: &mut State,
        settings: Settings,
        seed: Seed,
        outbox: Outbox,
    ) -> Result<SessionHandle, SpawnErr> {
        let id = settings.id.clone();
        state.last_client += 1;
        let client = SubscriberId(state.last_client);
        if !state.live.contains_key(&id) {
            let live = self.start(myself, settings, seed).await?;
            state.live.insert(id.clone(), live);
        }
        let Some(live) = state.live.get_mut(&id) else {
            return Err(SpawnErr::StartupFailed("the session is gone".into()));
        };
        live.clients.retain(|(_, outbox)| !outbox.is_closed());
        live.clients.push((client, outbox.clone()));
        let _ = live
            .current
            .borrow()
            .1
            .cast(SessionMsg::Join { client, outbox });
        Ok(SessionHandle {
            id,
            client,
            current: live.current.subscribe(),
        })
    }

    /// Starts the fork's actor, and lets the client in.
    async fn hand_over(
        &self,
        myself: &ActorRef<SessionsMsg>,
        state: &mut State,
        fork: Box<Session>,
        (client, outbox, ticket): (SubscriberId, Outbox, Ticket),
    ) {
        let settings = fork.settings().clone();
        let id = settings.id.clone();
        match self.start(myself, settings, Seed::Fork(fork)).await {
            Ok(mut live) => {
                live.clients.push((client, outbox.clone()));
                let current = live.current.subscribe();
                let session = current.borrow().1.clone();
                state.live.insert(id.clone(), live);
                outbox.push(Out::Moved(SessionHandle {
                    id,
                    client,
                    current,
                }));
                let _ = session.cast(SessionMsg::Arrive {
                    client,
                    outbox,
                    ticket,
                });
            }
            Err(error) => {
                tracing::error!(session = %id, %error, "a fork could not be started");
                let reason = "the fork could not be started; open it by its name".to_owned();
                outbox.push(Out::Closed { reason });
            }
        }
    }

    async fn start(
        &self,
        myself: &ActorRef<SessionsMsg>,
        settings: Settings,
        seed: Seed,
    ) -> Result<Live, SpawnErr> {
        let start = Start {
            settings: settings.clone(),
            seed,
            clients: Vec::new(),
            generation: 0,
            current: None,
        };
        let actor = self.spawn(myself, start).await?;
        Ok(Live {
            settings,
            actor: actor.get_cell(),
            current: Arc::new(watch::channel((0, actor)).0),
            clients: Vec::new(),
            intensity: Intensity::new(RESTARTS, RESTART_PERIOD),
        })
    }

    async fn spawn(
        &self,
        myself: &ActorRef<SessionsMsg>,
        start: Start,
    ) -> Result<ActorRef<SessionMsg>, SpawnErr> {
        let actor = SessionActor {
            ports: self.ports.clone(),
            journal: self.journal.clone(),
            sessions: myself.clone(),
        };
        let (actor, _) = Actor::spawn_linked(None, actor, start, myself.get_cell()).await?;
        Ok(actor)
    }

    async fn restart(
        &self,
        myself: &ActorRef<SessionsMsg>,
        state: &mut State,
        id: SessionId,
        result: Result<Option<Loaded>, StoreError>,
    ) {
        let Some(live) = state.live.get_mut(&id) else {
            return;
        };
        let seed = match result {
            Ok(Some(loaded)) => Seed::Journal(loaded, Interruption::Restart),
            Ok(None) => Seed::New,
            Err(error) => return state.give_up(&id, &error.message),
        };
        live.clients.retain(|(_, outbox)| !outbox.is_closed());
        let generation = live.current.borrow().0 + 1;
        let start = Start {
            settings: live.settings.clone(),
            seed,
            clients: live.clients.clone(),
            generation,
            current: Some(live.current.clone()),
        };
        match self.spawn(myself, start).await {
            Ok(actor) => {
                state.restarts += 1;
                live.actor = actor.get_cell();
            }
            Err(error) => {
                tracing::error!(session = %id, %error, "a session could not be started anew");
                state.give_up(&id, "it could not be started anew");
            }
        }
    }
}

impl State {
    fn give_up(&mut self, id: &SessionId, reason: &str) {
        if let Some(live) = self.live.remove(id) {
            for (_, outbox) in live.clients {
                let reason = reason.to_owned();
                outbox.push(Out::Closed { reason });
            }
        }
    }
}
