//! How turns end, and what fails in them.

use crate::session::{
    AbortedBy, Failure, FailureKind, Interruption, LimitKind, Millis, Outcome, TurnId, Usage,
};
use crate::wire::Frames;
use crate::wire::json::Fields;

use super::head::Head;

/// How a turn ended, in numbers.
pub(super) struct Ended<'a> {
    pub(super) turn: TurnId,
    pub(super) outcome: &'a Outcome,
    pub(super) steps: u32,
    pub(super) usage: &'a Usage,
    pub(super) duration_ms: u64,
    pub(super) context_left: Option<u64>,
}

/// `turn_end`, after an `error` when something failed.
pub(super) fn end(head: &mut Head, ended: &Ended<'_>, at: Millis, out: &mut Frames) {
    if let Outcome::Failed(failure) = ended.outcome {
        head.event(out, "error", at, |data| error(data, failure));
    }
    let reason = reason(ended.outcome);
    let tokens = ended.usage.context();
    // A turn that the model never answered may have used what nobody counted.
    let counted = ended.outcome == &Outcome::Completed || 0 < tokens;
    head.event(out, "turn_end", at, |data| {
        data.flag("success", *ended.outcome == Outcome::Completed);
        data.text("turnId", &turn_id(ended.turn));
        data.text("reason", reason);
        data.some_text("error", why(ended.outcome).as_deref());
        data.number("durationMs", ended.duration_ms);
        data.number("tokensUsed", tokens);
        data.text(
            "tokensUsageStatus",
            if counted { "actual" } else { "unavailable" },
        );
        data.cost("cost", ended.usage.cost);
        data.mark("costUnknown", ended.usage.cost_unknown);
        data.number("steps", ended.steps.into());
        if let Some(left) = ended.context_left {
            data.number("contextPercent", left);
        }
    });
}

/// The name of a turn on this wire.
pub(super) fn turn_id(turn: TurnId) -> String {
    format!("turn_{turn}")
}

/// The data of `error`.
fn error(data: &mut Fields<'_>, failure: &Failure) {
    data.signed("code", code(failure.kind));
    data.text("message", &failure.message);
    data.flag("recoverable", is_recoverable(failure.kind));
    data.text("errorType", error_type(failure.kind));
}

fn reason(outcome: &Outcome) -> &'static str {
    match outcome {
        Outcome::Completed => "completed",
        Outcome::Aborted(_) => "aborted",
        Outcome::Refused => "refused",
        Outcome::Failed(_) => "error",
        Outcome::Limit(_) => "limit",
        Outcome::Interrupted(_) => "interrupted",
    }
}

/// Why the turn was no success, in words.
fn why(outcome: &Outcome) -> Option<String> {
    let words = match outcome {
        Outcome::Completed => return None,
        Outcome::Failed(failure) => return Some(failure.message.to_string()),
        Outcome::Aborted(AbortedBy::Client) => "Aborted by the client",
        Outcome::Aborted(AbortedBy::ClientGone) => "Aborted: the client is gone",
        Outcome::Aborted(AbortedBy::Signal) => "Aborted by a signal",
        Outcome::Aborted(AbortedBy::Reset) => "Aborted by a reset",
        Outcome::Aborted(AbortedBy::Close) => "Aborted: the session was closed",
        Outcome::Refused => "The model declined to answer",
        Outcome::Limit(LimitKind::Steps) => "The limit of model calls was reached",
        Outcome::Limit(LimitKind::AnswerLength) => "The limit of an answer's length was reached",
        Outcome::Limit(LimitKind::Tokens) => "The limit of tokens was reached",
        Outcome::Limit(LimitKind::Cost) => "The limit of cost was reached",
        Outcome::Limit(LimitKind::Time) => "The limit of time was reached",
        Outcome::Limit(LimitKind::SessionTokens) => "The session's limit of tokens was reached",
        Outcome::Limit(LimitKind::SessionCost) => "The session's limit of cost was reached",
        Outcome::Interrupted(Interruption::Crash) => "Interrupted: the process died",
        Outcome::Interrupted(Interruption::Restart) => "Interrupted: the session was restarted",
        Outcome::Interrupted(Interruption::Shutdown) => "Interrupted: the process was stopped",
    };
    Some(words.to_owned())
}

/// HTTP's number where there is one, as the peer gives it.
fn code(kind: FailureKind) -> i64 {
    match kind {
        FailureKind::RateLimited => 429,
        FailureKind::Overloaded => 503,
        FailureKind::Auth => 401,
        FailureKind::Quota => 402,
        FailureKind::TooLong => 413,
        FailureKind::Invalid => 400,
        FailureKind::Broken => 502,
        FailureKind::Stalled => 504,
        FailureKind::Storage | FailureKind::Aborted | FailureKind::Internal => -32000,
    }
}

pub(super) fn error_type(kind: FailureKind) -> &'static str {
    match kind {
        FailureKind::RateLimited => "rate_limit",
        FailureKind::Overloaded => "server",
        FailureKind::Auth => "auth",
        FailureKind::Quota => "payment",
        FailureKind::TooLong => "context",
        FailureKind::Invalid => "invalid",
        FailureKind::Broken | FailureKind::Stalled => "network",
        FailureKind::Storage => "storage",
        FailureKind::Aborted => "aborted",
        FailureKind::Internal => "unknown",
    }
}

/// True when the same prompt may succeed later.
fn is_recoverable(kind: FailureKind) -> bool {
    match kind {
        FailureKind::RateLimited
        | FailureKind::Overloaded
        | FailureKind::Broken
        | FailureKind::Stalled => true,
        FailureKind::Auth
        | FailureKind::Quota
        | FailureKind::TooLong
        | FailureKind::Invalid
        | FailureKind::Storage
        | FailureKind::Aborted
        | FailureKind::Internal => false,
    }
}
