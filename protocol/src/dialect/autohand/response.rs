//! The one `response` to each command.

use crate::session::{Refusal, Reply, Snapshot, Status};
use crate::wire::json::{Fields, object};
use crate::wire::{Asked, Frames};

use super::context::percent_left;
use super::{history, refusal};

pub(super) fn answer(asked: &Asked, outcome: &Result<Reply, Refusal>, out: &mut Frames) {
    let reply = match outcome {
        Ok(reply) => reply,
        Err(refusal) => return refused(asked, &refusal::words(refusal), out),
    };
    response(asked, true, out, |fields| match reply {
        Reply::State(snapshot) => {
            fields.object("data", |data| state(data, snapshot));
        }
        Reply::Messages(messages) => {
            fields.object("data", |data| history::messages(data, messages));
        }
        Reply::Reset(session) => {
            fields.object("data", |data| {
                data.text("sessionId", session.as_str());
            });
        }
        // The last three are asked for by no command of this wire.
        Reply::Done
        | Reply::Started(_)
        | Reply::Queued
        | Reply::Forked(_)
        | Reply::Sessions(_)
        | Reply::Exported { .. } => (),
    });
}

pub(super) fn refused(asked: &Asked, error: &str, out: &mut Frames) {
    response(asked, false, out, |fields| {
        fields.text("error", error);
    });
}

fn response(asked: &Asked, success: bool, out: &mut Frames, rest: impl FnOnce(&mut Fields<'_>)) {
    out.push(|bytes| {
        object(bytes, |fields| {
            fields.text("type", "response");
            if let Some(id) = &asked.id {
                fields.raw("id", id.as_json());
            }
            fields.text("command", &asked.name);
            fields.flag("success", success);
            rest(fields);
        });
    });
}

/// The data of `get_state`: the page's fields, then the SDKs', then ours. The
/// page shows `contextPercent` always, so an unknown window counts as empty.
fn state(data: &mut Fields<'_>, state: &Snapshot) {
    let info = &state.info;
    let left = info
        .context_window
        .map(|window| percent_left(info.context, window));
    let status = match info.status {
        Status::Idle | Status::Failed => "idle",
        Status::Running => "processing",
        Status::Waiting => "waiting_permission",
    };
    data.text("model", &info.model.model);
    data.text("provider", &info.model.provider);
    data.text("workspace", &info.root);
    data.flag("isProcessing", state.turn.is_some());
    data.number("contextPercent", left.unwrap_or(100));
    data.number("messageCount", state.messages as u64);
    data.text("status", status);
    data.text("sessionId", info.id.as_str());
    data.text("mode", info.mode.name());
    let requests = state.approvals.iter().map(|it| it.call.as_str());
    data.texts("pendingRequests", requests);
    let questions = state.questions.iter().map(|it| it.call.as_str());
    data.texts("pendingQuestions", questions);
}
