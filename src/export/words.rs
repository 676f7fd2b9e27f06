//! What people read of states and numbers, the same in every format.

use greenroom_protocol::session::{
    AbortedBy, CallEnd, Cost, EditKind, LimitKind, Millis, Outcome, Scope, SettledBy, Usage,
};

pub(super) fn outcome(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Completed => "completed".to_owned(),
        Outcome::Aborted(AbortedBy::Client) => "aborted".to_owned(),
        Outcome::Aborted(AbortedBy::ClientGone) => "aborted: the client went away".to_owned(),
        Outcome::Aborted(AbortedBy::Signal) => "aborted by a signal".to_owned(),
        Outcome::Aborted(AbortedBy::Reset) => "aborted by a reset".to_owned(),
        Outcome::Aborted(AbortedBy::Close) => "aborted: the session was closed".to_owned(),
        Outcome::Refused => "declined by the model".to_owned(),
        Outcome::Failed(failure) => format!("failed: {}", failure.message),
        Outcome::Limit(kind) => format!("limit met: {}", limit(*kind)),
        Outcome::Interrupted(_) => "interrupted: the process went away".to_owned(),
    }
}

fn limit(kind: LimitKind) -> &'static str {
    match kind {
        LimitKind::Steps => "steps",
        LimitKind::AnswerLength => "length of an answer",
        LimitKind::Tokens => "tokens",
        LimitKind::Cost => "cost",
        LimitKind::Time => "time",
        LimitKind::SessionTokens => "tokens of the session",
        LimitKind::SessionCost => "cost of the session",
    }
}

pub(super) fn end(end: CallEnd) -> &'static str {
    match end {
        CallEnd::Done => "done",
        CallEnd::Failed => "failed",
        CallEnd::Denied => "denied",
        CallEnd::Refused => "refused",
        CallEnd::Skipped => "skipped",
        CallEnd::Aborted => "aborted",
        CallEnd::Unknown => "outcome unknown",
    }
}

pub(super) fn settled_by(by: SettledBy) -> &'static str {
    match by {
        SettledBy::Client => "a client",
        SettledBy::Policy => "the command line",
        SettledBy::Abort => "an abort",
        SettledBy::ClientsGone => "the end of the input",
        SettledBy::Deadline => "its deadline",
        SettledBy::Restart => "a restart",
    }
}

/// How long an answer holds, as it goes on from who gave it.
pub(super) fn lasting(scope: Scope) -> &'static str {
    match scope {
        Scope::Once => "",
        Scope::Session => ", for the session",
        Scope::Project => ", for the project",
        Scope::User => ", for the user",
    }
}

/// The name of it, for programs.
pub(super) fn scope(scope: Scope) -> &'static str {
    match scope {
        Scope::Once => "once",
        Scope::Session => "session",
        Scope::Project => "project",
        Scope::User => "user",
    }
}

pub(super) fn kind(kind: EditKind) -> &'static str {
    match kind {
        EditKind::Created => "created",
        EditKind::Modified => "modified",
        EditKind::Deleted => "deleted",
    }
}

/// `2026-12-01 07:40:05` UTC.
pub(super) fn time(at: Millis) -> String {
    let millis = i64::try_from(at.0).unwrap_or(i64::MAX);
    match jiff::Timestamp::from_millisecond(millis) {
        Ok(time) => time.strftime("%Y-%m-%d %H:%M:%S").to_string(),
        Err(_) => "unknown".to_owned(),
    }
}

/// `$0.0127`; a price that is not known is never a zero.
pub(super) fn cost(usage: &Usage) -> String {
    let Cost(micros) = usage.cost;
    let dollars = format!("${}.{:04}", micros / 1_000_000, micros % 1_000_000 / 100);
    match (usage.cost_unknown, micros) {
        (true, 0) => "cost unknown".to_owned(),
        (true, _) => format!("{dollars} and more"),
        (false, _) => dollars,
    }
}

/// `350 ms`, `2.5 s`, `3 min 20 s`.
pub(super) fn duration(ms: u64) -> String {
    match ms {
        0..1_000 => format!("{ms} ms"),
        1_000..60_000 => format!("{}.{} s", ms / 1_000, ms % 1_000 / 100),
        _ => format!("{} min {} s", ms / 60_000, ms % 60_000 / 1_000),
    }
}
