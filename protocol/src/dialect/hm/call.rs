//! Calls on their way: told, asked about, ended.

use crate::session::{
    Approval, Ask, Call, CallEnd, CallResult, Category, EditKind, Millis, PlannedEdit, Question,
    Scope, Settlement, Text,
};
use crate::wire::Frames;
use crate::wire::json::Fields;

use super::head::Head;
use super::tally::settled_by;

/// `tool_call`
pub(super) fn started(head: &mut Head, call: &Call, at: Millis, out: &mut Frames) {
    head.line(out, "tool_call", at, |fields| {
        fields.text("tool", &call.tool);
        fields.text("call_id", call.id.as_str());
        fields.text("summary", &call.summary);
        fields.document("input", &call.input);
        fields.text("category", category(call.category));
    });
}

/// `approval_needed`
pub(super) fn approval(head: &mut Head, approval: &Approval, at: Millis, out: &mut Frames) {
    head.line(out, "approval_needed", at, |fields| {
        fields.text("call_id", approval.call.as_str());
        fields.text("tool", &approval.tool);
        fields.text("category", category(approval.category));
        fields.text("summary", &approval.summary);
        fields.some_text("command", approval.command.as_deref());
        fields.texts("paths", approval.paths.iter().map(AsRef::as_ref));
        if !approval.edits.is_empty() {
            fields.objects("edits", &approval.edits, edit);
        }
        fields.text("reason", &approval.reason);
        fields.flag("session_ok", approval.scopes.contains(&Scope::Session));
        // Of nested sub-agents the innermost is the one that asks.
        let agent = approval.asked_by.last().map(|agent| agent.as_str());
        fields.some_text("agent", agent);
        if let Some(deadline) = approval.deadline {
            fields.time("deadline", deadline);
        }
    });
}

fn edit(fields: &mut Fields<'_>, edit: &PlannedEdit) {
    let kind = match edit.kind {
        EditKind::Created => "create",
        EditKind::Modified => "modify",
        EditKind::Deleted => "delete",
    };
    fields.text("path", &edit.path);
    fields.some_text("content", edit.after.as_deref());
    fields.text("kind", kind);
    fields.some_text("before", edit.before.as_deref());
}

/// `approval`
pub(super) fn settled(head: &mut Head, settlement: &Settlement, at: Millis, out: &mut Frames) {
    let for_session = settlement.allowed && settlement.scope == Scope::Session;
    head.line(out, "approval", at, |fields| {
        fields.text("call_id", settlement.call.as_str());
        fields.text("tool", &settlement.tool);
        fields.flag("allow", settlement.allowed);
        fields.some_text("note", settlement.note.as_deref());
        fields.mark("for_session", for_session);
        fields.text("by", settled_by(settlement.by));
        fields.mark("edited", settlement.amended);
    });
}

/// `question`. The wire has one text a question: several are numbered in it,
/// and stand one by one in `questions`.
pub(super) fn question(head: &mut Head, ask: &Ask, at: Millis, out: &mut Frames) {
    head.line(out, "question", at, |fields| {
        fields.text("call_id", ask.call.as_str());
        match ask.questions.as_slice() {
            [only] => {
                fields.text("text", &only.text);
                options(fields, only);
            }
            several => {
                fields.text("text", &numbered(several));
                fields.objects("questions", several, |fields, question| {
                    fields.text("id", &question.id);
                    fields.text("text", &question.text);
                    options(fields, question);
                });
            }
        }
        let agent = ask.asked_by.last().map(|agent| agent.as_str());
        fields.some_text("agent", agent);
        if let Some(deadline) = ask.deadline {
            fields.time("deadline", deadline);
        }
    });
}

fn options(fields: &mut Fields<'_>, question: &Question) {
    let choices = &question.choices;
    if choices.is_empty() {
        return;
    }
    fields.texts(
        "options",
        choices.iter().map(|choice| choice.label.as_ref()),
    );
    if choices.iter().any(|choice| choice.description.is_some()) {
        let description = |text: &Option<Text>| text.clone().unwrap_or_else(|| Text::from(""));
        let descriptions: Vec<Text> = choices
            .iter()
            .map(|choice| description(&choice.description))
            .collect();
        fields.texts("descriptions", descriptions.iter().map(AsRef::as_ref));
    }
    fields.mark("multiple", question.multiple);
}

/// `1. First? (a, b)` and so on, one a line.
fn numbered(questions: &[Question]) -> String {
    let mut text = String::new();
    for (index, question) in questions.iter().enumerate() {
        if 0 < index {
            text.push('\n');
        }
        text.push_str(&format!("{}. {}", index + 1, question.text));
        let labels: Vec<&str> = question
            .choices
            .iter()
            .map(|it| it.label.as_ref())
            .collect();
        if !labels.is_empty() {
            text.push_str(&format!(" ({})", labels.join(", ")));
        }
    }
    text
}

/// `tool_result`
pub(super) fn ended(head: &mut Head, result: &CallResult, at: Millis, out: &mut Frames) {
    head.line(out, "tool_result", at, |fields| {
        fields.text("tool", &result.tool);
        fields.text("call_id", result.call.as_str());
        fields.text("text", &result.text);
        fields.flag("is_error", result.is_error());
        fields.mark("skipped", result.end == CallEnd::Skipped);
        fields.mark("denied", result.end == CallEnd::Denied);
        fields.mark("truncated", result.truncated);
        if let Some(exit_code) = result.exit_code {
            fields.signed("exit_code", exit_code.into());
        }
        if !result.images.is_empty() {
            fields.number("images", result.images.len() as u64);
        }
    });
}

pub(super) fn category(category: Category) -> &'static str {
    match category {
        Category::Read => "read",
        Category::Edit => "edit",
        Category::Shell => "shell",
        Category::Web => "web",
        Category::Mcp => "mcp",
        Category::Agent => "agent",
        Category::Session => "other",
    }
}
