//! The pool of a session: opens child sessions, passes on what they are told,
//! and watches each. It lives as long as the session; a child whose watcher ends
//! before its turn is stopped.

use std::collections::BTreeMap;

use greenroom_protocol::session::{
    AbortedBy, AgentId, Command, Content, Failure, FailureKind, Outcome, Text,
};
use ractor::{Actor, ActorProcessingErr, ActorRef, SupervisionEvent, call_t};

use super::watcher::{self, PROMPT};
use crate::outbox::{Wants, outbox};
use crate::session::{Input, Leave, Reports, Seed, SessionMsg, Settings};
use crate::sessions::{SessionHandle, SessionsMsg};
use crate::supervision::Worker;

/// How long the start of a child session may take.
const OPEN_MS: u64 = 10_000;
/// Pieces of its texts merge at once: nobody reads them here.
const SOFT_BYTES: usize = 0;

/// What the session asks of its pool.
pub enum SubagentsMsg {
    /// Open a child session, and prompt it.
    Start {
        /// Its name.
        agent: AgentId,
        /// Its settings.
        settings: Box<Settings>,
        /// What it is told.
        prompt: Content,
        /// Nobody is there who could answer what it asks.
        unattended: bool,
    },
    /// Pass a command on. The child tells what it makes of it.
    Tell {
        /// To whom.
        agent: AgentId,
        /// What.
        command: Command,
    },
    /// Nobody is left who could answer what they ask.
    Unattended,
    /// Stop a child at once.
    Stop {
        /// Which.
        agent: AgentId,
    },
}

/// The actor.
pub struct SubagentsActor {
    /// Where child sessions are opened.
    pub sessions: ActorRef<SessionsMsg>,
    /// Where what happens in them goes.
    pub reports: Reports,
}

/// A child that runs.
pub struct Child {
    handle: SessionHandle,
    watcher: ActorRef<()>,
}

impl Actor for SubagentsActor {
    type Msg = SubagentsMsg;
    type State = BTreeMap<AgentId, Child>;
    type Arguments = ();

    async fn pre_start(
        &self,
        _: ActorRef<SubagentsMsg>,
        (): (),
    ) -> Result<Self::State, ActorProcessingErr> {
        Ok(BTreeMap::new())
    }

    async fn handle(
        &self,
        myself: ActorRef<SubagentsMsg>,
        message: SubagentsMsg,
        children: &mut Self::State,
    ) -> Result<(), ActorProcessingErr> {
        match message {
            SubagentsMsg::Start {
                agent,
                settings,
                prompt,
                unattended,
            } => match self.start(&myself, &agent, settings, prompt).await {
                Ok(child) => {
                    if unattended {
                        child.leave(Leave::AfterTurn);
                    }
                    children.insert(agent, child);
                }
                Err(reason) => self.failed(agent, reason).await,
            },
            SubagentsMsg::Tell { agent, command } => {
                if let Some(child) = children.get(&agent) {
                    child.ask(command);
                }
            }
            SubagentsMsg::Unattended => {
                for child in children.values() {
                    child.leave(Leave::AfterTurn);
                }
            }
            SubagentsMsg::Stop { agent } => {
                if let Some(child) = children.remove(&agent) {
                    child.leave(Leave::Abort(AbortedBy::Close));
                    child.watcher.kill();
                }
            }
        }
        Ok(())
    }

    async fn handle_supervisor_evt(
        &self,
        _: ActorRef<SubagentsMsg>,
        event: SupervisionEvent,
        children: &mut Self::State,
    ) -> Result<(), ActorProcessingErr> {
        let (watcher, failed) = match event {
            SupervisionEvent::ActorTerminated(watcher, ..) => (watcher, false),
            SupervisionEvent::ActorFailed(watcher, reason) => {
                tracing::error!(%reason, "the watcher of a sub-agent failed inside");
                (watcher, true)
            }
            _ => return Ok(()),
        };
        let is_its = |(_, child): &(&AgentId, &Child)| child.watcher.get_id() == watcher.get_id();
        let Some(agent) = children.iter().find(is_its).map(|(agent, _)| agent.clone()) else {
            return Ok(());
        };
        children.remove(&agent);
        if failed {
            let reason = "a part of it failed inside; the log has more".to_owned();
            self.failed(agent, reason).await;
        }
        Ok(())
    }
}

impl SubagentsActor {
    async fn start(
        &self,
        myself: &ActorRef<SubagentsMsg>,
        agent: &AgentId,
        settings: Box<Settings>,
        prompt: Content,
    ) -> Result<Child, String> {
        let wants = Wants {
            soft_bytes: SOFT_BYTES,
            tool_output: false,
        };
        let (outbox, reader) = outbox(wants);
        let open = |reply| SessionsMsg::Open {
            settings,
            seed: Seed::New,
            outbox,
            reply,
        };
        let opened = call_t!(self.sessions, open, OPEN_MS);
        let handle = opened.map_err(|error| format!("it was not opened: {error}"))??;
        handle.send(SessionMsg::Ask {
            by: handle.client(),
            ticket: PROMPT,
            command: Command::Prompt(prompt),
        });
        let job = watcher::watch(agent.clone(), handle.clone(), reader, self.reports.clone());
        let watcher = Worker::start(Box::pin(job), myself.get_cell()).await;
        let watcher = watcher.map_err(|error| format!("it was not started: {error}"))?;
        Ok(Child { handle, watcher })
    }

    async fn failed(&self, agent: AgentId, reason: String) {
        let failure = Failure {
            kind: FailureKind::Internal,
            message: reason.into(),
        };
        let ended = Input::AgentEnded {
            agent,
            outcome: Outcome::Failed(failure),
            text: Text::from(""),
        };
        self.reports.send(ended).await;
    }
}

impl Child {
    fn ask(&self, command: Command) {
        self.handle.send(SessionMsg::Ask {
            by: self.handle.client(),
            ticket: watcher::ORDER,
            command,
        });
    }

    fn leave(&self, how: Leave) {
        let client = self.handle.client();
        self.handle.send(SessionMsg::Leave { client, how });
    }
}
