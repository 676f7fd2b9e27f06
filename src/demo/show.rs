//! Events in words.

use std::io::{self, Write};

use serde_json::Value;
use similar::{ChangeTag, TextDiff};

use super::screen::{Look, Screen, Who};

/// How many lines of a result are shown.
const RESULT_LINES: usize = 12;

/// Shows an event of the agent. Beginnings, ends of messages and usage are left
/// out, as what they tell is seen by the rest; [`LEFT_OUT`] says so.
pub(super) fn event<W: Write>(event: &Value, screen: &mut Screen<W>) -> io::Result<()> {
    let text = |key: &str| event[key].as_str().unwrap_or_default();
    let is = |key: &str| event[key].as_bool() == Some(true);
    let kind = text("type");
    let (look, words) = match kind {
        "text_delta" => return screen.stream("text", Look::Plain, text("text")),
        "thinking_delta" => return screen.stream("thinking", Look::Dim, text("text")),
        "message_start" | "tool_start" | "usage" => return Ok(()),
        "message_end" if text("role") != "user" => return Ok(()),
        "message_end" => {
            let source = text("source");
            let words = format!("the {source} is in the conversation");
            (Look::Dim, words)
        }
        "session_start" => {
            let (mode, provider) = (text("mode"), text("provider"));
            let words = format!(
                "{}, mode {mode}, provider {provider}, in {}",
                text("session"),
                text("root")
            );
            (Look::Plain, words)
        }
        "response" => {
            let words = match is("ok") {
                true => format!("{}: ok", text("command")),
                false => format!("{}: {}", text("command"), text("error")),
            };
            (Look::Dim, words)
        }
        "plan" => (Look::Plain, plan(event)),
        "tool_call" => {
            let words = format!("{} {}: {}", text("call_id"), text("tool"), text("summary"));
            (Look::Plain, words)
        }
        "approval_needed" => {
            let words = format!(
                "{} {}: {}\n({})",
                text("call_id"),
                text("tool"),
                text("summary"),
                text("reason")
            );
            (Look::Plain, words)
        }
        "approval" => (Look::Plain, approval(event)),
        "question" => {
            let options = event["options"].as_array().into_iter().flatten();
            let options: String = options
                .filter_map(Value::as_str)
                .map(|option| format!("\n- {option}"))
                .collect();
            (
                Look::Plain,
                format!("{} {}{options}", text("call_id"), text("text")),
            )
        }
        "tool_result" => (Look::Dim, result(event)),
        "turn_end" => (Look::Plain, turn_end(event)),
        "session_end" => {
            let refused = event["refused"].as_array().map_or(0, Vec::len);
            let words = format!("exit code {}, calls refused: {refused}", event["exit_code"]);
            (Look::Plain, words)
        }
        "error" | "notice" => (Look::Plain, format!("{}{}", text("message"), text("text"))),
        _ => (Look::Dim, event.to_string()),
    };
    screen.say(Who::Agent, kind, look, &words)
}

/// What [`event`] does not show.
pub(super) const LEFT_OUT: &str = "message_start, tool_start and usage, and message_end of what \
    was shown already";

/// Shows what is different in a file.
pub(super) fn diff<W: Write>(
    path: &str,
    before: &str,
    after: &str,
    screen: &mut Screen<W>,
) -> io::Result<()> {
    screen.say(Who::Seen, "on the disk", Look::Plain, path)?;
    let lines = TextDiff::from_lines(before, after);
    for change in lines.iter_all_changes() {
        let (look, sign) = match change.tag() {
            ChangeTag::Equal => (Look::Dim, ' '),
            ChangeTag::Insert => (Look::Added, '+'),
            ChangeTag::Delete => (Look::Removed, '-'),
        };
        let line = change.value().trim_end_matches('\n');
        screen.say(Who::Seen, "", look, &format!("{sign} {line}"))?;
    }
    Ok(())
}

fn plan(event: &Value) -> String {
    let items = event["items"].as_array().into_iter().flatten();
    let items = items.map(|item| {
        let box_ = match item["status"].as_str() {
            Some("completed") => "[x]",
            Some("in_progress") => "[>]",
            _ => "[ ]",
        };
        format!("{box_} {}", item["text"].as_str().unwrap_or_default())
    });
    items.collect::<Vec<String>>().join("\n")
}

fn approval(event: &Value) -> String {
    let text = |key: &str| event[key].as_str().unwrap_or_default();
    let verdict = match event["allow"].as_bool() {
        Some(true) => "allowed",
        _ => "refused",
    };
    let scope = match event["for_session"].as_bool() {
        Some(true) => ", for the rest of the session",
        _ => "",
    };
    format!("{} {verdict} by the {}{scope}", text("call_id"), text("by"))
}

fn result(event: &Value) -> String {
    let text = event["text"].as_str().unwrap_or_default();
    let failed = event["is_error"].as_bool() == Some(true);
    let mut words = event["call_id"].as_str().unwrap_or_default().to_owned();
    match event["exit_code"].as_i64() {
        Some(code) => words.push_str(&format!(" exit code {code}")),
        None if failed => words.push_str(" failed"),
        None => words.push_str(" done"),
    }
    let lines: Vec<&str> = text.lines().collect();
    for line in lines.iter().take(RESULT_LINES) {
        words.push_str("\n| ");
        words.push_str(line);
    }
    if lines.len() > RESULT_LINES {
        words.push_str(&format!(
            "\n(and {} lines more)",
            lines.len() - RESULT_LINES
        ));
    }
    words
}

fn turn_end(event: &Value) -> String {
    let usage = &event["usage"];
    format!(
        "{} after {} model calls; tokens: {} read, {} written",
        event["status"].as_str().unwrap_or_default(),
        event["steps"],
        usage["input"].as_u64().unwrap_or(0)
            + usage["cache_read"].as_u64().unwrap_or(0)
            + usage["cache_write"].as_u64().unwrap_or(0),
        usage["output"]
    )
}
