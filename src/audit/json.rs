//! A decision as one JSON object, for programs. `docs/audit.md` lists the fields.

use greenroom_protocol::session::{Category, Millis, Scope};
use jiff::Timestamp;
use serde_json::{Value, json};

use super::record::Record;

/// The version of the lines: it changes when a field changes its meaning.
const VERSION: u32 = 1;

/// One line without its end.
pub fn json_line(record: &Record) -> String {
    let answer = record.answer.as_ref();
    let line = json!({
        "v": VERSION,
        "type": "decision",
        "time": time(record.at),
        "session": record.session.as_str(),
        "parent": record.parent.as_ref().map(|parent| parent.as_str()),
        "root": &*record.root,
        "turn": record.turn.map(|turn| turn.0),
        "mode": some(&record.mode),
        "call": record.call.as_str(),
        "tool": &*record.tool,
        "category": record.category.map(category),
        "summary": &*record.summary,
        "verdict": record.verdict.name(),
        "by": record.by.name(),
        "ruling": record.ruling.name(),
        "rule": some(&record.rule),
        "why": some(&record.why),
        "answered": answer.map(|answer| time(answer.at)),
        "scope": answer.map(|answer| scope(answer.scope)),
        "note": answer.and_then(|answer| answer.note.as_deref()),
        "amended": answer.is_some_and(|answer| answer.amended),
    });
    line.to_string()
}

/// `2026-12-01T08:00:05.123Z`
fn time(at: Millis) -> Value {
    let millis = i64::try_from(at.0).unwrap_or(i64::MAX);
    match Timestamp::from_millisecond(millis) {
        Ok(time) => Value::from(format!("{time:.3}")),
        Err(_) => Value::Null,
    }
}

fn some(text: &str) -> Option<&str> {
    (!text.is_empty()).then_some(text)
}

fn category(category: Category) -> &'static str {
    match category {
        Category::Read => "read",
        Category::Edit => "edit",
        Category::Shell => "shell",
        Category::Web => "web",
        Category::Mcp => "mcp",
        Category::Agent => "agent",
        Category::Session => "session",
    }
}

fn scope(scope: Scope) -> &'static str {
    match scope {
        Scope::Once => "once",
        Scope::Session => "session",
        Scope::Project => "project",
        Scope::User => "user",
    }
}
