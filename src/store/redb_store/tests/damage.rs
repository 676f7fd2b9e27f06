use greenroom_actors::ports::Store;
use greenroom_protocol::session::SessionId;

use super::*;
use crate::store::contract::{batch, journal, opened, titled};
use crate::store::redb_store::schema::{BLOBS, EVENTS};

/// A journal of two sessions, the first with a large value.
async fn filled(path: &Path) {
    let store = open(path).unwrap();
    let large = "large ".repeat(5_000);
    let events = vec![opened("/w", 1), titled(2, "x"), titled(3, &large)];
    let other = vec![opened("/w", 1), titled(2, "y")];
    store
        .append(vec![batch("a", events), batch("b", other)])
        .await
        .unwrap();
}

async fn message_of_load(store: &RedbStore) -> String {
    store.load(SessionId::new("a")).await.unwrap_err().message
}

#[tokio::test]
async fn a_record_of_a_later_version_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal.redb");
    filled(&path).await;
    tamper(&path, EVENTS, (1, 2), &[9, 1, 2, 3, 4, 5][..]);
    let store = open(&path).unwrap();
    assert_eq!(
        message_of_load(&store).await,
        "event 2 of session a cannot be read: it has format version 9 and this build reads versions up to 1: open it with the build that wrote it, or a later one"
    );
}

#[tokio::test]
async fn a_damaged_record_takes_its_session_and_no_other() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal.redb");
    filled(&path).await;
    tamper(&path, EVENTS, (1, 3), &[1, b'{', b'}', 0, 0, 0, 0][..]);
    let store = open(&path).unwrap();
    assert_eq!(
        message_of_load(&store).await,
        "event 3 of session a cannot be read: it is damaged (its checksum differs): restore the journal from a copy, or move it away to begin anew"
    );
    assert_eq!(journal(&store, "b").await.len(), 2);
    let listed = store.list(None).await.unwrap();
    let names: Vec<&str> = listed.iter().map(|found| found.id.as_str()).collect();
    assert_eq!(names, ["b", "a"]);
}

#[tokio::test]
async fn an_event_in_the_wrong_place_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal.redb");
    filled(&path).await;
    let record = {
        use redb::ReadableDatabase;
        let database = Database::create(&path).unwrap();
        let events = database.begin_read().unwrap().open_table(EVENTS).unwrap();
        events.get((1, 2)).unwrap().unwrap().value().to_vec()
    };
    tamper(&path, EVENTS, (1, 7), record.as_slice());
    let message = message_of_load(&open(&path).unwrap()).await;
    assert!(
        message.contains("it stands in the place of event 7"),
        "{message}"
    );
}

#[tokio::test]
async fn a_damaged_large_value_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal.redb");
    filled(&path).await;
    let large = "large ".repeat(5_000);
    let id = crate::store::format::BlobId::of(large.as_bytes());
    for (bytes, fault) in [
        (large.replace('g', "G").into_bytes(), "is damaged"),
        (large.as_bytes()[1..].to_vec(), "is not whole"),
    ] {
        tamper(&path, BLOBS, (&id.0, 0), bytes.as_slice());
        let store = open(&path).unwrap();
        let message = message_of_load(&store).await;
        let expected = format!("event 3 of session a cannot be read: its large value {id} {fault}");
        assert!(message.starts_with(&expected), "{message}");
        assert_eq!(journal(&store, "b").await.len(), 2);
    }
}

/// What is read from a file that somebody has changed is what was written or an
/// error: no panic comes through, and nothing made up.
#[tokio::test]
async fn a_changed_file_is_an_error_or_does_no_harm() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal.redb");
    filled(&path).await;
    let whole = std::fs::read(&path).unwrap();
    let expected = journal(&open(&path).unwrap(), "b").await;
    let used: Vec<usize> = (0..whole.len())
        .filter(|place| whole[*place] != 0)
        .collect();
    let mut random = fastrand::Rng::with_seed(7);
    for _ in 0..150 {
        let mut changed = whole.clone();
        for _ in 0..random.usize(1..20) {
            changed[used[random.usize(..used.len())]] ^= 1 << random.u8(..8);
        }
        std::fs::write(&path, &changed).unwrap();
        let Ok(store) = open(&path) else {
            continue;
        };
        let _ = store.list(None).await;
        if let Ok(Some(stored)) = store.load(SessionId::new("b")).await {
            assert!(
                stored.events.iter().all(|event| expected.contains(event)),
                "made up: {:?}",
                stored.events
            );
        }
        let _ = store.append(vec![batch("c", vec![opened("/w", 1)])]).await;
    }
}
