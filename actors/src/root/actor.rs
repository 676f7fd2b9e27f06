//! Starts journal and sessions. When one of them fails, the tree ends: what
//! they hold together can't go on without the other.

use std::time::Duration;

use ractor::{Actor, ActorProcessingErr, ActorRef, SpawnErr, SupervisionEvent, call_t};
use tokio::task::JoinHandle;

use crate::journal::{JournalActor, JournalMsg};
use crate::outbox::Outbox;
use crate::ports::Ports;
use crate::session::{Seed, Settings};
use crate::sessions::{SessionHandle, SessionsActor, SessionsMsg};

/// How long opening a session may take.
const OPEN_MS: u64 = 30_000;
/// How long the tree may take to end.
const STOP: Duration = Duration::from_secs(5);

/// A running tree.
pub struct Root {
    root: ActorRef<()>,
    running: JoinHandle<()>,
    sessions: ActorRef<SessionsMsg>,
}

impl Root {
    /// Starts the tree.
    pub async fn start(ports: Ports) -> Result<Root, SpawnErr> {
        let (told, sessions) = tokio::sync::oneshot::channel();
        let (root, running) = Actor::spawn(None, RootActor { ports }, told).await?;
        let sessions = sessions
            .await
            .map_err(|_| SpawnErr::StartupFailed("the tree did not start".into()))?;
        Ok(Root {
            root,
            running,
            sessions,
        })
    }

    /// Opens a session, or joins one that is open. The state comes first in the
    /// outbox.
    pub async fn open(
        &self,
        settings: Settings,
        seed: Seed,
        outbox: Outbox,
    ) -> Result<SessionHandle, String> {
        let settings = Box::new(settings);
        let open = |reply| SessionsMsg::Open {
            settings,
            seed,
            outbox,
            reply,
        };
        match call_t!(self.sessions, open, OPEN_MS) {
            Ok(opened) => opened,
            Err(error) => Err(format!("the session could not be opened: {error}")),
        }
    }

    /// How many sessions are open, and how often one was started anew.
    pub async fn count(&self) -> Option<(usize, u32)> {
        call_t!(self.sessions, SessionsMsg::Count, OPEN_MS).ok()
    }

    /// Ends the tree, sessions before the journal.
    pub async fn stop(self) {
        self.root.stop(None);
        if tokio::time::timeout(STOP, self.running).await.is_err() {
            tracing::warn!("the tree did not end in time");
        }
    }
}

/// The actor.
pub struct RootActor {
    ports: Ports,
}

/// The actor's state.
pub struct State {
    sessions: ActorRef<SessionsMsg>,
    journal: ActorRef<JournalMsg>,
}

impl Actor for RootActor {
    type Msg = ();
    type State = State;
    type Arguments = tokio::sync::oneshot::Sender<ActorRef<SessionsMsg>>;

    async fn pre_start(
        &self,
        myself: ActorRef<()>,
        told: Self::Arguments,
    ) -> Result<State, ActorProcessingErr> {
        let store = self.ports.store.clone();
        let journal = JournalActor { store };
        let (journal, _) = Actor::spawn_linked(None, journal, (), myself.get_cell()).await?;
        let sessions = SessionsActor {
            ports: self.ports.clone(),
            journal: journal.clone(),
        };
        let (sessions, _) = Actor::spawn_linked(None, sessions, (), myself.get_cell()).await?;
        let _ = told.send(sessions.clone());
        Ok(State { sessions, journal })
    }

    async fn post_stop(
        &self,
        _: ActorRef<()>,
        state: &mut State,
    ) -> Result<(), ActorProcessingErr> {
        let wait = Some(ractor::concurrency::Duration::from_secs(2));
        let _ = state.sessions.stop_and_wait(None, wait).await;
        let _ = state.journal.drain_and_wait(wait).await;
        Ok(())
    }

    async fn handle_supervisor_evt(
        &self,
        _: ActorRef<()>,
        event: SupervisionEvent,
        _: &mut State,
    ) -> Result<(), ActorProcessingErr> {
        match event {
            SupervisionEvent::ActorFailed(_, reason) => Err(reason),
            _ => Ok(()),
        }
    }
}
