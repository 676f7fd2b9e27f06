//! What is kept, where, for whom, and for how long.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use greenroom_actors::ports::Ran;
use greenroom_protocol::session::{Category, SessionId};
use serde_json::json;

use super::super::testing::Bench;
use super::*;

struct World {
    outputs: Outputs,
    session: SessionId,
    folder: tempfile::TempDir,
}

impl World {
    fn new(longest: u64, most: u64) -> World {
        let folder = tempfile::tempdir().unwrap();
        let settings = ToolSettings {
            outputs_folder: Some(folder.path().join("state/outputs")),
            whole_output_bytes: longest,
            kept_outputs_bytes: most,
            ..ToolSettings::default()
        };
        World {
            outputs: Outputs::new(&settings),
            session: SessionId::new("20260101-000000-aaaaaa"),
            folder,
        }
    }

    fn own(&self) -> PathBuf {
        let outer = self.folder.path().canonicalize().unwrap();
        outer.join("state/outputs").join(self.session.to_string())
    }

    async fn fit(&self, call: &str, text: &str) -> (String, bool) {
        let call = CallId::new(call);
        self.outputs
            .fit(&self.session, &call, text.to_owned(), 10)
            .await
    }

    /// Names of what is kept of the session.
    fn kept(&self) -> Vec<String> {
        let entries = fs::read_dir(self.own()).into_iter().flatten();
        let names = entries.map(|it| it.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<String> = names.collect();
        names.sort();
        names
    }
}

#[tokio::test]
async fn a_long_text_is_cut_and_kept_whole_for_the_user_alone() {
    let world = World::new(1_000, 1_000);
    assert_eq!(world.fit("c1", "short").await, ("short".into(), false));
    assert_eq!(world.kept(), [""; 0]);
    let path = world.own().join("c_2_.txt");
    let (text, cut) = world.fit("c/2.", "0123456789abcdef").await;
    let expected = format!(
        "01234\n[… 6 bytes left out here; the whole is in {}: read_file with offset and limit, or \
         search it …]\nbcdef",
        path.display()
    );
    assert_eq!((text, cut), (expected, true));
    assert_eq!(fs::read_to_string(&path).unwrap(), "0123456789abcdef");
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&path), mode(&world.own())), (0o600, 0o700));
    // The same name once more is another file.
    world.fit("c/2.", "fedcba9876543210").await;
    assert_eq!(world.kept().len(), 2);
    assert_eq!(fs::read_to_string(&path).unwrap(), "0123456789abcdef");

    world.outputs.forget(&world.session);
    assert!(!world.own().exists());
    world.outputs.forget(&world.session);
}

#[tokio::test]
async fn what_is_longer_than_may_be_kept_is_kept_as_far() {
    let world = World::new(14, 1_000);
    let (text, _) = world.fit("c1", "0123456789abcäöü").await;
    let said = format!(
        "; the first 13 bytes are in {}: read_file",
        world.own().join("c1.txt").display()
    );
    assert!(text.contains(&said), "{text}");
    let kept = fs::read_to_string(world.own().join("c1.txt")).unwrap();
    assert_eq!(kept, "0123456789abc");
    // Pieces after the cut don't fill the gap.
    let mut whole = world.outputs.whole(&world.session, &CallId::new("c2"), 3);
    for piece in ["0123456789abc", "ä", "z"] {
        whole.push(piece).await;
    }
    whole.finish().await;
    let kept = fs::read_to_string(world.own().join("c2.txt")).unwrap();
    assert_eq!(kept, "0123456789abc");
}

/// As with a full disk: that nothing can be written there is all that counts.
#[tokio::test]
async fn where_nothing_can_be_written_the_text_says_so() {
    let world = World::new(1_000, 1_000);
    fs::write(world.folder.path().join("state"), "in the way").unwrap();
    let (text, cut) = world.fit("c1", "0123456789abcdef").await;
    assert!(cut);
    assert!(
        text.starts_with("01234\n[… 6 bytes left out here; the whole could not be kept: "),
        "{text}"
    );
    let off = World::new(0, 1_000);
    let (text, _) = off.fit("c1", "0123456789abcdef").await;
    assert_eq!(text, "01234\n[… 6 bytes left out here …]\nbcdef");
    let odd = SessionId::new("../x");
    let call = CallId::new("c1");
    let (text, _) = world
        .outputs
        .fit(&odd, &call, "0123456789abcdef".into(), 10)
        .await;
    assert_eq!(text, "01234\n[… 6 bytes left out here …]\nbcdef");
}

/// `/dev/full` takes no byte: the system's own full disk.
#[tokio::test]
async fn a_full_disk_costs_the_whole_but_nothing_else() {
    let world = World::new(1_000, 1_000);
    fs::create_dir_all(world.own()).unwrap();
    let mut whole = world.outputs.whole(&world.session, &CallId::new("c1"), 3);
    whole.push("01234").await;
    let path = world.own().join("c1.txt");
    assert!(path.exists());
    whole.fill_disk().await;
    for _ in 0..5 {
        whole.push("56789").await;
    }
    let said = whole.finish().await;
    assert!(
        said.starts_with("; the whole could not be kept: No space left"),
        "{said}"
    );
    assert!(!path.exists());
}

#[tokio::test]
async fn a_call_that_is_dropped_leaves_no_file() {
    let world = World::new(1_000, 1_000);
    let mut whole = world.outputs.whole(&world.session, &CallId::new("c1"), 3);
    whole.push("01234").await;
    assert_eq!(world.kept(), ["c1.txt"]);
    drop(whole);
    assert_eq!(world.kept(), [""; 0]);
}

#[test]
fn the_oldest_go() {
    let folder = tempfile::tempdir().unwrap();
    let now = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000);
    let put = |name: &str, bytes: usize, days: u64| {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, "x".repeat(bytes)).unwrap();
        let written = now - Duration::from_secs(days * 24 * 60 * 60);
        fs::File::open(&path)
            .unwrap()
            .set_modified(written)
            .unwrap();
        path
    };
    let newest = put("a/new.txt", 40, 0);
    let second = put("b/second.txt", 40, 1);
    let other = put("b/note.md", 4_000, 30);
    put("b/third.txt", 40, 2);
    put("c/small.txt", 1, 3);
    tidy::tidy(folder.path(), &newest, 100);
    let is_there = |name: &str| folder.path().join(name).exists();
    assert!(newest.exists() && second.exists() && other.exists());
    assert!(!is_there("b/third.txt") && !is_there("c"));
    // One that is too long alone is there as long as it is the newest.
    put("a/old.txt", 1, 15);
    tidy::tidy(folder.path(), &newest, 30);
    assert!(newest.exists() && !second.exists() && !is_there("a/old.txt"));
    let day = put("a/day.txt", 1, 1);
    put("a/fortnight.txt", 1, 15);
    tidy::tidy(folder.path(), &newest, 1_000);
    assert!(day.exists() && !is_there("a/fortnight.txt"));
}

/// Through the tools: a command's output, then its whole, by its own session.
#[tokio::test]
async fn a_session_reads_and_searches_its_own_and_asks_for_any_other() {
    let outer = tempfile::tempdir().unwrap();
    let state = outer.path().canonicalize().unwrap();
    let path = std::env::var_os("PATH").unwrap();
    let mut settings = ToolSettings {
        output_bytes: 200,
        outputs_folder: Some(state.join("outputs")),
        ..ToolSettings::default()
    };
    settings.environment.0.push(("PATH".into(), path));
    let mut bench = Bench::with(settings);
    let ran = bench
        .call("shell", json!({ "command": "seq 1 5000" }))
        .await;
    assert!(ran.truncated);
    let (_, rest) = ran
        .text
        .split_once("[… 23693 bytes left out here; the whole is in ")
        .unwrap();
    let file = rest
        .split_once(": read_file with offset and limit, or search it …]\n")
        .unwrap()
        .0;
    assert!(
        file.starts_with(state.join("outputs").to_str().unwrap()),
        "{file}"
    );

    let read = json!({ "path": file, "offset": 2_500, "limit": 2 });
    let planned = bench.plan("read_file", read.clone()).await.unwrap();
    assert_eq!(planned.category, Category::Session);
    let lines = bench.run_planned(planned, None).await;
    let expected = Ran {
        text: "[lines 2500-2501 of 5000; read on with offset 2502]\n2500\n2501\n".into(),
        truncated: true,
        ..Ran::default()
    };
    assert_eq!(lines, expected);
    let folder = Path::new(file).parent().unwrap();
    for place in [file, folder.to_str().unwrap()] {
        let search = json!({ "path": place, "pattern": "^2397$" });
        let planned = bench.plan("search", search).await.unwrap();
        assert_eq!(planned.category, Category::Session);
        let found = bench.run_planned(planned, None).await.text;
        let expected = format!("[1 match in 1 file]\n{file}:2397:2397\n");
        assert_eq!(found, expected);
    }

    // Everything else of the state folder stays a read of it, which asks.
    fs::write(state.join("journal.redb"), "secret").unwrap();
    std::os::unix::fs::symlink(state.join("journal.redb"), folder.join("link.txt")).unwrap();
    let link = folder.join("link.txt");
    let others = [
        state.join("journal.redb"),
        state.join("outputs"),
        folder.join("../../journal.redb"),
        folder.join("deeper/x.txt"),
        link,
    ];
    for other in others {
        let planned = bench
            .plan("read_file", json!({ "path": other }))
            .await
            .unwrap();
        assert_eq!(planned.category, Category::Read, "{}", other.display());
    }
    let list = json!({ "path": state });
    assert_eq!(
        bench
            .plan("search", json!({ "path": state, "pattern": "x" }))
            .await
            .unwrap()
            .category,
        Category::Read
    );
    assert_eq!(
        bench.plan("list_files", list).await.unwrap().category,
        Category::Read
    );
    bench.context.session = SessionId::new("20260101-000000-bbbbbb");
    assert_eq!(
        bench.plan("read_file", read).await.unwrap().category,
        Category::Read
    );
}

#[tokio::test]
async fn a_listing_that_is_too_long_is_kept_too() {
    let outer = tempfile::tempdir().unwrap();
    let settings = ToolSettings {
        output_bytes: 100,
        outputs_folder: Some(outer.path().join("outputs")),
        ..ToolSettings::default()
    };
    let bench = Bench::with(settings);
    for number in 100..150 {
        bench.put(&format!("file-{number}"), "");
    }
    let listed = bench.call("list_files", json!({})).await;
    assert!(
        listed.truncated && listed.text.contains("; the whole is in "),
        "{}",
        listed.text
    );
    assert!(listed.text.starts_with("file-100\n") && listed.text.ends_with("file-149\n"));
}
