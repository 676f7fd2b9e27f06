//! The state folder and the store.

use std::fs;

use expect_test::expect;

use super::{World, set_mode};
use crate::doctor::{Finding, Level, StoreState, examine, state};

#[tokio::test]
async fn stores_that_are_held_or_broken() {
    let world = World::new(&[]);
    let found = |state: StoreState| {
        let mut input = world.input(None);
        input.store = Box::new(move |_| state);
        async {
            let report = examine(input).await;
            let is_store = |finding: &&Finding| finding.what.contains("store");
            let finding = report.findings.iter().find(is_store).unwrap().clone();
            (finding.level, finding.what, report.exit_code())
        }
    };
    let held = found(StoreState::Held("process 7".to_owned())).await;
    assert_eq!(
        held,
        (Level::Warn, "the store is held by process 7".to_owned(), 0)
    );
    let broken = found(StoreState::Broken("bad magic".to_owned())).await;
    let what = "the store cannot be opened: bad magic".to_owned();
    assert_eq!(broken, (Level::Fail, what, 1));
}

#[cfg(unix)]
#[tokio::test]
async fn state_folders_of_all_kinds() {
    let world = World::new(&[]);
    let at = |path: std::path::PathBuf| {
        let mut input = world.input(None);
        if let Some(places) = &mut input.places {
            places.home = path;
        }
        async {
            let text = world.text(input).await;
            let is_state = |line: &&str| line.contains(" state ") || line.contains("chmod");
            text.lines().filter(is_state).collect::<Vec<_>>().join("\n")
        }
    };
    let folder = world.folder.path();
    expect![[r#"
        ok    state      @/not/there/yet will be made when needed
        ok    state      no store yet; the first session makes it"#]]
    .assert_eq(&at(folder.join("not/there/yet")).await);
    assert!(!folder.join("not").exists());

    let open = folder.join("open");
    fs::create_dir(&open).unwrap();
    set_mode(&open, 0o755);
    expect![[r#"
        ok    state      @/open can be written
        warn  state      others may look into @/open
                         -> chmod 700 @/open
        ok    state      no store yet; the first session makes it"#]]
    .assert_eq(&at(open.clone()).await);
    assert_eq!(fs::read_dir(&open).unwrap().count(), 0);

    let file = folder.join("file");
    fs::write(&file, "").unwrap();
    expect![[r#"
        fail  state      @/file cannot be written: it is there and no folder
        ok    state      no store yet; the first session makes it"#]]
    .assert_eq(&at(file.clone()).await);
    expect![[r#"
        fail  state      @/file/below cannot be written: there is no folder above it
        ok    state      no store yet; the first session makes it"#]]
    .assert_eq(&at(file.join("below")).await);
}

#[test]
fn little_room_is_told() {
    let level = |free: u64| state::judge_space(free).level;
    assert_eq!(level(10 << 20), Level::Fail);
    assert_eq!(level(500 << 20), Level::Warn);
    assert_eq!(level(2 << 30), Level::Ok);
    assert_eq!(state::judge_space(2 << 30).what, "2048 MiB are free");
    assert_eq!(state::judge_space(200 << 30).what, "200 GiB are free");
}
