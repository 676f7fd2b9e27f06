//! The rules of ARCHITECTURE.md, held by looking for words that must be absent.
//!
//! Dumb on purpose: a rule is a place and the words that its code must not
//! have. `sources` finds code and leaves out comments and tests, which may name
//! anything.

mod promises;
mod rules;
mod sources;

use rules::{D_RULES, Rule};
use sources::{Source, read};

use crate::support::repository;

fn sources() -> Vec<Source> {
    let folders = ["src", "protocol/src", "actors/src"];
    folders
        .iter()
        .flat_map(|folder| read(&repository().join(folder)))
        .collect()
}

/// Where a rule is broken, as `file:line: word`.
fn broken(rule: &Rule, sources: &[Source]) -> Vec<String> {
    let mut broken = Vec::new();
    for source in sources.iter().filter(|source| rule.is_for(&source.path)) {
        for (number, code) in source.code() {
            for word in rule
                .absent
                .iter()
                .filter(|word| sources::has_word(code, word))
            {
                broken.push(format!("{}:{number}: {word}", source.path));
            }
        }
    }
    broken
}

#[test]
fn nothing_knows_what_it_must_not() {
    let sources = sources();
    let mut all = Vec::new();
    for rule in D_RULES {
        let covered = sources.iter().filter(|it| rule.is_for(&it.path)).count();
        assert!(covered > 0, "{} is about no file", rule.name);
        for place in rule.places.iter().chain(rule.but) {
            let is_there = repository().join(place).exists();
            assert!(is_there, "{}: there is no {place}", rule.name);
        }
        let broken = broken(rule, &sources);
        all.extend(broken.iter().map(|place| format!("{}: {place}", rule.name)));
    }
    assert!(all.is_empty(), "{all:#?}");
}

#[test]
fn a_planted_violation_is_found() {
    let planted = |path: &str, code: &str| {
        let sources = [Source::new(path, code)];
        let found = D_RULES.iter().flat_map(|rule| broken(rule, &sources));
        found.collect::<Vec<String>>()
    };
    let cases = [
        ("protocol/src/wire/line.rs", "use tokio::io::AsyncRead;"),
        (
            "protocol/src/session/event.rs",
            "#[derive(serde::Serialize)]",
        ),
        (
            "protocol/src/dialect/hm/event.rs",
            "use super::super::autohand::Autohand;",
        ),
        (
            "protocol/src/dialect/autohand/call.rs",
            "use crate::dialect::hm::Hm;",
        ),
        ("protocol/src/wire/json.rs", "use crate::dialect::Dialect;"),
        (
            "actors/src/session/actor.rs",
            "use greenroom_protocol::wire::Frames;",
        ),
        (
            "actors/src/session/machine.rs",
            "async fn handle() { x.await }",
        ),
        ("actors/src/turn/batch.rs", "let now = Instant::now();"),
        (
            "actors/src/session/queue.rs",
            "use std::collections::HashMap;",
        ),
        ("src/serve/connection.rs", "use crate::tool::Toolbox;"),
        ("src/tool/shell.rs", "use crate::serve::Connection;"),
        ("src/provider/http.rs", "println!(\"{key}\");"),
        ("src/store/read.rs", "std::env::var(\"HOME\")"),
    ];
    for (path, code) in cases {
        assert!(!planted(path, code).is_empty(), "{path}: {code}");
    }
    let innocent = [
        ("protocol/src/wire/line.rs", "// tokio reads it"),
        ("protocol/src/wire/line.rs", "let tokio_like = 1;"),
        ("actors/src/turn/batch.rs", "let operand = brand;"),
        (
            "actors/src/session/machine.rs",
            "#[cfg(test)]\nmod tests {\n    use tokio::test;\n}",
        ),
        ("actors/src/session/machine/tests.rs", "use tokio::test;"),
        (
            "protocol/src/dialect/mod.rs",
            "pub mod hm; pub mod autohand;",
        ),
    ];
    for (path, code) in innocent {
        assert_eq!(planted(path, code), [""; 0], "{path}: {code}");
    }
}

#[test]
fn files_stay_short() {
    let folders = ["src", "protocol", "actors", "tests"];
    let mut long: Vec<(String, usize)> = Vec::new();
    for source in folders
        .iter()
        .flat_map(|folder| read(&repository().join(folder)))
    {
        let lines = source.text.lines().count();
        if lines > 400 {
            long.push((source.path, lines));
        }
    }
    assert!(long.is_empty(), "longer than 400 lines: {long:?}");
}

#[test]
fn every_module_says_what_it_is_for() {
    let tests = read(&repository().join("tests/it"));
    for source in sources().iter().chain(&tests) {
        let has_head = source.text.starts_with("//! ");
        let name = source.path.rsplit('/').next();
        assert!(
            has_head || name != Some("mod.rs"),
            "{} has no head",
            source.path
        );
        assert!(has_head || source.is_test(), "{} has no head", source.path);
    }
}

#[test]
fn nothing_is_left_for_later() {
    let folders = ["src", "protocol", "actors", "tests"];
    // Written so that this file does not have them.
    let words = ["todo", "unimplemented"].map(|it| format!("{it}!"));
    let marks = [
        ["#[", "ignore"].concat(),
        ["TO", "DO"].concat(),
        ["FIX", "ME"].concat(),
    ];
    for source in folders
        .iter()
        .flat_map(|folder| read(&repository().join(folder)))
    {
        for word in words.iter().chain(&marks) {
            assert!(
                !source.text.contains(word.as_str()),
                "{}: {word}",
                source.path
            );
        }
    }
}
