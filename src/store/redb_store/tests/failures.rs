use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::sync::Arc;
use std::time::Duration;

use greenroom_actors::ports::{Batch, Store};
use greenroom_protocol::session::Event;

use super::*;
use crate::store::contract::{batch, journal, opened, titled};
use crate::store::redb_store::flaky_disk::{FlakyDisk, Trouble};
use crate::store::redb_store::writer::Pace;

/// How many seeds each test takes; more by `GREENROOM_STORE_SEEDS`.
fn seeds() -> std::ops::Range<u64> {
    let named = std::env::var("GREENROOM_STORE_SEEDS");
    0..named.map_or(60, |count| count.parse().unwrap())
}

/// What was acknowledged.
type Journals = BTreeMap<String, Vec<Arc<Event>>>;

fn start(disk: &FlakyDisk, pace: Pace) -> RedbStore {
    RedbStore::start(Box::new(disk.clone()), None, pace).unwrap()
}

/// Neither seals nor retries by itself.
fn calm() -> Pace {
    Pace {
        quiet: Duration::from_secs(3600),
        retry: Duration::from_secs(3600),
        ..Pace::default()
    }
}

async fn found(store: &RedbStore) -> Journals {
    let mut journals = Journals::new();
    for summary in store.list(None).await.unwrap() {
        let name = summary.id.to_string();
        let events = journal(store, &name).await;
        journals.insert(name, events.into_iter().map(Arc::new).collect());
    }
    journals
}

fn with(journals: &Journals, batches: &[Batch]) -> Journals {
    let mut journals = journals.clone();
    for batch in batches {
        let journal = journals.entry(batch.session.to_string()).or_default();
        journal.extend(batch.events.iter().cloned());
    }
    journals
}

/// Some batches that may come next.
fn any_batches(random: &mut fastrand::Rng, journals: &Journals) -> Vec<Batch> {
    let mut batches = Vec::new();
    let first = random.u32(..6);
    for number in first..first + random.u32(1..4) {
        let name = format!("s{number}");
        let last = journals.get(&name).and_then(|journal| journal.last());
        let mut events = Vec::new();
        let mut next = match last {
            Some(last) => last.seq + 1,
            None => {
                events.push(opened("/w", 1));
                2
            }
        };
        for _ in 0..random.u32(1..4) {
            let len = if random.u8(..8) == 0 { 30_000 } else { 100 };
            let title = format!("{next} ").repeat(len / 2);
            events.push(titled(next, &title));
            next += random.u64(1..3);
        }
        batches.push(batch(&name, events));
    }
    batches
}

fn any_pace(random: &mut fastrand::Rng) -> Pace {
    Pace {
        // With no patience at all, every commit is followed by a seal.
        quiet: if random.bool() {
            Duration::ZERO
        } else {
            calm().quiet
        },
        large: if random.u8(..3) == 0 { 0 } else { u64::MAX },
        // None, one that is full after a few appends, and the usual one.
        ahead: *random.choice(&[0, 4 << 10, 1 << 20]).unwrap_or(&0),
        ..calm()
    }
}

/// A write or a sync fails, at any place, once or for a while. What was
/// acknowledged is there, what was refused is not, and when the disk works
/// again so does the store. A power cut afterwards finds all that was
/// acknowledged on the disk, and not only in the system's cache.
#[tokio::test]
async fn failing_disks_lose_nothing_and_the_store_goes_on() {
    for seed in seeds() {
        let mut random = fastrand::Rng::with_seed(seed);
        let disk = FlakyDisk::new(seed);
        let mut store = start(&disk, any_pace(&mut random));
        let mut acknowledged = Journals::new();
        for step in 0..12 {
            if random.u8(..4) == 0 {
                drop(store);
                disk.cut_power();
                store = start(&disk, any_pace(&mut random));
            }
            if random.bool() {
                disk.trouble(Trouble {
                    after: random.u32(..25),
                    with: if random.bool() {
                        ErrorKind::StorageFull
                    } else {
                        ErrorKind::Other
                    },
                    once: random.bool(),
                });
            }
            let batches = any_batches(&mut random, &acknowledged);
            if store.append(batches.clone()).await.is_ok() {
                acknowledged = with(&acknowledged, &batches);
            }
            disk.mend();
            // The store may only just have met the trouble, in a seal: the
            // first append after it is answered for sure, the one after that
            // succeeds.
            let mut batches = any_batches(&mut random, &acknowledged);
            if store.append(batches.clone()).await.is_err() {
                batches = any_batches(&mut random, &acknowledged);
                store.append(batches.clone()).await.unwrap();
            }
            acknowledged = with(&acknowledged, &batches);
            let found = found(&store).await;
            assert!(found == acknowledged, "seed {seed}, step {step}: {found:?}");
        }
    }
}

/// The power goes, at any place. What was acknowledged is there, and what was
/// on its way is there whole or not at all.
#[tokio::test]
async fn power_cuts_lose_nothing_and_tear_nothing() {
    for seed in seeds() {
        let mut random = fastrand::Rng::with_seed(1_000 + seed);
        let disk = FlakyDisk::new(seed);
        let mut acknowledged = Journals::new();
        for step in 0..8 {
            let store = start(&disk, any_pace(&mut random));
            let found_now = found(&store).await;
            assert!(
                found_now == acknowledged,
                "seed {seed}, step {step}: {found_now:?}"
            );
            for _ in 0..random.u32(..4) {
                let batches = any_batches(&mut random, &acknowledged);
                store.append(batches.clone()).await.unwrap();
                acknowledged = with(&acknowledged, &batches);
            }
            // From some write on the disk takes nothing more, as if it had no
            // power: the store's own attempts to go on change nothing.
            disk.trouble(Trouble {
                after: random.u32(..25),
                with: ErrorKind::Other,
                once: false,
            });
            let batches = any_batches(&mut random, &acknowledged);
            let outcome = store.append(batches.clone()).await;
            drop(store);
            disk.cut_power();

            let possible = with(&acknowledged, &batches);
            let store = start(&disk, calm());
            let found_then = found(&store).await;
            if outcome.is_ok() {
                assert!(
                    found_then == possible,
                    "seed {seed}, step {step}: {found_then:?}"
                );
            } else {
                assert!(
                    found_then == possible || found_then == acknowledged,
                    "seed {seed}, step {step}: {found_then:?}"
                );
            }
            acknowledged = found_then;
        }
    }
}

#[tokio::test]
async fn a_full_disk_is_told_and_forgotten_when_there_is_space() {
    let disk = FlakyDisk::new(1);
    let store = start(&disk, calm());
    store
        .append(vec![batch("a", vec![opened("/w", 1)])])
        .await
        .unwrap();
    disk.trouble(Trouble {
        after: 0,
        with: ErrorKind::StorageFull,
        once: false,
    });
    let full = StoreError {
        message: "no space is left for the journal /flaky/journal.redb: free some and try again"
            .to_owned(),
    };
    for _ in 0..3 {
        let more = vec![batch("a", vec![titled(2, "x")])];
        assert_eq!(store.append(more).await, Err(full.clone()));
        assert_eq!(store.list(None).await, Err(full.clone()));
    }
    disk.mend();
    store
        .append(vec![batch("a", vec![titled(2, "y")])])
        .await
        .unwrap();
    let expected = vec![(*opened("/w", 1)).clone(), (*titled(2, "y")).clone()];
    assert_eq!(journal(&store, "a").await, expected);
}

#[tokio::test]
async fn a_broken_store_mends_itself_without_an_append() {
    let disk = FlakyDisk::new(2);
    let retry = Duration::from_millis(1);
    let store = start(&disk, Pace { retry, ..calm() });
    store
        .append(vec![batch("a", vec![opened("/w", 1)])])
        .await
        .unwrap();
    disk.trouble(Trouble {
        after: 0,
        with: ErrorKind::StorageFull,
        once: false,
    });
    store
        .append(vec![batch("a", vec![titled(2, "x")])])
        .await
        .unwrap_err();
    disk.mend();
    let mended = async {
        while store.list(None).await.is_err() {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(60), mended)
        .await
        .unwrap();
    assert_eq!(journal(&store, "a").await, [(*opened("/w", 1)).clone()]);
}
