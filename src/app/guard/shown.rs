//! Rules as lines for people and as JSON for programs.

use std::fmt::Write;

use serde_json::{Value, json};

use crate::guard::{Outline, RulesError, State, Surveyed};

/// The rules of a file, a line each: list and place, line in the file, rule.
pub(super) fn rules(outline: &Outline) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    if let Some(opaque) = &outline.opaque {
        let _ = writeln!(text, "  {:<10}        {opaque}", "opaque");
    }
    if !outline.env_safe.is_empty() {
        let names = outline.env_safe.join(", ");
        let _ = writeln!(text, "  {:<10}        {names}", "env_safe");
    }
    for rule in &outline.rules {
        let place = format!("{}[{}]", rule.list.name(), rule.index);
        let line = rule
            .line
            .map_or_else(String::new, |it| format!("line {it}"));
        let _ = writeln!(text, "  {place:<10} {line:<9}{}", rule.rule);
    }
    if text.is_empty() {
        text.push_str("  no rules\n");
    }
    text
}

/// What is to be said of a file in a word or two.
pub(super) fn state(found: &Surveyed) -> &'static str {
    match &found.state {
        State::Missing => "missing",
        State::Broken(_) => "broken",
        State::Sound { trusted: true, .. } => "in effect",
        State::Sound { trusted: false, .. } => "not trusted",
    }
}

/// A file as an object: `file`, `of` (`shipped`, `user`, `project`), `state`,
/// `sha256`, `opaque`, `env_safe`, `rules` (`list`, `index`, `line`, `rule`)
/// and `problem` (`message`, `line`, `column`).
pub(super) fn file(found: &Surveyed) -> Value {
    let (digest, outline, problem) = match &found.state {
        State::Missing => (None, None, None),
        State::Broken(error) => (None, None, Some(error)),
        State::Sound {
            outline, digest, ..
        } => (Some(digest), Some(outline), None),
    };
    let rules = outline.iter().flat_map(|outline| &outline.rules);
    let rules = rules.map(|rule| {
        json!({
            "list": rule.list.name(),
            "index": rule.index,
            "line": rule.line,
            "rule": rule.rule,
        })
    });
    json!({
        "file": found.path.to_string_lossy(),
        "of": found.origin.name(),
        "state": state(found).replace(' ', "_"),
        "sha256": digest.map(|digest| digest.as_str()),
        "opaque": outline.and_then(|outline| outline.opaque.as_deref()),
        "env_safe": outline.map(|outline| outline.env_safe.as_slice()).unwrap_or_default(),
        "rules": rules.collect::<Vec<_>>(),
        "problem": problem.map(self::problem),
    })
}

/// Why a file is refused.
pub(super) fn problem(error: &RulesError) -> Value {
    json!({
        "message": error.message,
        "line": error.place.map(|(line, _)| line),
        "column": error.place.map(|(_, column)| column),
    })
}
