//! Which decisions are shown, and how.

use expect_test::expect;

use super::*;
use crate::redact::{Known, Redactor};
use crate::secret::Secret;

fn lines(decisions: &[Record], width: Option<usize>) -> String {
    let mut lines = Lines::of(decisions, width);
    decisions.iter().map(|it| lines.line(it)).collect()
}

#[test]
fn people_read_a_line_each() {
    expect![[r#"
        session 20261106-091500-k3x7qa in /w
        2026-11-06 12:00:04  allowed  rule      t1 c1  shell  ls              shipped allow[0]
        2026-11-06 12:00:07  denied   rule      t1 c2  shell  git push -f     user deny[2] "no force" on git push -f; ask a person
        2026-11-06 12:00:10  allowed  client    t1 c3  shell  make ?[31mtest  in mode auto shell commands are not run without asking; "go on"
        2026-11-06 12:00:15  asked    mode      t1 c4  shell  make install    in mode auto shell commands are not run without asking
    "#]].assert_eq(&lines(&story(), None));
    let narrow = lines(&story(), Some(90));
    expect![[r#"
        session 20261106-091500-k3x7qa in /w
        2026-11-06 12:00:04  allowed  rule      t1 c1  shell  ls              shipped allow[0]
        2026-11-06 12:00:07  denied   rule      t1 c2  shell  git push -f     user deny[2] "no fo…
        2026-11-06 12:00:10  allowed  client    t1 c3  shell  make ?[31mtest  in mode auto shell …
        2026-11-06 12:00:15  asked    mode      t1 c4  shell  make install    in mode auto shell …
    "#]]
    .assert_eq(&narrow);
    for line in narrow.lines() {
        assert!(line.chars().count() <= 90, "{line}");
    }
}

#[test]
fn programs_read_an_object_each() {
    let objects: Vec<String> = story().iter().map(json_line).collect();
    expect![[r#"
        {"v":1,"type":"decision","time":"2026-11-06T12:00:04.000Z","session":"20261106-091500-k3x7qa","parent":null,"root":"/w","turn":1,"mode":"auto","call":"c1","tool":"shell","category":"shell","summary":"ls","verdict":"allowed","by":"rule","ruling":"allow","rule":"shipped allow[0]","why":null,"answered":null,"scope":null,"note":null,"amended":false}
        {"v":1,"type":"decision","time":"2026-11-06T12:00:07.000Z","session":"20261106-091500-k3x7qa","parent":null,"root":"/w","turn":1,"mode":"auto","call":"c2","tool":"shell","category":"shell","summary":"git push -f","verdict":"denied","by":"rule","ruling":"deny","rule":"user deny[2] \"no force\" on git push -f","why":"ask a person","answered":null,"scope":null,"note":null,"amended":false}
        {"v":1,"type":"decision","time":"2026-11-06T12:00:10.000Z","session":"20261106-091500-k3x7qa","parent":null,"root":"/w","turn":1,"mode":"auto","call":"c3","tool":"shell","category":"shell","summary":"make\n\u001b[31mtest","verdict":"allowed","by":"client","ruling":"ask","rule":"mode auto","why":"in mode auto shell commands are not run without asking","answered":"2026-11-06T12:00:12.000Z","scope":"once","note":"go on","amended":false}
        {"v":1,"type":"decision","time":"2026-11-06T12:00:15.000Z","session":"20261106-091500-k3x7qa","parent":null,"root":"/w","turn":1,"mode":"auto","call":"c4","tool":"shell","category":"shell","summary":"make install","verdict":"asked","by":"mode","ruling":"ask","rule":"mode auto","why":"in mode auto shell commands are not run without asking","answered":null,"scope":null,"note":null,"amended":false}"#]].assert_eq(&objects.join("\n"));
}

/// The page's table names every field, and its example is real.
#[test]
fn the_page_lists_the_fields() {
    let page = include_str!("../../../docs/audit.md");
    let mut record = story().swap_remove(2);
    record.summary = "make test".into();
    let line = json_line(&record);
    assert!(page.contains(&format!("```json\n{line}\n```")), "{line}");
    let object: serde_json::Value = serde_json::from_str(&line).unwrap();
    let (_, table) = page.split_once("| field | value |").unwrap();
    let rows = table.lines().skip(2).take_while(|row| row.starts_with('|'));
    let names = rows.flat_map(|row| {
        let cell = row.split('|').nth(1).unwrap_or_default();
        cell.split(',').map(|name| name.trim().trim_matches('`'))
    });
    let mut listed: Vec<&str> = names.collect();
    let mut known: Vec<&str> = object.as_object().unwrap().keys().map(|it| &**it).collect();
    listed.sort_unstable();
    known.sort_unstable();
    assert_eq!(listed, known);
    let settlers = By::ALL.map(|by| format!("`{}`", by.name()));
    assert!(settlers.iter().all(|name| page.contains(name)));
}

#[test]
fn secrets_are_taken_out_before_a_text_is_cut() {
    let redactor = Redactor::new([Known::nameless(Secret::new("hunter2-hunter2".to_owned()))]);
    let mut record = story().swap_remove(2);
    record.summary = format!("{} hunter2-hunter2", "x".repeat(990)).into();
    record.rule = "user deny[0] on hunter2-hunter2".into();
    record.clean(&redactor);
    assert!(!format!("{record:?}").contains("hunter2"), "{record:?}");
    assert_eq!(record.summary.chars().count(), 1_001);
    assert_eq!(&*record.rule, "user deny[0] on [redacted: known secret]");
}

#[test]
fn the_latest_are_kept_in_order() {
    let shown = |most: usize, reversed: bool| {
        let mut latest = Latest::new(most);
        let mut decisions = story();
        if reversed {
            decisions.reverse();
        }
        for record in decisions {
            latest.take(record, |_| ());
        }
        let left_out = latest.left_out();
        let calls: Vec<String> = latest
            .into_records()
            .iter()
            .map(|it| it.call.to_string())
            .collect();
        (left_out, calls.join(" "))
    };
    for reversed in [false, true] {
        assert_eq!(shown(9, reversed), (0, "c1 c2 c3 c4".to_owned()));
        assert_eq!(shown(2, reversed), (2, "c3 c4".to_owned()));
    }
}

#[test]
fn filters_choose() {
    let calls = |wanted: Wanted| {
        let chosen = story().into_iter().filter(|it| wanted.is(it));
        let calls: Vec<String> = chosen.map(|it| it.call.to_string()).collect();
        calls.join(" ")
    };
    let all = Wanted::default();
    assert_eq!(calls(all.clone()), "c1 c2 c3 c4");
    let third = Millis(1_793_966_410_000);
    let cases = [
        (
            Wanted {
                since: Some(third),
                ..all.clone()
            },
            "c3 c4",
        ),
        (
            Wanted {
                until: Some(third),
                ..all.clone()
            },
            "c1 c2",
        ),
        (
            Wanted {
                denied: true,
                ..all.clone()
            },
            "c2",
        ),
        (
            Wanted {
                tool: Some("shel".into()),
                ..all.clone()
            },
            "",
        ),
        (
            Wanted {
                tool: Some("shell".into()),
                denied: true,
                ..all.clone()
            },
            "c2",
        ),
        (
            Wanted {
                by: Some(By::Rule),
                ..all.clone()
            },
            "c1 c2",
        ),
        (
            Wanted {
                rule: Some("deny[2]".into()),
                ..all.clone()
            },
            "c2",
        ),
    ];
    for (wanted, expected) in cases {
        assert_eq!(calls(wanted.clone()), expected, "{wanted:?}");
    }
}

#[test]
fn times_are_read() {
    let now = Millis(1_793_966_400_000);
    let at = |text: &str| When::parse(text).map(|when| when.seen_from(now).0);
    let noon = 1_796_126_400_000;
    let cases = [
        ("90s", now.0 - 90_000),
        ("30m", now.0 - 1_800_000),
        ("2h", now.0 - 7_200_000),
        ("7d", now.0 - 604_800_000),
        ("2w", now.0 - 1_209_600_000),
        ("99999w", 0),
        ("2026-12-01", noon - 43_200_000),
        ("2026-12-01T12:00", noon),
        ("2026-12-01 12:00:00", noon),
        ("2026-12-01T12:00:00Z", noon),
        ("2026-12-01T13:00:00+01:00", noon),
    ];
    for (text, expected) in cases {
        assert_eq!(at(text), Ok(expected), "{text}");
    }
    for text in [
        "",
        "d",
        "+1d",
        "1y",
        "1.5h",
        "yesterday",
        "99999999999999999999d",
        "1960-01-01",
        "é",
    ] {
        assert!(at(text).is_err(), "{text}");
    }
}
