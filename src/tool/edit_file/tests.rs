mod swaps;

use expect_test::expect;
use greenroom_actors::ports::FileChange;
use greenroom_actors::ports::Ran;
use greenroom_protocol::session::EditKind;
use proptest::prelude::*;
use serde_json::json;

use super::super::call::done;
use super::super::testing::Bench;
use super::matching::{self, Applied, Mismatch, Replacement};

fn apply(text: &str, edit: &Replacement) -> Result<Applied, Mismatch> {
    matching::apply(text, edit, 10_000)
}

fn edit(old: &str, new: &str) -> Replacement {
    Replacement {
        old: old.into(),
        new: new.into(),
        all: false,
    }
}

fn exact(text: &str) -> Result<Applied, Mismatch> {
    Ok(Applied {
        text: text.into(),
        places: 1,
        forgiven: false,
    })
}

fn forgiven(text: &str) -> Result<Applied, Mismatch> {
    Ok(Applied {
        text: text.into(),
        places: 1,
        forgiven: true,
    })
}

#[test]
fn exact_texts_are_replaced() {
    assert_eq!(apply("a b c", &edit("b", "x")), exact("a x c"));
    assert_eq!(apply("a b c", &edit("b ", "")), exact("a c"));
    assert_eq!(apply("a\nb\n", &edit("a\nb\n", "c")), exact("c"));
    let several = |lines: &[usize]| {
        Err(Mismatch::Several {
            lines: lines.to_vec(),
            forgiven: false,
        })
    };
    assert_eq!(apply("x\ny\nx\n", &edit("x", "z")), several(&[1, 3]));
    assert_eq!(apply("aaa", &edit("aa", "b")), several(&[1, 1]));
    let all = Replacement {
        all: true,
        ..edit("x", "z")
    };
    let both = Applied {
        text: "z\ny\nz\n".into(),
        places: 2,
        forgiven: false,
    };
    assert_eq!(apply("x\ny\nx\n", &all), Ok(both));
}

#[test]
fn line_endings_are_those_of_the_file() {
    assert_eq!(
        apply("a\r\nb\r\n", &edit("a\nb", "c\nd")),
        exact("c\r\nd\r\n")
    );
    assert_eq!(
        apply("a\r\nb\r\n", &edit("\nb", "\nc")),
        exact("a\r\nc\r\n")
    );
    assert_eq!(
        apply("a\r\nb\r\n", &edit("a", "x\ny")),
        exact("x\r\ny\r\nb\r\n")
    );
    assert_eq!(apply("a\nb\n", &edit("a\r\nb", "c\r\nd")), exact("c\nd\n"));
    // Mixed: what is not touched stays.
    assert_eq!(
        apply("a\r\nb\nc\r\nd\r\n", &edit("b\nc", "x\ny")),
        exact("a\r\nx\ny\r\nd\r\n")
    );
    assert_eq!(
        apply("  a\r\nb\r\n  c\r\n", &edit(" a\nb", "x")),
        exact(" x\r\n  c\r\n")
    );
}

#[test]
fn blanks_are_forgiven_where_only_one_place_can_be_meant() {
    // At line ends.
    assert_eq!(apply("a  \nb\n", &edit("a\nb", "c")), forgiven("c\n"));
    assert_eq!(apply("a\nb\n", &edit("a \nb \n", "c\n")), forgiven("c\n"));
    // Indented by more, and by less; blank lines have no indentation.
    assert_eq!(
        apply(
            "{\n    if x {\n\n        y\n    }\n}\n",
            &edit("if x {\n\n    y\n}", "if z {\n\n    w\n}")
        ),
        forgiven("{\n    if z {\n\n        w\n    }\n}\n")
    );
    assert_eq!(
        apply("a\n b\n", &edit("   a\n    b\n", "   c\n    d\n")),
        forgiven("c\n d\n")
    );
    // A last line without an end stays so.
    assert_eq!(apply("x\n  a", &edit("a\n", "b\n")), forgiven("x\n  b"));
    assert_eq!(
        apply("x\r\n\ta \r\n\tb\r\n", &edit("a\nb\n", "c\nd\n")),
        forgiven("x\r\n\tc\r\n\td\r\n")
    );
}

#[test]
fn blanks_are_not_forgiven_where_it_would_be_a_guess() {
    let several = Err(Mismatch::Several {
        lines: vec![1, 3],
        forgiven: true,
    });
    assert_eq!(apply(" a \n b\n a \n b\n", &edit("a\nb", "c")), several);
    // The letters are the same, the indentation is not.
    assert_eq!(
        apply("a\n  b\n", &edit("a\n b", "c")),
        Err(Mismatch::Nowhere)
    );
    assert_eq!(
        apply("a\n\n\nb\n", &edit("a\n\nb", "c")),
        Err(Mismatch::Nowhere)
    );
    assert_eq!(apply("a b\n", &edit("a  b", "c")), Err(Mismatch::Nowhere));
    assert_eq!(apply("", &edit("a", "c")), Err(Mismatch::Nowhere));
    // Of places that differ, the one that differs only at line ends is meant.
    assert_eq!(
        apply("a \nb\n  a\n  b\n", &edit("a\nb", "c")),
        forgiven("c\n  a\n  b\n")
    );
}

#[test]
fn what_would_grow_too_large_is_not_even_built() {
    let gigabytes = Replacement {
        all: true,
        ..edit("a", &"b".repeat(1 << 20))
    };
    let text = "a".repeat(1 << 20);
    assert_eq!(
        matching::apply(&text, &gigabytes, 10 << 20),
        Err(Mismatch::TooLarge)
    );
    let indented = format!("{}x\n", " ".repeat(1 << 20));
    let many_lines = edit("x \n", &"y\n".repeat(1 << 20));
    assert_eq!(
        matching::apply(&indented, &many_lines, 10 << 20),
        Err(Mismatch::TooLarge)
    );
    let fits = edit("b", "ccc");
    assert_eq!(
        matching::apply(
            "abab",
            &Replacement {
                all: true,
                ..fits.clone()
            },
            7
        ),
        Err(Mismatch::TooLarge)
    );
    assert_eq!(matching::apply("ab", &fits, 4), exact("accc"));
}

#[tokio::test]
async fn plans_what_it_writes_and_writes_what_it_planned() {
    let bench = Bench::new();
    bench.put("f", "one\ntwo\nthree\n");
    let input = json!({"path": "f", "edits": [
        {"old": "two", "new": "2"},
        {"old": "2\nthree", "new": "2\n3"},
    ]});
    let planned = bench.plan("edit_file", input).await.unwrap();
    assert_eq!(
        planned.edits[0].before.as_deref(),
        Some("one\ntwo\nthree\n")
    );
    assert_eq!(planned.edits[0].after.as_deref(), Some("one\n2\n3\n"));
    assert_eq!(*planned.summary, *"f (2 places)");
    assert_eq!(bench.get("f"), "one\ntwo\nthree\n");
    let ran = bench.run_planned(planned.clone(), None).await;
    let expected = Ran {
        changed: vec![FileChange {
            path: "f".into(),
            kind: EditKind::Modified,
            diff: Some("@@ -1,3 +1,3 @@\n one\n-two\n-three\n+2\n+3\n".into()),
        }],
        ..done("changed f (2 places): lines 2-3 of 3 are new")
    };
    assert_eq!(ran, expected);
    assert_eq!(bench.get("f"), "one\n2\n3\n");
    // By now the file is another one.
    let again = bench.run_planned(planned, None).await;
    assert_eq!(
        again.text,
        "f changed on disk since the call was planned; nothing was written to it"
    );
    assert!(again.failed && again.changed.is_empty());
}

#[tokio::test]
async fn all_edits_apply_or_none() {
    let bench = Bench::new();
    bench.put("f", "one\ntwo\n");
    let input = json!({"path": "f", "edits": [
        {"old": "one", "new": "1"},
        {"old": "three", "new": "3"},
    ]});
    let fault = bench.fault("edit_file", input).await;
    assert!(
        fault.starts_with("`edits[1].old` in f: does not stand in the file"),
        "{fault}"
    );
    assert!(
        fault.ends_with("\nNone of the edits was applied."),
        "{fault}"
    );
    assert_eq!(bench.get("f"), "one\ntwo\n");
}

#[tokio::test]
async fn a_failed_match_shows_what_was_probably_meant() {
    let bench = Bench::new();
    let code = "fn main() {\n    let answer = compute(41);\n    println!(\"{answer}\");\n}\n";
    bench.put("main.rs", code);
    let fault = async |old: &str, new: &str| {
        let input = json!({"path": "main.rs", "edits": [{"old": old, "new": new}]});
        bench.fault("edit_file", input).await
    };
    expect![[r#"
        `edits[0].old` in main.rs: does not stand in the file; most like it is, at line 2:
            2 |     let answer = compute(41);
            3 |     println!("{answer}");"#]]
    .assert_eq(
        &fault(
            "    let answer = compute(42);\n    println!(\"{answer}\");",
            "x",
        )
        .await,
    );
    expect!["`edits[0].old` in main.rs: does not stand in the file; the new text does, at line 2: maybe it was edited already"]
        .assert_eq(&fault("compute(40)", "compute(41)").await);
    expect!["`edits[0].old` in main.rs: does not stand in the file (4 lines), nor anything like it: read it again"]
        .assert_eq(&fault("SELECT * FROM t", "x").await);
    expect!["`edits[0].old` in main.rs: stands at several places (lines 2, 3): take more lines around it, or set `all` to replace every one"]
        .assert_eq(&fault("answer", "x").await);
}

#[tokio::test]
async fn a_file_that_changed_since_it_was_read_is_not_edited() {
    let bench = Bench::new();
    bench.put("f", "one\n");
    bench.call("read_file", json!({"path": "f"})).await;
    bench.put("f", "one\ntwo\n");
    let input = json!({"path": "f", "edits": [{"old": "one", "new": "1"}]});
    assert_eq!(
        bench.fault("edit_file", input.clone()).await,
        "f changed since you read it: read it again first"
    );
    bench.call("read_file", json!({"path": "f"})).await;
    // An edit of one's own is no such change.
    bench.call("edit_file", input).await;
    let input = json!({"path": "f", "edits": [{"old": "two", "new": "2"}]});
    assert!(!bench.call("edit_file", input).await.failed);
    assert_eq!(bench.get("f"), "1\n2\n");
}

#[tokio::test]
async fn mode_and_missing_last_line_end_are_kept() {
    use std::os::unix::fs::PermissionsExt;
    let bench = Bench::new();
    let path = bench.put("run.sh", "#!/bin/sh\necho a");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    let input = json!({"path": "run.sh", "edits": [{"old": "echo a\n", "new": "echo b\n"}]});
    bench.call("edit_file", input).await;
    assert_eq!(bench.get("run.sh"), "#!/bin/sh\necho b");
    let mode = std::fs::metadata(&path).unwrap().permissions().mode();
    assert_eq!(mode & 0o7777, 0o755);
}

#[tokio::test]
async fn an_input_that_is_no_edit_is_explained() {
    let bench = Bench::new();
    bench.put("f", "one\n");
    bench.put("latin", b"caf\xe9\n");
    let faults = [
        (
            json!({"path": "f"}),
            "`edits` is missing: it must be an array of {old, new} objects",
        ),
        (
            json!({"path": "f", "edits": []}),
            "`edits` must hold at least one edit",
        ),
        (
            json!({"path": "f", "edits": [{"old": "", "new": "x"}]}),
            "`edits[0].old` must not be empty: take a text that stands in the file (write_file makes new files)",
        ),
        (
            json!({"path": "f", "edits": [{"old": "x", "new": "x"}]}),
            "`edits[0].new` is the same as `old`: it would change nothing",
        ),
        (
            json!({"path": "f", "edits": [{"old_text": "x", "new": "x"}]}),
            "`edits[0].old` is missing: it must be a string",
        ),
        (
            json!({"path": "ff", "edits": [{"old": "x", "new": "y"}]}),
            "ff does not exist; in the same folder is `f`",
        ),
        (
            json!({"path": "latin", "edits": [{"old": "caf", "new": "x"}]}),
            "latin is not UTF-8 text: it is not edited",
        ),
        (
            json!({"path": "f", "edits": [{"old": "one", "new": "x"}, {"old": "x", "new": "one"}]}),
            "the edits change nothing in f: it stays as it is",
        ),
    ];
    for (input, expected) in faults {
        assert_eq!(bench.fault("edit_file", input).await, expected);
    }
}

proptest! {
    /// A piece that stands once is replaced there, whatever is around it.
    #[test]
    fn a_unique_piece_is_replaced_in_place(
        head in "[ab\n ]{0,20}",
        old in "X[cd\n ]{0,10}Y",
        new in "[ef\n ]{0,10}",
        tail in "[ab\n ]{0,20}",
    ) {
        let text = format!("{head}{old}{tail}");
        prop_assert_eq!(apply(&text, &edit(&old, &new)), exact(&format!("{head}{new}{tail}")));
    }

    /// The same lines with other blanks at their ends and another indentation
    /// are found, and the lines around them stay byte for byte.
    #[test]
    fn shifted_lines_are_found(
        before in prop::collection::vec("[pq]{1,3}", 0..4),
        lines in prop::collection::vec("(|  )[xy]{1,4}(|\\()", 1..5),
        after in prop::collection::vec("[pq]{1,3}", 0..4),
        indent in "(\t| {1,4})",
        ending in "(\n|\r\n)",
        trailing in " {0,2}",
    ) {
        let head: String = before.iter().map(|line| format!("{line}{ending}")).collect();
        let tail: String = after.iter().map(|line| format!("{line}{ending}")).collect();
        let put = |lines: &[String]| -> String {
            lines.iter().map(|line| format!("{indent}{line}{trailing}{ending}")).collect()
        };
        let text = format!("{head}{}{tail}", put(&lines));
        // With more blanks at its line ends than the text has, `old` never
        // stands there exactly.
        let old: String = lines.iter().map(|line| format!("{line}   \n")).collect();
        let applied = apply(&text, &edit(&old, "N\n  M\n"));
        let applied = applied.unwrap();
        prop_assert_eq!(applied.text, format!("{head}{indent}N{ending}{indent}  M{ending}{tail}"));
    }

    /// No text and no edit makes it panic, and explaining doesn't either.
    #[test]
    fn any_edit_of_any_text_is_answered(text in "[aé \t\r\n]{0,40}", old in "[aé \t\r\n]{1,8}", new in "[bé \r\n]{0,8}") {
        let replacement = edit(&old, &new);
        if let Err(mismatch) = apply(&text, &replacement) {
            prop_assert!(!super::explain::mismatch(&text, &replacement, &mismatch).is_empty());
        }
    }
}
