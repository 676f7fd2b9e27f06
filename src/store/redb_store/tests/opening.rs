use std::os::unix::fs::PermissionsExt;

use greenroom_actors::ports::Store;
use greenroom_protocol::session::SessionId;
use redb::TableDefinition;

use super::*;
use crate::store::contract::{batch, journal, opened, titled};

#[tokio::test]
async fn what_was_appended_is_there_in_the_next_process() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal.redb");
    let first = open(&path).unwrap();
    assert!(first.is_durable(&SessionId::new("a")));
    first
        .append(vec![batch("a", vec![opened("/w", 1)])])
        .await
        .unwrap();
    drop(first);
    let second = open(&path).unwrap();
    second
        .append(vec![batch("a", vec![titled(2, "x")])])
        .await
        .unwrap();
    drop(second);
    let third = open(&path).unwrap();
    let expected = vec![(*opened("/w", 1)).clone(), (*titled(2, "x")).clone()];
    assert_eq!(journal(&third, "a").await, expected);
}

#[test]
fn files_and_folders_are_the_owners_alone() {
    let outer = tempfile::tempdir().unwrap();
    let path = outer
        .path()
        .join("state")
        .join("greenroom")
        .join("journal.redb");
    let _store = open(&path).unwrap();
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&path), 0o600);
    assert_eq!(mode(&path.with_extension("lock")), 0o600);
    assert_eq!(mode(path.parent().unwrap()), 0o700);
    assert_eq!(mode(&outer.path().join("state")), 0o700);
}

#[test]
fn a_held_journal_is_refused_with_its_holder() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal.redb");
    let store = open(&path).unwrap();
    let message = refusal(&path);
    let holder = format!("is in use by process {} (", std::process::id());
    assert!(message.contains(&holder), "{message}");
    drop(store);
    open(&path).unwrap();
}

#[test]
fn a_journal_that_another_program_holds_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal.redb");
    let _other = Database::create(&path).unwrap();
    assert_eq!(
        refusal(&path),
        format!(
            "the journal {} is open in another program: close that one, or name another file",
            path.display()
        )
    );
}

#[test]
fn other_files_are_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal.redb");
    std::fs::write(&path, "dear diary").unwrap();
    let message = refusal(&path);
    assert!(
        message.ends_with("move it away, or name another file"),
        "{message}"
    );
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "dear diary");
}

#[test]
fn other_databases_are_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("other.redb");
    tamper(&path, TableDefinition::<u64, u64>::new("birds"), 1, 2);
    let expected = format!("{} is not a journal: name another file", path.display());
    assert_eq!(refusal(&path), expected);

    let path = folder.path().join("alike.redb");
    tamper(&path, TableDefinition::<u64, u64>::new("meta"), 1, 2);
    let expected = format!("{} is not a journal: name another file", path.display());
    assert_eq!(refusal(&path), expected);
}

#[tokio::test]
async fn a_later_layout_is_refused_with_its_remedy() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal.redb");
    let store = open(&path).unwrap();
    store
        .append(vec![batch("a", vec![opened("/w", 1)])])
        .await
        .unwrap();
    drop(store);
    tamper(
        &path,
        TableDefinition::<&str, u64>::new("meta"),
        "schema",
        2,
    );
    assert_eq!(
        refusal(&path),
        format!(
            "the journal {} has layout version 2 and this build reads version 1: use the build that made it, or a later one",
            path.display()
        )
    );
}

#[test]
fn a_place_where_nothing_can_be_made_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("file"), "").unwrap();
    let message = refusal(&folder.path().join("file").join("journal.redb"));
    assert!(message.contains("cannot be read or written"), "{message}");
}

#[tokio::test]
async fn what_was_asked_before_the_end_is_done_and_after_it_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal.redb");
    let store = open(&path).unwrap();
    let append = store.append(vec![batch("a", vec![opened("/w", 1)])]);
    let load = store.load(SessionId::new("a"));
    drop(store);
    let message = format!("the journal {} is closed: open it anew", path.display());
    let closed = StoreError { message };
    assert_eq!(append.await, Err(closed.clone()));
    assert_eq!(load.await, Err(closed));
}

#[tokio::test]
async fn a_dropped_append_is_done_whole() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(&folder.path().join("journal.redb")).unwrap();
    let events = vec![opened("/w", 1), titled(2, "x")];
    let mut append = store.append(vec![batch("a", events), batch("b", vec![opened("/w", 1)])]);
    // Polled once, it is with the writing thread.
    let polled = std::future::poll_fn(|cx| std::task::Poll::Ready(append.as_mut().poll(cx)));
    let _ = polled.await;
    drop(append);
    store
        .append(vec![batch("c", vec![opened("/w", 1)])])
        .await
        .unwrap();
    let expected = vec![(*opened("/w", 1)).clone(), (*titled(2, "x")).clone()];
    assert_eq!(journal(&store, "a").await, expected);
    assert_eq!(journal(&store, "b").await, expected[..1]);
}
