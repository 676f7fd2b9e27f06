//! A session as its journal holds it, read by the library, without a daemon.

use std::path::Path;
use std::sync::Arc;

use greenroom::store::{RedbSettings, RedbStore};
use greenroom_actors::ports::{ModelRequest, Store};
use greenroom_actors::session::{Effect, Input, Loaded, Session};
use greenroom_actors::testing::settings;
use greenroom_protocol::session::{
    CallId, Command, Content, Event, Interruption, Message, Millis, Reply, SessionId, Snapshot,
    SubscriberId, Ticket,
};

/// What a session comes to, read from its journal.
pub struct Journal {
    pub conversation: Arc<Vec<Message>>,
    pub state: Box<Snapshot>,
    /// What the model would be sent with the next prompt.
    pub request: Box<ModelRequest>,
}

impl Journal {
    /// Opens the store, which nobody may hold, and rebuilds the session.
    pub fn read(state_folder: &Path, session: &str) -> Journal {
        let loaded = Loaded::from(load(state_folder, session));
        for pair in loaded.events.windows(2) {
            assert!(pair[0].seq < pair[1].seq, "{pair:?}");
        }
        let now = Millis(u64::MAX / 2);
        let settings = settings(session);
        let (mut session, _) = Session::rebuild(settings, &loaded, now, Interruption::Crash);
        assert!(session.is_idle(), "a rebuilt session runs no turn");
        let mut ask = |command| {
            session.handle(
                now,
                Input::Asked {
                    by: SubscriberId(1),
                    ticket: Ticket(1),
                    command,
                },
            )
        };
        let conversation = match answer(ask(Command::GetMessages { limit: None })) {
            Reply::Messages(messages) => Arc::new(messages),
            other => panic!("{other:?}"),
        };
        let state = match answer(ask(Command::GetState)) {
            Reply::State(state) => state,
            other => panic!("{other:?}"),
        };
        let effects = ask(Command::Prompt(Content::text("the next prompt")));
        let requests = effects.into_iter().filter_map(|effect| match effect {
            Effect::CallModel { request, .. } => Some(request),
            _ => None,
        });
        Journal {
            conversation,
            state,
            request: requests.last().expect("the next prompt calls the model"),
        }
    }

    /// A provider takes the next request: each call has exactly one result, in
    /// the entry behind it.
    pub fn assert_calls_are_paired(&self) {
        let messages = &self.request.messages;
        for (index, message) in messages.iter().enumerate() {
            let calls: Vec<&CallId> = match message {
                Message::Assistant { message, .. } => {
                    message.calls.iter().map(|it| &it.id).collect()
                }
                _ => Vec::new(),
            };
            let results: Vec<&CallId> = match messages.get(index + 1) {
                Some(Message::Results { results, .. }) => {
                    results.iter().map(|it| &it.call).collect()
                }
                _ => Vec::new(),
            };
            assert_eq!(calls, results, "behind {message:?}");
        }
        let first = messages.first();
        assert!(!matches!(first, Some(Message::Results { .. })), "{first:?}");
    }
}

fn load(state_folder: &Path, session: &str) -> Vec<Event> {
    let path = state_folder.join("journal.redb");
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    let store = RedbStore::open(&path, RedbSettings::default()).unwrap();
    let stored = runtime
        .block_on(store.load(SessionId::new(session)))
        .unwrap();
    stored.expect("the session is in the journal").events
}

fn answer(effects: Vec<Effect>) -> Reply {
    let answers = effects.into_iter().filter_map(|effect| match effect {
        Effect::Answer { outcome, .. } => Some(outcome),
        _ => None,
    });
    answers.last().unwrap().unwrap()
}
