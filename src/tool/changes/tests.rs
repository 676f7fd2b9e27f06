use std::os::unix::fs::symlink;

use greenroom_actors::ports::PlannedCall;
use serde_json::json;

use super::super::call::done;
use super::super::testing::Bench;
use super::*;

async fn planned(bench: &Bench) -> PlannedCall {
    bench.put("d/f", "old\n");
    let input = json!({"path": "d/f", "edits": [{"old": "old", "new": "new"}]});
    bench.plan("edit_file", input).await.unwrap()
}

fn files(files: &[(&str, &str)]) -> Option<Amendment> {
    let file = |(path, content): &(&str, &str)| FileEdit {
        path: (*path).into(),
        content: (*content).into(),
    };
    Some(Amendment::Files(files.iter().map(file).collect()))
}

#[tokio::test]
async fn the_content_of_the_one_who_approved_is_written_instead() {
    let bench = Bench::new();
    let plan = planned(&bench).await;
    let ran = bench.run_planned(plan, files(&[("d/f", "theirs\n")])).await;
    let expected = Ran {
        changed: vec![FileChange {
            path: "d/f".into(),
            kind: EditKind::Modified,
            diff: Some("@@ -1 +1 @@\n-old\n+theirs\n".into()),
        }],
        ..done(
            "d/f was written, but with another content: the one who approved changed it; \
             read it before you go on",
        )
    };
    assert_eq!(ran, expected);
    assert_eq!(bench.get("d/f"), "theirs\n");
    // The model has not seen that content, so it does not write over it.
    bench
        .fault("write_file", json!({"path": "d/f", "content": "x"}))
        .await;
}

#[tokio::test]
async fn the_planned_content_given_back_is_no_other_content() {
    let bench = Bench::new();
    let plan = planned(&bench).await;
    let ran = bench.run_planned(plan, files(&[("d/f", "new\n")])).await;
    assert_eq!(ran.text, "changed d/f: line 1 of 1 is new");
}

#[tokio::test]
async fn planned_files_left_out_are_skipped_and_others_ignored() {
    let bench = Bench::new();
    let plan = planned(&bench).await;
    let ran = bench.run_planned(plan, files(&[("d/other", "x\n")])).await;
    let expected = failed("d/f was not written: the one who approved left it out");
    assert_eq!(ran, expected);
    assert_eq!(bench.get("d/f"), "old\n");
    assert!(!bench.root().join("d/other").exists());
}

#[tokio::test]
async fn the_last_of_two_contents_counts() {
    let bench = Bench::new();
    let plan = planned(&bench).await;
    let amendment = files(&[("d/f", "first"), ("./d/../d/f", "last")]);
    bench.run_planned(plan, amendment).await;
    assert_eq!(bench.get("d/f"), "last");
}

#[test]
fn only_paths_that_stay_inside_name_a_file() {
    let bench = Bench::new();
    let path = bench.put("d/f", "x");
    let root = bench.root();
    symlink("d", root.join("inner")).unwrap();
    symlink("..", root.join("up")).unwrap();
    let touch = Touch {
        path: path.clone(),
        named: path.clone(),
        write: true,
        inside: true,
    };
    let absolute = path.display().to_string();
    let dotted = root.join("d/./x/../f").display().to_string();
    let around = root.join("../w/d/f").display().to_string();
    let named = ["d/f", "./d/f", "d/../d/f", "inner/f", &absolute, &dotted];
    for given in named {
        assert!(names(root, given, &touch), "{given}");
    }
    let not = [
        "",
        "f",
        "d",
        "../w/d/f",
        "d/../../w/d/f",
        &around,
        "/d/f",
        "up/w/../d/g",
        "d/f\0",
    ];
    for given in not {
        assert!(!names(root, given, &touch), "{given}");
    }
}

#[test]
fn a_file_outside_is_named_by_its_full_path_alone() {
    let bench = Bench::new();
    let root = bench.root();
    let path = bench.outside().join("f");
    std::fs::write(&path, "x").unwrap();
    symlink("..", root.join("up")).unwrap();
    symlink("../f", root.join("f")).unwrap();
    let touch = Touch {
        path: path.clone(),
        named: path.clone(),
        write: true,
        inside: false,
    };
    assert!(names(root, &path.display().to_string(), &touch));
    for given in ["f", "up/f", "../f", "d/../../f"] {
        assert!(!names(root, given, &touch), "{given}");
    }
}

#[test]
fn a_change_is_described_by_its_lines() {
    let describe = |before: &str, after: &str| {
        let edit = PlannedEdit {
            path: "f".into(),
            kind: EditKind::Modified,
            before: Some(before.into()),
            after: Some(after.into()),
        };
        super::describe("f", &edit)
    };
    assert_eq!(
        describe("a\nb\nc\n", "a\nx\ny\nc\n"),
        "changed f: lines 2-3 of 4 are new"
    );
    assert_eq!(
        describe("a\nb\nc\n", "a\nc\n"),
        "changed f: it has 2 lines now"
    );
    assert_eq!(
        describe("a\na\n", "a\na\na\n"),
        "changed f: line 3 of 3 is new"
    );
    assert_eq!(describe("a", "a\n"), "changed f: it has 1 line now");
    assert_eq!(describe("a\n", ""), "changed f: it has 0 lines now");
}
