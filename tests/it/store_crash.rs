//! `kill -9` under a writing store: what was acknowledged is there, in order,
//! and nothing is torn.
//!
//! The test binary runs itself as the child. The child appends batch after
//! batch, each to two of its round's sessions, and writes the number of each
//! acknowledged one to its standard output. The parent kills it at any moment
//! and looks at what is there. What batch `n` holds follows from `n` alone, so
//! that whole journals can be compared.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use greenroom::store::{RedbSettings, RedbStore};
use greenroom_actors::ports::{Batch, Store};
use greenroom_protocol::session::{
    Content, EntryId, Event, Happening, Image, ImageFormat, Millis, Mode, ModelChoice, Part,
    SessionId, Source, Text,
};

const ROUNDS: u64 = 36;
/// Sessions a round; each batch goes to two of them.
const SESSIONS: u64 = 3;
const EVENTS_A_BATCH: u64 = 3;
/// Set for the child: the journal's path, a blank, the round.
const CHILD: &str = "GREENROOM_TEST_STORE_CRASH";

#[test]
fn acknowledged_batches_survive_kill_9() {
    if let Ok(task) = std::env::var(CHILD) {
        let (path, round) = task.rsplit_once(' ').unwrap();
        append_until_killed(Path::new(path), round.parse().unwrap());
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal.redb");
    let mut random = fastrand::Rng::with_seed(36);
    let mut all_written = Vec::new();
    let mut on_their_way = 0;
    for round in 0..ROUNDS {
        let moment = Duration::from_micros(random.u64(0..60_000));
        let acknowledged = kill_a_writer(&path, round, moment);
        let written = written_batches(&path, round, acknowledged);
        on_their_way += written - acknowledged;
        all_written.push(written);
    }
    let total: u64 = all_written.iter().sum();
    println!("{total} batches, {on_their_way} of them not yet acknowledged");

    let store = open(&path);
    let runtime = runtime();
    for (round, written) in (0..).zip(all_written) {
        let is_there = runtime.block_on(holds(&store, round, written));
        assert!(is_there, "round {round} changed after it was looked at");
    }
}

/// Starts a writer, lets it go on for a `moment` after its first
/// acknowledgement, kills it, and tells how many batches it acknowledged.
fn kill_a_writer(path: &Path, round: u64, moment: Duration) -> u64 {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args([
            "store_crash::acknowledged_batches_survive_kill_9",
            "--exact",
            "--nocapture",
        ])
        .env(CHILD, format!("{} {round}", path.display()))
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let acknowledged = acknowledgements(&mut child);
    let mut last = acknowledged
        .recv_timeout(Duration::from_secs(60))
        .expect("the child appends");
    std::thread::sleep(moment);
    child.kill().unwrap();
    let status = child.wait().unwrap();
    assert_eq!(status.code(), None, "the child ended by itself: {status}");
    // The pipe holds what the child still said.
    for number in acknowledged {
        assert_eq!(number, last + 1);
        last = number;
    }
    last
}

/// The numbers that the child writes, until its end.
fn acknowledgements(child: &mut Child) -> Receiver<u64> {
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        for line in lines.map_while(Result::ok) {
            // The kill may cut the last line, but not one that has an end mark.
            let number = line
                .strip_prefix("acknowledged ")
                .and_then(|rest| rest.strip_suffix(';'));
            if let Some(number) = number {
                let _ = sender.send(number.parse().unwrap());
            }
        }
    });
    receiver
}

/// How many batches of a round are in the file: all that were acknowledged and
/// at most the one that was on its way, in every session.
fn written_batches(path: &Path, round: u64, acknowledged: u64) -> u64 {
    let store = open(path);
    let runtime = runtime();
    for written in [acknowledged, acknowledged + 1] {
        if runtime.block_on(holds(&store, round, written)) {
            return written;
        }
    }
    panic!("round {round}: not what {acknowledged} acknowledged batches leave");
}

/// Whether the round's sessions hold exactly its first `batches`.
async fn holds(store: &RedbStore, round: u64, batches: u64) -> bool {
    for session in 0..SESSIONS {
        let stored = store.load(name(round, session)).await.unwrap();
        let events = stored.map_or(Vec::new(), |stored| stored.events);
        let mut expected = Vec::new();
        for number in 1..=batches {
            for batch in batches_of(round, number) {
                if batch.session == name(round, session) {
                    expected.extend(batch.events.iter().map(|event| event.as_ref().clone()));
                }
            }
        }
        if events != expected {
            return false;
        }
    }
    true
}

/// What append `number` (from 1) of a round holds.
fn batches_of(round: u64, number: u64) -> Vec<Batch> {
    [number % SESSIONS, (number + 1) % SESSIONS]
        .map(|session| Batch {
            session: name(round, session),
            events: events(round, session, number),
        })
        .into()
}

fn name(round: u64, session: u64) -> SessionId {
    SessionId::new(format!("20260101-{round:06}-{session:06}"))
}

/// An opening when the session has none yet, and then messages: small ones,
/// and now and then one with a large text and a picture.
fn events(round: u64, session: u64, number: u64) -> Vec<Arc<Event>> {
    let first_seq = number * EVENTS_A_BATCH + 1;
    let is_first = (1..number).all(|earlier| {
        [earlier % SESSIONS, (earlier + 1) % SESSIONS]
            .iter()
            .all(|other| *other != session)
    });
    let happening = |seq: u64| {
        if is_first && seq == first_seq {
            return Happening::Opened {
                root: Text::from("/work"),
                mode: Mode::Auto,
                model: ModelChoice {
                    provider: Text::from("scripted"),
                    model: Text::from(""),
                    effort: None,
                },
                fork_of: None,
                parent: None,
            };
        }
        let said = format!("round {round}, session {session}, batch {number}, event {seq}. ");
        let mut content = Content::text(said.as_str());
        if number.is_multiple_of(8) {
            content.parts.push(Part::Text(Text::from(said.repeat(600))));
            content.parts.push(Part::Image(Image {
                format: ImageFormat::Png,
                bytes: Arc::from(said.repeat(2_000).as_bytes()),
            }));
        }
        Happening::UserMessage {
            entry: EntryId(seq),
            content,
            source: Source::Prompt,
        }
    };
    let numbered = |seq| {
        Arc::new(Event {
            seq,
            at: Millis(number),
            happening: happening(seq),
        })
    };
    (first_seq..first_seq + EVENTS_A_BATCH)
        .map(numbered)
        .collect()
}

fn append_until_killed(path: &Path, round: u64) -> ! {
    let store = open(path);
    let runtime = runtime();
    let mut number = 0;
    loop {
        number += 1;
        runtime
            .block_on(store.append(batches_of(round, number)))
            .unwrap();
        let mut out = std::io::stdout().lock();
        writeln!(out, "acknowledged {number};").unwrap();
        out.flush().unwrap();
    }
}

fn open(path: &Path) -> RedbStore {
    RedbStore::open(path, RedbSettings::default()).unwrap()
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap()
}
