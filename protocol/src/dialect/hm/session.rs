//! The session as this wire shows it: its start, its state, its end.

use crate::session::{
    Millis, ModelChoice, Opening, SessionId, SessionListing, Snapshot, Status, Usage,
};
use crate::wire::Frames;
use crate::wire::json::Fields;

use super::head::Head;
use super::tally::Tally;

/// `session_start`. `prompt` is empty here: it is that of `hm agent -p`.
pub(super) fn start(head: &mut Head, state: &Snapshot, at: Millis, out: &mut Frames) {
    let info = &state.info;
    let (resumed, interrupted) = match state.opening {
        Opening::New => (false, false),
        Opening::Resumed => (true, false),
        Opening::ResumedAfterInterruption => (true, true),
    };
    head.line(out, "session_start", at, |fields| {
        fields.text("root", &info.root);
        fields.text("mode", info.mode.name());
        fields.text("provider", &info.model.provider);
        fields.text("model", &info.model.model);
        fields.flag("resumed", resumed).text("prompt", "");
        effort(fields, &info.model);
        if !info.title.is_empty() {
            fields.text("title", &info.title);
        }
        fields.mark("interrupted", interrupted);
        if let Some((origin, entry)) = &info.fork_of {
            fields.text("fork_of", origin.as_str());
            fields.text("entry", &entry.to_string());
        }
    });
}

/// The data of `get_state`.
pub(super) fn state(data: &mut Fields<'_>, state: &Snapshot) {
    let running = state.turn.is_some();
    let approvals = state.approvals.iter().map(|it| it.call.as_str());
    let questions = state.questions.iter().map(|it| it.call.as_str());
    data.object("session", |fields| info(fields, state));
    data.flag("running", running);
    data.texts("pending_approvals", approvals);
    data.texts("pending_questions", questions);
    if !state.agents.is_empty() {
        data.objects("agents", &state.agents, |fields, agent| {
            fields.text("agent", agent.agent.as_str());
            fields.text("name", &agent.name);
            fields.text("task", &agent.task);
            fields.flag("background", agent.background);
            fields.text("call_id", agent.call.as_str());
            fields.time("started", agent.started);
            fields.number("steps", agent.steps.into());
            fields.object("usage", |fields| usage(fields, &agent.usage));
        });
    }
    if !state.grants.is_empty() {
        data.objects("grants", &state.grants, |fields, grant| {
            fields.text("name", &grant.name);
            fields.text("covers", &grant.covers);
        });
    }
}

/// `session_end`: what this connection was told, in sum.
pub(super) fn end(head: &mut Head, tally: &Tally, exit_code: u8, at: Millis, out: &mut Frames) {
    head.line(out, "session_end", at, |fields| {
        fields.text("answer", &tally.answer);
        fields.number("exit_code", exit_code.into());
        fields.objects("refused", &tally.refused, |fields, refused| {
            fields.text("call_id", refused.call.as_str());
            fields.text("tool", &refused.tool);
            fields.text("summary", &refused.summary);
            fields.text("by", refused.by);
        });
        fields.object("usage", |fields| usage(fields, &tally.usage));
        if 0 < tally.refused_left_out {
            fields.number("refused_left_out", tally.refused_left_out);
        }
    });
}

/// A session object.
pub(super) fn info(fields: &mut Fields<'_>, state: &Snapshot) {
    let info = &state.info;
    fields.text("id", info.id.as_str());
    fields.text("title", &info.title);
    fields.text("root", &info.root);
    fields.text("mode", info.mode.name());
    fields.text("provider", &info.model.provider);
    fields.text("model", &info.model.model);
    effort(fields, &info.model);
    fields.text("status", status(info.status));
    fields.flag("running", state.turn.is_some());
    fields.flag("saved", info.saved);
    fields.number("context", info.context);
    fields.object("usage", |fields| usage(fields, &info.usage));
}

/// One of `list_sessions`. What is not set is an empty text.
pub(super) fn listing(fields: &mut Fields<'_>, listing: &SessionListing) {
    let origin = listing.fork_of.as_ref().map(|(origin, _)| origin);
    fields.text("id", listing.id.as_str());
    fields.text("title", &listing.title);
    fields.text("mode", listing.mode.name());
    fields.text("provider", &listing.model.provider);
    fields.text("model", &listing.model.model);
    fields.text("root", &listing.root);
    fields.text(
        "parent_id",
        listing.parent.as_ref().map_or("", SessionId::as_str),
    );
    fields.text("fork_of", origin.map_or("", SessionId::as_str));
    fields.text("status", status(listing.status));
    fields.time("updated", listing.updated);
    fields.number("turns", listing.turns);
    fields.cost("cost", listing.usage.cost);
    fields.mark("cost_unknown", listing.usage.cost_unknown);
}

pub(super) fn effort(fields: &mut Fields<'_>, model: &ModelChoice) {
    fields.some_text("effort", model.effort.map(|effort| effort.name()));
}

/// The five numbers of a `usage` event, a session, a turn. A cost that is known
/// to be too low says so.
pub(super) fn usage(fields: &mut Fields<'_>, usage: &Usage) {
    fields.number("input", usage.input);
    fields.number("output", usage.output);
    fields.number("cache_read", usage.cache_read);
    fields.number("cache_write", usage.cache_write);
    fields.cost("cost", usage.cost);
    fields.mark("cost_unknown", usage.cost_unknown);
}

fn status(status: Status) -> &'static str {
    match status {
        Status::Idle => "idle",
        Status::Running => "running",
        Status::Waiting => "waiting",
        Status::Failed => "error",
    }
}
