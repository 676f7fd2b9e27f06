//! Carries out what takes its time and runs beside turns: reading the journal
//! for an old entry, beginning a fork, titles, lists, exports. Each comes back as one
//! message.

use std::sync::Arc;
use std::time::Duration;

use greenroom_protocol::session::{
    Event, ExportRequest, FailureKind, SessionId, SubscriberId, Text, Ticket,
};
use ractor::{ActorRef, call_t};
use tokio::sync::mpsc;
use tokio_util::task::AbortOnDropHandle;

use super::actor::{SessionActor, State};
use super::input::{Effect, Input};
use super::load::load;
use super::machine::Session;
use super::messages::SessionMsg;
use super::settings::Settings;
use super::tree::Tree;
use crate::journal::JournalMsg;
use crate::ports::{
    Batch, ExportFault, ExportJob, Model, ModelAnswer, ModelError, ModelRequest, Store,
};
use crate::sessions::SessionsMsg;

/// How long what was told may take to be in the journal.
const FLUSH_MS: u64 = 10_000;
/// How long the beginning of a fork may take to be in the journal.
const BEGIN_MS: u64 = 10_000;
/// How long a model may take for a title.
const TITLE_TIME: Duration = Duration::from_secs(60);
/// Pieces of an answer that wait to be thrown away.
const PIECES: usize = 16;

impl SessionActor {
    pub(super) fn read_tree(&self, myself: &ActorRef<SessionMsg>, state: &mut State) {
        let id = self.ports.ids.session();
        let fresh = Box::new(Settings {
            saved: self.ports.store.is_durable(&id),
            id,
            // Those of the command line were for this one.
            mode: None,
            model: None,
            ..state.settings.clone()
        });
        let own = state.settings.id.clone();
        let (journal, store) = (self.journal.clone(), self.ports.store.clone());
        let session = myself.clone();
        state.asides.spawn(async move {
            let tree = tree(&journal, &*store, &own).await.map(Box::new);
            let _ = session.cast(SessionMsg::Done(Input::TreeRead { tree, fresh }));
        });
    }

    pub(super) fn record_fork(
        &self,
        myself: &ActorRef<SessionMsg>,
        state: &mut State,
        fork: Box<Session>,
        effects: Vec<Effect>,
    ) {
        let events = effects.into_iter().filter_map(|effect| match effect {
            Effect::Tell(event) => Some(event),
            _ => None,
        });
        let batch = Batch {
            session: fork.settings().id.clone(),
            events: events.collect::<Vec<Arc<Event>>>(),
        };
        state.fork = Some(fork);
        let journal = self.journal.clone();
        let session = myself.clone();
        state.asides.spawn(async move {
            let begin = |reply| JournalMsg::Begin { batch, reply };
            let recorded = match call_t!(journal, begin, BEGIN_MS) {
                Ok(recorded) => recorded.map_err(|error| Text::from(error.message)),
                Err(error) => Err(format!("the journal gives no answer: {error}").into()),
            };
            let _ = session.cast(SessionMsg::Done(Input::ForkRecorded(recorded)));
        });
    }

    /// From here on this session tells the client nothing but answers.
    pub(super) fn hand_over(&self, state: &mut State, client: SubscriberId, ticket: Ticket) {
        let Some(fork) = state.fork.take() else {
            return;
        };
        let Some(gone) = state.clients.remove(&client) else {
            return;
        };
        if state.clients.is_empty() {
            // Nobody can look after its commands in the background any more.
            self.ports.jobs.close_session(&state.settings.id);
        }
        state.moved.retain(|_, outbox| !outbox.is_closed());
        state.moved.insert(client, gone.outbox.clone());
        let _ = self.sessions.cast(SessionsMsg::HandOver {
            from: state.settings.id.clone(),
            fork,
            client,
            outbox: gone.outbox,
            ticket,
        });
    }

    pub(super) fn list(
        &self,
        myself: &ActorRef<SessionMsg>,
        state: &mut State,
        by: SubscriberId,
        ticket: Ticket,
        root: Option<Text>,
    ) {
        let (journal, store) = (self.journal.clone(), self.ports.store.clone());
        let session = myself.clone();
        state.asides.spawn(async move {
            let _ = call_t!(journal, JournalMsg::Flush, FLUSH_MS);
            let result = store.list(root).await;
            let listed = Input::Listed { by, ticket, result };
            let _ = session.cast(SessionMsg::Done(listed));
        });
    }

    pub(super) fn ask_title(
        &self,
        myself: &ActorRef<SessionMsg>,
        state: &mut State,
        request: ModelRequest,
    ) {
        let model = self.ports.model.clone();
        let (session, id) = (myself.clone(), state.settings.id.clone());
        state.asides.spawn(async move {
            let result = one_answer(model, request).await;
            if let Err(error) = &result {
                tracing::warn!(session = %id, kind = ?error.kind, "no title was written: {error}");
            }
            let _ = session.cast(SessionMsg::Done(Input::TitleWritten(Box::new(result))));
        });
    }

    pub(super) fn export(
        &self,
        myself: &ActorRef<SessionMsg>,
        state: &mut State,
        by: SubscriberId,
        ticket: Ticket,
        request: ExportRequest,
    ) {
        let job = ExportJob {
            session: state.settings.id.clone(),
            root: state.settings.root.clone(),
            request,
        };
        let (journal, exporter) = (self.journal.clone(), self.ports.exporter.clone());
        let session = myself.clone();
        state.asides.spawn(async move {
            let _ = call_t!(journal, JournalMsg::Flush, FLUSH_MS);
            // It may end in a panic: whoever asked is answered all the same.
            let writing = AbortOnDropHandle::new(tokio::spawn(exporter.export(job)));
            let result = writing.await.unwrap_or_else(|error| {
                tracing::error!(%error, "an export failed inside");
                Err(ExportFault("it failed inside; the log has more".to_owned()))
            });
            let exported = Input::Exported { by, ticket, result };
            let _ = session.cast(SessionMsg::Done(exported));
        });
    }
}

/// One call of a model, of which only the whole answer is wanted. No second try:
/// what it is for can do without.
async fn one_answer(
    model: Arc<dyn Model>,
    request: ModelRequest,
) -> Result<ModelAnswer, ModelError> {
    let (sink, mut pieces) = mpsc::channel(PIECES);
    let work = model.call(request, sink);
    let unread = async { while pieces.recv().await.is_some() {} };
    let answered = async { tokio::join!(work, unread).0 };
    tokio::time::timeout(TITLE_TIME, answered)
        .await
        .unwrap_or_else(|_| {
            let late = "no answer came in time";
            Err(ModelError::passing(FailureKind::Stalled, late))
        })
}

/// All entries of a session, behind all that was told.
async fn tree(
    journal: &ActorRef<JournalMsg>,
    store: &dyn Store,
    session: &SessionId,
) -> Result<Tree, Text> {
    let _ = call_t!(journal, JournalMsg::Flush, FLUSH_MS);
    match load(store, session).await {
        Ok(Some(loaded)) => Ok(loaded.tree()),
        Ok(None) => Err("its journal is gone".into()),
        Err(error) => Err(error.message.into()),
    }
}
