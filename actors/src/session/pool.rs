//! The pool of sub-agents, which the session starts when it first needs one.

use greenroom_protocol::session::{
    Failure, FailureKind, Outcome, SessionId, SubscriberId, Text, Ticket,
};
use ractor::{Actor, ActorCell, ActorProcessingErr, ActorRef, call_t};

use super::actor::{SessionActor, State};
use super::clients::Held;
use super::input::Input;
use super::load::load;
use super::messages::SessionMsg;
use super::reports::Reports;
use crate::journal::JournalMsg;
use crate::subagents::{SubagentsActor, SubagentsMsg};

/// How long what was told may take to be in the journal.
const FLUSH_MS: u64 = 10_000;

impl SessionActor {
    pub(super) async fn need_pool(
        &self,
        myself: &ActorRef<SessionMsg>,
        state: &mut State,
    ) -> Result<(), ActorProcessingErr> {
        if state.pool.is_none() {
            let pool = SubagentsActor {
                sessions: self.sessions.clone(),
                reports: Reports::new(myself.clone()),
            };
            let (pool, _) = Actor::spawn_linked(None, pool, (), myself.get_cell()).await?;
            state.pool = Some(pool);
        }
        Ok(())
    }

    /// With it all that it watched is gone.
    pub(super) async fn pool_failed(
        &self,
        myself: &ActorRef<SessionMsg>,
        state: &mut State,
        child: &ActorCell,
        reason: &ActorProcessingErr,
    ) -> Result<(), ActorProcessingErr> {
        let is_it = |pool: &mut ActorRef<SubagentsMsg>| pool.get_id() == child.get_id();
        if state.pool.take_if(is_it).is_none() {
            return Ok(());
        }
        tracing::error!(session = %state.settings.id, %reason, "the pool of sub-agents failed");
        for running in state.session.agents() {
            let failure = Failure {
                kind: FailureKind::Internal,
                message: "a part of it failed inside; the log has more".into(),
            };
            let ended = Input::AgentEnded {
                agent: running.agent,
                outcome: Outcome::Failed(failure),
                text: Text::from(""),
            };
            self.tell_session(myself, state, ended).await?;
        }
        Ok(())
    }

    pub(super) fn read_messages(
        &self,
        myself: &ActorRef<SessionMsg>,
        state: &mut State,
        (by, ticket): (SubscriberId, Ticket),
        of: SessionId,
        limit: Option<usize>,
    ) {
        let (journal, store) = (self.journal.clone(), self.ports.store.clone());
        let session = myself.clone();
        state.asides.spawn(async move {
            let _ = call_t!(journal, JournalMsg::Flush, FLUSH_MS);
            let last = |loaded: super::load::Loaded| {
                let mut messages = loaded.tree().conversation();
                let skipped = limit.map_or(0, |limit| messages.len().saturating_sub(limit));
                messages.drain(..skipped);
                messages
            };
            let result = load(&*store, &of).await.map(|found| found.map(last));
            let read = Input::MessagesRead {
                by,
                ticket,
                session: of,
                result,
            };
            let _ = session.cast(SessionMsg::Done(read));
        });
    }
}

impl State {
    /// Behind all that was told: a child does not begin before its record.
    pub(super) fn tell_pool(&mut self, message: SubagentsMsg) {
        if let Some(pool) = self.pool.clone() {
            self.pass(Held::Pool(pool, message));
        }
    }

    /// Whether it is a sub-agent's, and whoever looked at it has left: nobody will
    /// come again.
    pub(super) fn is_deserted(&self) -> bool {
        self.settings.lineage.parent.is_some() && self.clients.is_empty() && self.was_joined
    }
}
