//! The one `response` to each command.

use crate::session::{Message, Millis, Refusal, Reply};
use crate::wire::json::Fields;
use crate::wire::{Asked, Frames};

use super::head::Head;
use super::{refusal, session};

pub(super) fn answer(
    head: &mut Head,
    asked: &Asked,
    outcome: &Result<Reply, Refusal>,
    at: Millis,
    out: &mut Frames,
) {
    let reply = match outcome {
        Ok(reply) => reply,
        Err(refusal) => return refused(head, asked, &refusal::words(refusal), at, out),
    };
    head.line(out, "response", at, |fields| {
        envelope(fields, asked, true);
        match reply {
            Reply::State(state) => {
                fields.object("data", |data| session::state(data, state));
            }
            Reply::Forked(state) => {
                fields.object("data", |data| session::info(data, state));
            }
            Reply::Sessions(sessions) => {
                fields.object("data", |data| {
                    data.objects("sessions", sessions, session::listing);
                });
            }
            Reply::Exported { path, redacted } => {
                fields.object("data", |data| {
                    data.text("path", path);
                    data.texts("redacted", redacted.iter().map(AsRef::as_ref));
                });
            }
            Reply::Messages(messages) => {
                fields.object("data", |data| {
                    data.objects("messages", messages, message);
                });
            }
            // No command of this wire asks for a reset.
            Reply::Done | Reply::Started(_) | Reply::Queued | Reply::Reset(_) => (),
        }
    });
}

/// A message of a sub-agent: role, text and, of results, the tools.
fn message(fields: &mut Fields<'_>, message: &Message) {
    match message {
        Message::User { content, .. } => {
            fields.text("role", "user");
            fields.text("text", &content.joined_text());
        }
        Message::Assistant { message, .. } => {
            fields.text("role", "assistant");
            fields.text("text", &message.text);
            if !message.calls.is_empty() {
                fields.objects("calls", &message.calls, |fields, call| {
                    fields.text("call_id", call.id.as_str());
                    fields.text("tool", &call.tool);
                    fields.document("input", &call.input);
                });
            }
        }
        Message::Results { results, .. } => {
            fields.text("role", "tool");
            fields.objects("results", results, |fields, result| {
                fields.text("call_id", result.call.as_str());
                fields.text("tool", &result.tool);
                fields.text("text", &result.text);
                fields.flag("is_error", result.is_error());
            });
        }
    }
    fields.text("id", &message.entry().to_string());
}

pub(super) fn refused(head: &mut Head, asked: &Asked, error: &str, at: Millis, out: &mut Frames) {
    head.line(out, "response", at, |fields| {
        envelope(fields, asked, false);
        fields.text("error", error);
    });
}

fn envelope(fields: &mut Fields<'_>, asked: &Asked, ok: bool) {
    if let Some(id) = &asked.id {
        fields.raw("id", id.as_json());
    }
    fields.text("command", &asked.name).flag("ok", ok);
}
