use greenroom_actors::ports::{FileChange, Ran, Touch};
use greenroom_protocol::session::{EditKind, PlannedEdit, SessionId};
use serde_json::json;

use super::super::call::{done, failed};
use super::super::testing::Bench;

fn wrote(text: &str, path: &str, kind: EditKind, diff: &str) -> Ran {
    Ran {
        changed: vec![FileChange {
            path: path.into(),
            kind,
            diff: Some(diff.into()),
        }],
        ..done(text)
    }
}

#[tokio::test]
async fn makes_a_new_file_with_its_folders() {
    let bench = Bench::new();
    let input = json!({"path": "a/b.txt", "content": "one\ntwo\n"});
    let planned = bench.plan("write_file", input).await.unwrap();
    let edit = PlannedEdit {
        path: "a/b.txt".into(),
        kind: EditKind::Created,
        before: None,
        after: Some("one\ntwo\n".into()),
    };
    let touch = Touch {
        path: bench.root().join("a/b.txt"),
        named: bench.root().join("a/b.txt"),
        write: true,
        inside: true,
    };
    assert_eq!(
        (&planned.edits, &planned.touches),
        (&vec![edit], &vec![touch])
    );
    assert!(!bench.root().join("a").exists(), "planning writes nothing");
    let ran = bench.run_planned(planned.clone(), None).await;
    assert_eq!(
        ran,
        wrote(
            "created a/b.txt: 2 lines",
            "a/b.txt",
            EditKind::Created,
            "@@ -0,0 +1,2 @@\n+one\n+two\n"
        )
    );
    assert_eq!(bench.get("a/b.txt"), "one\ntwo\n");
    // The same plan a second time would go over a file that it did not see.
    assert_eq!(
        bench.run_planned(planned, None).await,
        failed("a/b.txt changed on disk since the call was planned; nothing was written to it")
    );
}

#[tokio::test]
async fn an_existing_file_must_have_been_read_as_it_is() {
    let mut bench = Bench::new();
    bench.put("f", "old\nsame\n");
    let input = json!({"path": "f", "content": "new\nsame\n"});
    assert_eq!(
        bench.fault("write_file", input.clone()).await,
        "f exists and you have not read it: read it first, or use edit_file"
    );
    bench.call("read_file", json!({"path": "f"})).await;
    bench.put("f", "other\n");
    assert_eq!(
        bench.fault("write_file", input.clone()).await,
        "f changed since you read it: read it again first"
    );
    bench.put("f", "old\nsame\n");
    let ran = bench.call("write_file", input.clone()).await;
    assert_eq!(
        ran,
        wrote(
            "changed f: line 1 of 2 is new",
            "f",
            EditKind::Modified,
            "@@ -1,2 +1,2 @@\n-old\n+new\n same\n"
        )
    );
    assert_eq!(bench.get("f"), "new\nsame\n");
    assert_eq!(
        bench.fault("write_file", input).await,
        "f holds just this already: there is nothing to write"
    );
    // What it wrote it knows; another session does not.
    let input = json!({"path": "f", "content": "newer\n"});
    bench.plan("write_file", input.clone()).await.unwrap();
    bench.context.session = SessionId::new("20260101-000000-bbbbbb");
    bench.fault("write_file", input).await;
}

#[tokio::test]
async fn what_is_no_text_file_is_not_replaced() {
    let bench = Bench::new();
    bench.put("sub/f", "x");
    bench.put("latin", b"caf\xe9\n");
    bench.call("read_file", json!({"path": "latin"})).await;
    let fault = async |path: &str| {
        bench
            .fault("write_file", json!({"path": path, "content": "x"}))
            .await
    };
    assert_eq!(fault("sub").await, "sub is a folder");
    assert_eq!(fault("new/").await, "`path` names a folder: new/");
    assert_eq!(
        fault("latin").await,
        "latin is not UTF-8 text: it is not replaced"
    );
    assert_eq!(
        fault("/dev/null").await,
        "/dev/null is a device, not a regular file"
    );
    let huge = "x".repeat((10 << 20) + 1);
    assert_eq!(
        bench
            .fault("write_file", json!({"path": "f", "content": huge}))
            .await,
        "`content` has 10485761 bytes: at most 10485760 are written"
    );
}

#[tokio::test]
async fn a_folder_swapped_for_a_link_does_not_lead_the_write_outside() {
    let bench = Bench::new();
    bench.put("sub/f", "x");
    let input = json!({"path": "sub/new/deep", "content": "x"});
    let planned = bench.plan("write_file", input).await.unwrap();
    std::fs::remove_dir_all(bench.root().join("sub")).unwrap();
    std::os::unix::fs::symlink("..", bench.root().join("sub")).unwrap();
    let ran = bench.run_planned(planned, None).await;
    assert!(ran.failed && ran.changed.is_empty());
    assert!(ran.text.contains("leads elsewhere"), "{}", ran.text);
    assert!(!bench.outside().join("new").exists());
}
