//! Calls on their way: asked about, begun, ended.

use crate::session::{
    Approval, Ask, Call, CallEnd, CallId, CallResult, Category, Choice, EditKind, Millis,
    OutputStream, Question, SettledBy, Settlement, Text, Verdict,
};
use crate::wire::Frames;
use crate::wire::json::Fields;

use super::command::DECISIONS;
use super::head::Head;

/// `permission_request`; the id is that of the call that waits.
pub(super) fn permission(head: &mut Head, approval: &Approval, at: Millis, out: &mut Frames) {
    let message = question_of(approval);
    let is_offered = |verdict: &Verdict| match verdict {
        Verdict::Allow(scope) | Verdict::Deny(scope) => approval.scopes.contains(scope),
    };
    let offered = DECISIONS.iter().filter(|(_, verdict)| is_offered(verdict));
    head.event(out, "permission_request", at, |data| {
        data.text("requestId", approval.call.as_str());
        data.text("tool", &approval.tool);
        data.text("message", &message);
        data.text("description", &message);
        data.text("toolCallId", approval.call.as_str());
        data.object("context", |context| {
            context.some_text("command", approval.command.as_deref());
            // Of a command the path is only where it runs.
            let path = approval
                .paths
                .first()
                .filter(|_| approval.command.is_none());
            context.some_text("path", path.map(AsRef::as_ref));
            context.texts("paths", approval.paths.iter().map(AsRef::as_ref));
        });
        data.texts("options", offered.map(|(name, _)| *name));
        data.text("reason", &approval.reason);
        if !approval.edits.is_empty() {
            data.objects("changes", &approval.edits, |fields, edit| {
                fields.text("filePath", &edit.path);
                fields.text("changeType", change_type(edit.kind));
                fields.some_text("originalContent", edit.before.as_deref());
                fields.some_text("proposedContent", edit.after.as_deref());
            });
        }
        let agent = approval.asked_by.last().map(|agent| agent.as_str());
        data.some_text("agentId", agent);
        if let Some(deadline) = approval.deadline {
            data.time("deadline", deadline);
        }
    });
}

/// One line for a person, as the page words it: `Execute: npm install?`
fn question_of(approval: &Approval) -> String {
    let act = match approval.category {
        Category::Read => "Read",
        Category::Edit => "Edit",
        Category::Shell => "Execute",
        Category::Web => "Fetch",
        Category::Mcp => "Call",
        Category::Agent => "Delegate",
        Category::Session => "Allow",
    };
    let what = approval.command.as_ref().unwrap_or(&approval.summary);
    format!("{act}: {what}?")
}

fn change_type(kind: EditKind) -> &'static str {
    match kind {
        EditKind::Created => "create",
        EditKind::Modified => "modify",
        EditKind::Deleted => "delete",
    }
}

/// `permission_resolved`, an extension: no request may end in silence.
pub(super) fn resolved(head: &mut Head, settlement: &Settlement, at: Millis, out: &mut Frames) {
    let verdict = if settlement.allowed {
        Verdict::Allow(settlement.scope)
    } else {
        Verdict::Deny(settlement.scope)
    };
    let decision = DECISIONS.iter().find(|(_, known)| *known == verdict);
    head.event(out, "permission_resolved", at, |data| {
        data.text("requestId", settlement.call.as_str());
        data.text("tool", &settlement.tool);
        data.flag("approve", settlement.allowed);
        data.flag("allowed", settlement.allowed);
        data.some_text("decision", decision.map(|(name, _)| *name));
        data.text("by", settled_by(settlement.by));
        data.some_text("note", settlement.note.as_deref());
    });
}

/// `question`, an extension: the page has no word for it.
pub(super) fn question(head: &mut Head, ask: &Ask, at: Millis, out: &mut Frames) {
    head.event(out, "question", at, |data| {
        data.text("requestId", ask.call.as_str());
        data.text("toolCallId", ask.call.as_str());
        if let Some(first) = ask.questions.first() {
            data.text("question", &first.text);
        }
        data.objects("questions", &ask.questions, one_question);
        let agent = ask.asked_by.last().map(|agent| agent.as_str());
        data.some_text("agentId", agent);
        if let Some(deadline) = ask.deadline {
            data.time("deadline", deadline);
        }
    });
}

fn one_question(fields: &mut Fields<'_>, question: &Question) {
    fields.text("id", &question.id);
    fields.text("question", &question.text);
    fields.objects("options", &question.choices, |fields, choice: &Choice| {
        fields.text("label", &choice.label);
        fields.some_text("description", choice.description.as_deref());
    });
    fields.flag("multiple", question.multiple);
}

/// `question_resolved`, an extension.
pub(super) fn question_resolved(
    head: &mut Head,
    call: &CallId,
    answered: bool,
    by: SettledBy,
    at: Millis,
    out: &mut Frames,
) {
    head.event(out, "question_resolved", at, |data| {
        data.text("requestId", call.as_str());
        data.flag("answered", answered);
        data.text("by", settled_by(by));
    });
}

/// `tool_execution_start`
pub(super) fn started(head: &mut Head, call: &Call, at: Millis, out: &mut Frames) {
    head.event(out, "tool_execution_start", at, |data| {
        names(data, &call.tool, &call.id);
        data.document("args", &call.input);
    });
}

/// `tool_execution_update`
pub(super) fn output(
    head: &mut Head,
    call: &CallId,
    stream: OutputStream,
    text: &Text,
    at: Millis,
    out: &mut Frames,
) {
    let stream = match stream {
        OutputStream::Stdout => "stdout",
        OutputStream::Stderr => "stderr",
    };
    head.event(out, "tool_execution_update", at, |data| {
        data.text("toolCallId", call.as_str());
        data.text("toolId", call.as_str());
        data.text("output", text);
        data.text("stream", stream);
    });
}

/// `tool_execution_end`
pub(super) fn ended(head: &mut Head, result: &CallResult, at: Millis, out: &mut Frames) {
    let decision = match result.end {
        CallEnd::Done | CallEnd::Failed => None,
        CallEnd::Denied => Some("denied"),
        CallEnd::Refused => Some("refused"),
        CallEnd::Skipped => Some("skipped"),
        CallEnd::Aborted => Some("aborted"),
        CallEnd::Unknown => Some("unknown"),
    };
    head.event(out, "tool_execution_end", at, |data| {
        names(data, &result.tool, &result.call);
        data.flag("success", !result.is_error());
        data.number("duration", result.duration_ms);
        outcome(data, result);
        data.some_text("decision", decision);
        data.mark("truncated", result.truncated);
    });
}

/// The text once: as the output of what ran to its end, else as the error.
fn outcome(data: &mut Fields<'_>, result: &CallResult) {
    match result.exit_code {
        Some(exit_code) => {
            data.text("output", &result.text);
            if result.is_error() {
                data.text("error", &format!("exit code {exit_code}"));
            }
            data.signed("exitCode", exit_code.into());
        }
        None if result.is_error() => {
            data.text("error", &result.text);
        }
        None => {
            data.text("output", &result.text);
        }
    }
}

fn names(data: &mut Fields<'_>, tool: &Text, call: &CallId) {
    data.text("toolName", tool);
    data.text("toolCallId", call.as_str());
    data.text("toolId", call.as_str());
}

/// `file_change`; the id of the change is that of its event.
pub(super) fn file_changed(
    head: &mut Head,
    seq: u64,
    call: &CallId,
    (path, kind, diff): (&Text, EditKind, Option<&Text>),
    at: Millis,
    out: &mut Frames,
) {
    let action = match kind {
        EditKind::Created => "created",
        EditKind::Modified => "modified",
        EditKind::Deleted => "deleted",
    };
    head.event(out, "file_change", at, |data| {
        data.text("path", path);
        data.text("action", action);
        data.text("changeId", &format!("chg-{seq}"));
        data.text("filePath", path);
        data.text("changeType", change_type(kind));
        data.text("toolCallId", call.as_str());
        data.some_text("diff", diff.map(AsRef::as_ref));
    });
}

fn settled_by(by: SettledBy) -> &'static str {
    match by {
        SettledBy::Client => "client",
        SettledBy::Policy => "policy",
        SettledBy::Abort => "abort",
        SettledBy::ClientsGone => "disconnect",
        SettledBy::Deadline => "timeout",
        SettledBy::Restart => "restart",
    }
}
