use std::io::ErrorKind;
use std::time::Duration;

use greenroom_actors::ports::Store;
use proptest::prelude::*;

use super::*;
use crate::store::contract::{batch, journal, opened, titled};
use crate::store::format::arbitrary;
use crate::store::redb_store::flaky_disk::{FlakyDisk, Trouble};
use crate::store::redb_store::frame;
use crate::store::redb_store::writer::Pace;

/// Does nothing by itself.
fn calm(ahead: u64) -> Pace {
    Pace {
        quiet: Duration::from_secs(3600),
        retry: Duration::from_secs(3600),
        ahead,
        ..Pace::default()
    }
}

async fn titles(store: &RedbStore, session: &str, seqs: std::ops::RangeInclusive<u64>) {
    for seq in seqs {
        let events = vec![titled(seq, &format!("title {seq}"))];
        store.append(vec![batch(session, events)]).await.unwrap();
    }
}

/// The files of a store that is open, as a crash would leave them.
fn crashed(path: &Path, into: &Path) {
    for extension in ["redb", "ahead"] {
        let from = path.with_extension(extension);
        std::fs::copy(from, into.with_extension(extension)).unwrap();
    }
}

#[tokio::test]
async fn small_appends_stand_in_the_log_until_somebody_reads() {
    let disk = FlakyDisk::new(1);
    let store = RedbStore::start(Box::new(disk.clone()), None, calm(1 << 20)).unwrap();
    store
        .append(vec![batch("a", vec![opened("/w", 1)])])
        .await
        .unwrap();
    titles(&store, "a", 2..=2).await;
    let (database, log) = disk.shown();
    titles(&store, "a", 3..=5).await;
    let (same, longer) = disk.shown();
    assert!(database == same, "the database is left alone");
    assert_ne!(log, longer);
    assert_eq!(journal(&store, "a").await.len(), 5);
    assert!(database != disk.shown().0, "it is brought up to date");
}

#[tokio::test]
async fn a_large_append_takes_those_that_wait_with_it() {
    let disk = FlakyDisk::new(1);
    let store = RedbStore::start(Box::new(disk.clone()), None, calm(1 << 20)).unwrap();
    store
        .append(vec![batch("a", vec![opened("/w", 1)])])
        .await
        .unwrap();
    titles(&store, "a", 2..=4).await;
    let large = vec![titled(5, &"large ".repeat(5_000))];
    store.append(vec![batch("a", large)]).await.unwrap();
    titles(&store, "a", 6..=6).await;
    let seqs: Vec<u64> = journal(&store, "a")
        .await
        .iter()
        .map(|event| event.seq)
        .collect();
    assert_eq!(seqs, [1, 2, 3, 4, 5, 6]);
}

#[tokio::test]
async fn a_log_that_is_full_begins_anew() {
    let disk = FlakyDisk::new(1);
    let store = RedbStore::start(Box::new(disk.clone()), None, calm(2 << 10)).unwrap();
    store
        .append(vec![batch("a", vec![opened("/w", 1)])])
        .await
        .unwrap();
    titles(&store, "a", 2..=100).await;
    assert_eq!(disk.shown().1.len(), 2 << 10);
    assert_eq!(journal(&store, "a").await.len(), 100);
}

/// A rule that the database's own way checks holds for the log, too, within one
/// append and across several.
#[tokio::test]
async fn a_wrong_append_is_refused_before_it_stands_in_the_log() {
    let disk = FlakyDisk::new(1);
    let store = RedbStore::start(Box::new(disk.clone()), None, calm(1 << 20)).unwrap();
    store
        .append(vec![batch("a", vec![opened("/w", 1)])])
        .await
        .unwrap();
    titles(&store, "a", 2..=3).await;
    let (_, log) = disk.shown();
    let twice = vec![
        batch("a", vec![titled(4, "x")]),
        batch("a", vec![titled(4, "y")]),
    ];
    let unopened = vec![batch("b", vec![titled(1, "x")])];
    for wrong in [vec![batch("a", vec![titled(3, "x")])], twice, unopened] {
        let refused = store.append(wrong).await.unwrap_err().message;
        assert!(refused.starts_with("event "), "{refused}");
    }
    assert!(log == disk.shown().1, "nothing was written");
    assert_eq!(journal(&store, "a").await.len(), 3);
}

/// A frame whose sync failed may have reached the disk. Its append was refused,
/// so no later start may find it.
#[tokio::test]
async fn a_refused_append_does_not_come_back() {
    for seed in 0..30 {
        let disk = FlakyDisk::new(seed);
        let store = RedbStore::start(Box::new(disk.clone()), None, calm(1 << 20)).unwrap();
        store
            .append(vec![batch("a", vec![opened("/w", 1)])])
            .await
            .unwrap();
        // The log is ready, and empty again.
        titles(&store, "a", 2..=2).await;
        assert_eq!(journal(&store, "a").await.len(), 2);
        disk.trouble(Trouble {
            after: 1,
            with: ErrorKind::Other,
            once: true,
        });
        let refused = store.append(vec![batch("a", vec![titled(3, "x")])]).await;
        refused.unwrap_err();
        // Straight into the database, which does not name another key for it.
        let large = vec![titled(4, &"large ".repeat(5_000))];
        store.append(vec![batch("a", large)]).await.unwrap();
        drop(store);
        disk.cut_power();
        let store = RedbStore::start(Box::new(disk), None, calm(1 << 20)).unwrap();
        let found = journal(&store, "a").await;
        let seqs: Vec<u64> = found.iter().map(|event| event.seq).collect();
        assert_eq!(seqs, [1, 2, 4], "seed {seed}");
    }
}

/// A commit fails at any of its writes and syncs, the last one among them,
/// behind which it has taken place: those that waited are there once, and what
/// was refused is not.
#[tokio::test]
async fn a_failed_commit_is_known_to_have_taken_place_or_not() {
    for (seed, after) in (0..8).flat_map(|seed| (0..30).map(move |after| (seed, after))) {
        let disk = FlakyDisk::new(seed);
        let store = RedbStore::start(Box::new(disk.clone()), None, calm(1 << 20)).unwrap();
        store
            .append(vec![batch("a", vec![opened("/w", 1)])])
            .await
            .unwrap();
        titles(&store, "a", 2..=3).await;
        disk.trouble(Trouble {
            after,
            with: ErrorKind::Other,
            once: true,
        });
        let large = vec![titled(4, &"large ".repeat(5_000))];
        let took_place = store.append(vec![batch("a", large)]).await.is_ok();
        disk.mend();
        titles(&store, "a", 5..=5).await;
        let found = journal(&store, "a").await;
        let seqs: Vec<u64> = found.iter().map(|event| event.seq).collect();
        let expected: &[u64] = match took_place {
            true => &[1, 2, 3, 4, 5],
            false => &[1, 2, 3, 5],
        };
        assert_eq!(seqs, expected, "seed {seed}, after {after}");
    }
}

/// The same for a checkpoint, which syncs twice: its last sync fails often when
/// all is there.
#[tokio::test]
async fn a_failed_checkpoint_is_known_to_have_taken_place_or_not() {
    for (seed, after) in (0..8).flat_map(|seed| (0..40).map(move |after| (seed, after))) {
        let disk = FlakyDisk::new(seed);
        let store = RedbStore::start(Box::new(disk.clone()), None, calm(1 << 20)).unwrap();
        store
            .append(vec![batch("a", vec![opened("/w", 1)])])
            .await
            .unwrap();
        titles(&store, "a", 2..=3).await;
        disk.trouble(Trouble {
            after,
            with: ErrorKind::Other,
            once: true,
        });
        // Reading brings the database up to date.
        let _ = store.list(None).await;
        disk.mend();
        titles(&store, "a", 4..=4).await;
        let found = journal(&store, "a").await;
        let seqs: Vec<u64> = found.iter().map(|event| event.seq).collect();
        assert_eq!(seqs, [1, 2, 3, 4], "seed {seed}, after {after}");
    }
}

#[tokio::test]
async fn what_stands_in_the_log_alone_is_there_after_a_crash() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal.redb");
    let store = open(&path).unwrap();
    store
        .append(vec![batch("a", vec![opened("/w", 1)])])
        .await
        .unwrap();
    titles(&store, "a", 2..=9).await;
    let copy = tempfile::tempdir().unwrap();
    let copied = copy.path().join("journal.redb");
    crashed(&path, &copied);
    let expected = journal(&store, "a").await;
    for _ in 0..2 {
        let store = open(&copied).unwrap();
        assert_eq!(journal(&store, "a").await, expected);
    }
}

#[tokio::test]
async fn the_log_of_another_journal_says_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let (one, other) = (
        folder.path().join("one.redb"),
        folder.path().join("other.redb"),
    );
    let store = open(&one).unwrap();
    store
        .append(vec![batch("a", vec![opened("/w", 1)])])
        .await
        .unwrap();
    titles(&store, "a", 2..=9).await;
    let second = open(&other).unwrap();
    second
        .append(vec![batch("b", vec![opened("/w", 1)])])
        .await
        .unwrap();
    drop(second);
    std::fs::copy(one.with_extension("ahead"), other.with_extension("ahead")).unwrap();
    let second = open(&other).unwrap();
    assert_eq!(second.load(SessionId::new("a")).await, Ok(None));
    assert_eq!(journal(&second, "b").await.len(), 1);
}

#[tokio::test]
async fn a_log_that_cannot_be_read_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal.redb");
    let store = open(&path).unwrap();
    store
        .append(vec![batch("a", vec![opened("/w", 1)])])
        .await
        .unwrap();
    drop(store);
    let log = path.with_extension("ahead");
    std::fs::remove_file(&log).unwrap();
    std::fs::create_dir(&log).unwrap();
    let message = refusal(&path);
    let named = format!(
        "the log {} beside the journal cannot be read",
        log.display()
    );
    assert!(message.starts_with(&named), "{message}");
}

/// A log that is cut or changed anywhere gives the appends before that place,
/// and nothing else.
#[tokio::test]
async fn a_damaged_log_gives_what_stands_before_the_damage() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal.redb");
    let store = open(&path).unwrap();
    store
        .append(vec![batch("a", vec![opened("/w", 1)])])
        .await
        .unwrap();
    titles(&store, "a", 2..=9).await;
    let copied = folder.path().join("copy.redb");
    crashed(&path, &copied);
    let database = std::fs::read(&copied).unwrap();
    let log = std::fs::read(copied.with_extension("ahead")).unwrap();
    let used = log.iter().rposition(|byte| *byte != 0).unwrap();
    let expected = journal(&store, "a").await;
    let mut random = fastrand::Rng::with_seed(3);
    let mut lengths = std::collections::BTreeSet::new();
    for _ in 0..40 {
        let mut changed = log.clone();
        changed[random.usize(..used)] ^= 1 << random.u8(..8);
        std::fs::write(&copied, &database).unwrap();
        std::fs::write(copied.with_extension("ahead"), &changed).unwrap();
        let found = journal(&open(&copied).unwrap(), "a").await;
        assert_eq!(found, expected[..found.len()]);
        lengths.insert(found.len());
    }
    assert!(lengths.len() > 3, "{lengths:?}");
}

proptest! {
    #[test]
    fn frames_give_back_what_they_took(
        events in prop::collection::vec(arbitrary::event(), 0..6),
        names in prop::collection::vec("[a-z0-9-]{1,20}", 1..4),
    ) {
        let events: Vec<_> = events.into_iter().map(std::sync::Arc::new).collect();
        let batches: Vec<_> = names.iter().map(|name| batch(name, events.clone())).collect();
        let mut body = Vec::new();
        if frame::encode(&batches, 1 << 20, &mut body).unwrap() {
            let found = frame::decode(&body).unwrap();
            let pairs = |batches: &[greenroom_actors::ports::Batch]| -> Vec<_> {
                batches
                    .iter()
                    .map(|batch| (batch.session.clone(), batch.events.clone()))
                    .collect()
            };
            prop_assert_eq!(pairs(&found), pairs(&batches));
        }
    }

    #[test]
    fn any_bytes_are_read_or_refused(body in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = frame::decode(&body);
    }
}
