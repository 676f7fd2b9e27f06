//! `docs/export.md` tells the fields as they are.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::*;

/// A session with a line of every kind.
fn session() -> Shelf {
    let mut scribe = Scribe::new("20261106-120000-k3x7qa", None);
    let model = ModelChoice {
        provider: "house".into(),
        model: "large".into(),
        effort: Some(Effort::High),
    };
    scribe.tell(Happening::TurnStarted {
        turn: TurnId(1),
        mode: Mode::Auto,
        model,
    });
    scribe.tell(Happening::Titled {
        title: "Mend the test".into(),
    });
    let entry = scribe.next();
    scribe.tell(Happening::UserMessage {
        entry,
        content: Content {
            parts: vec![
                Part::Text("Mend it.".into()),
                Part::Image(Image {
                    format: ImageFormat::Png,
                    bytes: Arc::from([137, 80, 78, 71]),
                }),
                Part::Mention(Mention {
                    path: "src/a.rs".into(),
                    lines: Some((3, 9)),
                }),
                Part::Resource(Resource {
                    name: "notes".into(),
                    text: "unsaved".into(),
                }),
            ],
        },
        source: Source::Prompt,
    });
    scribe.assistant("I run it.", &["c1"]);
    let call = CallId::new("c1");
    scribe.tell(Happening::QuestionAsked(Arc::new(Ask {
        call: call.clone(),
        questions: vec![Question {
            id: "1".into(),
            text: "Which?".into(),
            choices: Vec::new(),
            multiple: false,
        }],
        asked_by: Vec::new(),
        deadline: None,
    })));
    scribe.tell(Happening::ApprovalAsked(Arc::new(Approval {
        call,
        tool: "shell".into(),
        category: Category::Shell,
        summary: "make test".into(),
        command: None,
        paths: Vec::new(),
        edits: Vec::new(),
        reason: "in mode auto shell commands are not run without asking".into(),
        scopes: vec![Scope::Once],
        asked_by: Vec::new(),
        deadline: None,
    })));
    scribe.call("c1", "make test", "ok");
    scribe.tell(Happening::PlanChanged {
        items: vec![PlanItem {
            text: "Mend it".into(),
            status: PlanStatus::Completed,
            priority: Priority::Medium,
        }],
    });
    let batch = scribe.batch();
    scribe.turn_end();
    let entry = scribe.next();
    scribe.tell(Happening::CompactionEnded {
        compacted: Some(Compacted {
            entry,
            summary: "The test was mended.".into(),
            keeps_from: Some(batch),
        }),
        context: 100,
        usage: Usage::default(),
        failure: None,
    });
    Shelf(vec![scribe.done()])
}

fn page() -> &'static str {
    include_str!("../../../docs/export.md")
}

#[test]
fn its_example_is_an_export() {
    let (lines, ..) = told(
        &session(),
        "20261106-120000-k3x7qa",
        ExportFormat::JsonLines,
        true,
    );
    let (_, block) = page().split_once("```json\n").unwrap();
    let (block, _) = block.split_once("```").unwrap();
    assert_eq!(block, lines);
}

/// The first cells of the table behind a heading.
fn listed(heading: &str) -> BTreeSet<&'static str> {
    let start = format!("\n### {heading}\n");
    let (_, section) = page()
        .split_once(&*start)
        .unwrap_or_else(|| panic!("{heading}"));
    let rows = section
        .lines()
        .skip_while(|line| !line.starts_with('|'))
        .take_while(|line| line.starts_with('|'))
        .skip(2);
    let cells = rows.filter_map(|row| row.split('|').nth(1));
    let names = cells.flat_map(|cell| cell.split(','));
    names
        .map(|name| name.trim().trim_end_matches('*').trim().trim_matches('`'))
        .collect()
}

#[test]
fn its_tables_list_all_fields() {
    let (_, block) = page().split_once("```json\n").unwrap();
    let (block, _) = block.split_once("```").unwrap();
    let mut found: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut note = |kind: &str, object: &Value| {
        let keys = object.as_object().unwrap().keys().cloned();
        found.entry(kind.to_owned()).or_default().extend(keys);
    };
    for line in block.lines() {
        let object: Value = serde_json::from_str(line).unwrap();
        let text = |key: &str| object[key].as_str().map(str::to_owned);
        match (text("type").as_deref(), text("role").as_deref()) {
            (Some("entry"), Some(role)) => note(&format!("entry of {role}"), &object),
            (Some(kind), _) => note(kind, &object),
            other => panic!("{other:?}"),
        }
        let all = |key: &str| object[key].as_array().cloned().unwrap_or_default();
        all("content")
            .iter()
            .for_each(|part| note("a part of content", part));
        all("results")
            .iter()
            .for_each(|result| note("a result", result));
    }
    let common = listed("entry");
    assert_eq!(found.len(), 10, "{found:?}");
    for (kind, keys) in &found {
        let mut listed = listed(kind);
        if kind.starts_with("entry of") {
            listed.extend(&common);
        }
        let keys: BTreeSet<&str> = keys.iter().map(|key| &**key).collect();
        assert_eq!(listed, keys, "{kind}");
    }
}
