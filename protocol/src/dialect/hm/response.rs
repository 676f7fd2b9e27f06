//! The one `response` to each command.

use crate::session::{Millis, Refusal, Reply};
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
            // No command of this wire asks for messages or a reset.
            Reply::Done
            | Reply::Started(_)
            | Reply::Queued
            | Reply::Messages(_)
            | Reply::Reset(_) => (),
        }
    });
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
