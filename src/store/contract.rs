//! What every store must do, as tests that run against each of them.

use std::collections::BTreeMap;
use std::sync::Arc;

use greenroom_actors::ports::{Batch, Store, StoreError, StoredSession, listing};
use greenroom_protocol::session::{
    Content, EntryId, Event, Happening, Image, ImageFormat, Millis, Mode, ModelChoice, Part,
    SessionId, Source, Text,
};
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;

use super::format::arbitrary;
use super::{MemoryStore, RedbSettings, RedbStore};

/// One test a store.
macro_rules! contract {
    ($($test:ident),+ $(,)?) => {
        mod in_memory {
            $(#[tokio::test]
            async fn $test() {
                super::$test(&super::MemoryStore::new()).await;
            })+
        }
        mod in_redb {
            $(#[tokio::test]
            async fn $test() {
                let folder = tempfile::tempdir().unwrap();
                let path = folder.path().join("journal.redb");
                let settings = super::RedbSettings::default();
                super::$test(&super::RedbStore::open(&path, settings).unwrap()).await;
            })+
        }
    };
}

contract!(
    an_unknown_session_has_no_journal,
    events_come_back_in_order_and_as_they_were,
    a_session_goes_on_where_it_was,
    an_append_is_all_or_nothing,
    numbers_must_rise,
    a_journal_begins_with_its_opening,
    only_durable_events_are_taken,
    nothing_to_append_is_no_error,
    lists_are_of_one_workspace_or_all_and_the_latest_first,
    a_list_tells_what_the_events_tell,
    pages_are_the_journal,
    large_values_come_back_and_are_shared,
    a_thousand_sessions_in_one_append,
    appends_at_the_same_time_all_arrive,
);

fn id(name: &str) -> SessionId {
    SessionId::new(name)
}

pub(super) fn event(seq: u64, at: u64, happening: Happening) -> Arc<Event> {
    Arc::new(Event {
        seq,
        at: Millis(at),
        happening,
    })
}

/// The first event of a session.
pub(super) fn opened(root: &str, at: u64) -> Arc<Event> {
    let happening = Happening::Opened {
        root: Text::from(root),
        mode: Mode::Auto,
        model: ModelChoice {
            provider: Text::from("scripted"),
            model: Text::from(""),
            effort: None,
        },
        fork_of: None,
        parent: None,
    };
    event(1, at, happening)
}

/// Some later event.
pub(super) fn titled(seq: u64, title: &str) -> Arc<Event> {
    let title = Text::from(title);
    event(seq, seq, Happening::Titled { title })
}

pub(super) fn batch(session: &str, events: Vec<Arc<Event>>) -> Batch {
    Batch {
        session: id(session),
        events,
    }
}

/// The events of a session, which must be there.
pub(super) async fn journal(store: &dyn Store, session: &str) -> Vec<Event> {
    let stored = store.load(id(session)).await.unwrap();
    stored.map_or(Vec::new(), |stored| stored.events)
}

fn plain(events: &[Arc<Event>]) -> Vec<Event> {
    events.iter().map(|event| event.as_ref().clone()).collect()
}

fn refused(message: &str) -> Result<(), StoreError> {
    Err(StoreError {
        message: message.to_owned(),
    })
}

async fn an_unknown_session_has_no_journal(store: &dyn Store) {
    assert_eq!(store.load(id("a")).await, Ok(None));
    assert_eq!(store.list(None).await, Ok(Vec::new()));
    store
        .append(vec![batch("a", vec![opened("/w", 1)])])
        .await
        .unwrap();
    assert_eq!(store.load(id("b")).await, Ok(None));
}

async fn events_come_back_in_order_and_as_they_were(store: &dyn Store) {
    let mut runner = TestRunner::deterministic();
    let any = arbitrary::event();
    let mut events = vec![opened("/w", 1)];
    for seq in 2..400 {
        let Event { at, happening, .. } = any.new_tree(&mut runner).unwrap().current();
        events.push(Arc::new(Event { seq, at, happening }));
    }
    for piece in events.chunks(7) {
        store
            .append(vec![batch("a", piece.to_vec())])
            .await
            .unwrap();
    }
    let stored = store.load(id("a")).await.unwrap();
    let expected = StoredSession {
        events: plain(&events),
    };
    assert!(stored == Some(expected), "some event came back otherwise");
}

async fn a_session_goes_on_where_it_was(store: &dyn Store) {
    let first = vec![opened("/w", 1), titled(2, "x")];
    // Gaps are possible after a restart.
    let then = vec![titled(9, "y"), titled(12, "z")];
    store.append(vec![batch("a", first.clone())]).await.unwrap();
    store.append(vec![batch("a", then.clone())]).await.unwrap();
    assert_eq!(journal(store, "a").await, plain(&[first, then].concat()));
}

async fn an_append_is_all_or_nothing(store: &dyn Store) {
    store
        .append(vec![batch("a", vec![opened("/w", 1)])])
        .await
        .unwrap();
    let mixed = vec![
        batch("a", vec![titled(2, "good")]),
        batch("new", vec![opened("/w", 1)]),
        batch("a", vec![titled(2, "bad")]),
    ];
    assert_eq!(
        store.append(mixed).await,
        refused("event 2 of session a comes after event 2: numbers must rise")
    );
    assert_eq!(journal(store, "a").await, plain(&[opened("/w", 1)]));
    assert_eq!(store.load(id("new")).await, Ok(None));
    store
        .append(vec![batch("a", vec![titled(2, "good")])])
        .await
        .unwrap();
}

async fn numbers_must_rise(store: &dyn Store) {
    let first = vec![opened("/w", 1), titled(5, "x")];
    store.append(vec![batch("a", first.clone())]).await.unwrap();
    for seq in [0, 1, 4, 5] {
        let message = format!("event {seq} of session a comes after event 5: numbers must rise");
        let again = vec![batch("a", vec![titled(seq, "y")])];
        assert_eq!(store.append(again).await, refused(&message));
    }
    let falling = vec![batch("a", vec![titled(7, "y"), titled(6, "z")])];
    assert_eq!(
        store.append(falling).await,
        refused("event 6 of session a comes after event 7: numbers must rise")
    );
    assert_eq!(journal(store, "a").await, plain(&first));
}

async fn a_journal_begins_with_its_opening(store: &dyn Store) {
    assert_eq!(
        store.append(vec![batch("a", vec![titled(1, "x")])]).await,
        refused(
            "event 1 of session a would begin its journal, which only the event of its opening may"
        )
    );
    assert_eq!(store.load(id("a")).await, Ok(None));
}

async fn only_durable_events_are_taken(store: &dyn Store) {
    let text = Text::from("x");
    let noticed = event(2, 2, Happening::Noticed { text });
    assert_eq!(
        store
            .append(vec![batch("a", vec![opened("/w", 1), noticed])])
            .await,
        refused("event 2 of session a is not durable: give durable events only")
    );
    assert_eq!(store.load(id("a")).await, Ok(None));
}

async fn nothing_to_append_is_no_error(store: &dyn Store) {
    assert_eq!(store.append(Vec::new()).await, Ok(()));
    assert_eq!(store.append(vec![batch("a", Vec::new())]).await, Ok(()));
    assert_eq!(store.load(id("a")).await, Ok(None));
    let with_empty = vec![batch("a", Vec::new()), batch("b", vec![opened("/w", 1)])];
    assert_eq!(store.append(with_empty).await, Ok(()));
    assert_eq!(store.load(id("a")).await, Ok(None));
}

async fn lists_are_of_one_workspace_or_all_and_the_latest_first(store: &dyn Store) {
    let begin = vec![
        batch("a", vec![opened("/w", 100)]),
        batch("b", vec![opened("/v", 200)]),
        batch("c", vec![opened("/w", 300)]),
        batch("d", vec![opened("/w/v", 100)]),
    ];
    store.append(begin).await.unwrap();
    let text = Text::from("x");
    let later = event(2, 400, Happening::Titled { title: text });
    store.append(vec![batch("a", vec![later])]).await.unwrap();

    let names = |root: Option<&str>| {
        let list = store.list(root.map(Text::from));
        async {
            let found = list.await.unwrap();
            found.iter().map(|it| it.id.to_string()).collect::<Vec<_>>()
        }
    };
    assert_eq!(names(None).await, ["a", "c", "b", "d"]);
    assert_eq!(names(Some("/w")).await, ["a", "c"]);
    assert_eq!(names(Some("/")).await, [""; 0]);
}

async fn pages_are_the_journal(store: &dyn Store) {
    let mut events = vec![opened("/w", 1)];
    let large = "large ".repeat(40_000);
    events.extend((2..40).map(|seq| titled(seq * 3, &format!("{seq} {large}"))));
    store
        .append(vec![batch("a", events.clone())])
        .await
        .unwrap();
    let mut paged = Vec::new();
    loop {
        let after = paged.last().map_or(0, |event: &Event| event.seq);
        let page = store.page(id("a"), after).await.unwrap();
        if page.is_empty() {
            break;
        }
        paged.extend(page);
    }
    assert!(paged == plain(&events), "some page is not what was written");
    assert_eq!(store.page(id("b"), 0).await, Ok(Vec::new()));
}

async fn a_list_tells_what_the_events_tell(store: &dyn Store) {
    let mut runner = TestRunner::deterministic();
    let any = arbitrary::event();
    let mut journals = BTreeMap::new();
    for name in ["a", "b", "c"] {
        let mut events = vec![opened("/w", 1)];
        for seq in 2..120 {
            let Event { at, happening, .. } = any.new_tree(&mut runner).unwrap().current();
            let is_opening = matches!(happening, Happening::Opened { .. });
            if !is_opening {
                events.push(Arc::new(Event { seq, at, happening }));
            }
        }
        for piece in events.chunks(11) {
            store
                .append(vec![batch(name, piece.to_vec())])
                .await
                .unwrap();
        }
        journals.insert(name, plain(&events));
    }
    let mut expected: Vec<_> = journals
        .iter()
        .filter_map(|(name, events)| listing::of(&id(name), events))
        .collect();
    listing::latest_first(&mut expected);
    assert_eq!(store.list(None).await, Ok(expected));
}

async fn large_values_come_back_and_are_shared(store: &dyn Store) {
    let text = Text::from("line of a long text\n".repeat(100_000));
    let bytes: Arc<[u8]> = (0..300_000u32).map(|i| (i % 251) as u8).collect();
    let image = Image {
        format: ImageFormat::Png,
        bytes,
    };
    let content = Content {
        parts: vec![
            Part::Text(text.clone()),
            Part::Image(image.clone()),
            Part::Image(image),
            Part::Text(Text::from("é".repeat(8 * 1024 + 1))),
        ],
    };
    let said = |seq| {
        let message = Happening::UserMessage {
            entry: EntryId(seq),
            content: content.clone(),
            source: Source::Prompt,
        };
        event(seq, seq, message)
    };
    let events = vec![opened("/w", 1), said(2), said(3)];
    store
        .append(vec![batch("a", events.clone())])
        .await
        .unwrap();
    let stored = journal(store, "a").await;
    assert!(
        stored == plain(&events),
        "a large value came back otherwise"
    );

    let texts: Vec<*const u8> = stored
        .iter()
        .filter_map(first_text)
        .map(|t| t.as_ptr())
        .collect();
    assert_eq!(texts.len(), 2);
    assert_eq!(texts.first(), texts.last(), "the text is there twice");
}

fn first_text(event: &Event) -> Option<&Text> {
    let Happening::UserMessage { content, .. } = &event.happening else {
        return None;
    };
    match content.parts.first() {
        Some(Part::Text(text)) => Some(text),
        _ => None,
    }
}

async fn a_thousand_sessions_in_one_append(store: &dyn Store) {
    let name = |number: u64| format!("session-{number}");
    let mut expected = BTreeMap::new();
    for number in 0..1_000 {
        let events = vec![opened("/w", number), titled(2_000 + number, &name(number))];
        expected.insert(name(number), events);
    }
    let to_batch = |(name, events): (&String, &Vec<_>)| batch(name, events.clone());
    store
        .append(expected.iter().map(to_batch).collect())
        .await
        .unwrap();
    for (name, events) in &expected {
        assert_eq!(journal(store, name).await, plain(events));
    }
    let listed = store.list(Some(Text::from("/w"))).await.unwrap();
    let names: Vec<String> = listed.iter().map(|found| found.id.to_string()).collect();
    let latest_first: Vec<String> = (0..1_000).rev().map(name).collect();
    assert_eq!(names, latest_first);
}

async fn appends_at_the_same_time_all_arrive(store: &dyn Store) {
    let mut waiting = Vec::new();
    for number in 0..200 {
        let events = vec![opened("/w", 1), titled(2, "x")];
        waiting.push(store.append(vec![batch(&format!("s{number}"), events)]));
    }
    let set: tokio::task::JoinSet<_> = waiting.into_iter().collect();
    for outcome in set.join_all().await {
        assert_eq!(outcome, Ok(()));
    }
    assert_eq!(store.list(None).await.unwrap().len(), 200);
}
