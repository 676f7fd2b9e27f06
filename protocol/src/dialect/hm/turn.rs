//! Turns: what they use, how they end, what fails in them.

use crate::session::{
    AbortedBy, Failure, FailureKind, Interruption, LimitKind, Millis, Mode, ModelChoice, Outcome,
    SessionInfo, Usage,
};
use crate::wire::Frames;
use crate::wire::json::Fields;

use super::head::Head;
use super::session;

/// What turns use now: the wire tells a change when it begins to act.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Acting {
    mode: Mode,
    model: ModelChoice,
}

impl Acting {
    pub(super) fn of(info: &SessionInfo) -> Acting {
        Acting {
            mode: info.mode.clone(),
            model: info.model.clone(),
        }
    }

    pub(super) fn new(mode: Mode, model: &ModelChoice) -> Acting {
        let model = model.clone();
        Acting { mode, model }
    }

    /// `mode_change` and `model_change`, where it differs from before.
    pub(super) fn tell_changes(
        &self,
        before: &Acting,
        head: &mut Head,
        at: Millis,
        out: &mut Frames,
    ) {
        if self.mode != before.mode {
            head.line(out, "mode_change", at, |fields| {
                fields.text("mode", self.mode.name());
            });
        }
        if self.model != before.model {
            head.line(out, "model_change", at, |fields| {
                fields.text("provider", &self.model.provider);
                fields.text("model", &self.model.model);
                session::effort(fields, &self.model);
            });
        }
    }
}

/// How a turn ended, in numbers.
pub(super) struct Ended<'a> {
    pub(super) outcome: &'a Outcome,
    pub(super) steps: u32,
    pub(super) usage: &'a Usage,
}

/// `turn_end`, after an `error` when something failed.
pub(super) fn end(head: &mut Head, ended: &Ended<'_>, at: Millis, out: &mut Frames) {
    if let Outcome::Failed(failure) = ended.outcome {
        error(head, failure, at, out, |_| ());
    }
    head.line(out, "turn_end", at, |fields| {
        fields.text("status", status(ended.outcome));
        fields.number("steps", ended.steps.into());
        fields.object("usage", |fields| session::usage(fields, ended.usage));
        match ended.outcome {
            Outcome::Completed => (),
            Outcome::Aborted(by) => {
                fields.text("by", aborted_by(*by));
            }
            Outcome::Refused => {
                fields.text("error", "the model declined to answer");
            }
            Outcome::Failed(failure) => {
                fields.text("error", &failure.message);
            }
            Outcome::Limit(kind) => {
                fields.text("limit", limit(*kind));
            }
            Outcome::Interrupted(interruption) => {
                fields.text("by", interrupted_by(*interruption));
                fields.text("error", "the turn was cut before its end");
            }
        };
    });
}

/// `error`; it never ends the process.
pub(super) fn error(
    head: &mut Head,
    failure: &Failure,
    at: Millis,
    out: &mut Frames,
    more: impl FnOnce(&mut Fields<'_>),
) {
    head.line(out, "error", at, |fields| {
        fields.text("message", &failure.message);
        fields.text("code", code(failure.kind));
        more(fields);
    });
}

pub(super) fn status(outcome: &Outcome) -> &'static str {
    match outcome {
        Outcome::Completed => "ok",
        Outcome::Aborted(_) => "aborted",
        Outcome::Refused => "refused",
        Outcome::Failed(_) => "error",
        Outcome::Limit(LimitKind::Steps) => "max_steps",
        Outcome::Limit(
            LimitKind::AnswerLength
            | LimitKind::Tokens
            | LimitKind::Cost
            | LimitKind::Time
            | LimitKind::SessionTokens
            | LimitKind::SessionCost,
        ) => "limit",
        Outcome::Interrupted(_) => "interrupted",
    }
}

fn aborted_by(by: AbortedBy) -> &'static str {
    match by {
        AbortedBy::Client => "client",
        AbortedBy::ClientGone => "eof",
        AbortedBy::Signal => "signal",
        AbortedBy::Reset => "reset",
        AbortedBy::Close => "close",
    }
}

fn limit(kind: LimitKind) -> &'static str {
    match kind {
        LimitKind::Steps => "steps",
        LimitKind::AnswerLength => "answer_length",
        LimitKind::Tokens => "tokens",
        LimitKind::Cost => "cost",
        LimitKind::Time => "time",
        LimitKind::SessionTokens => "session_tokens",
        LimitKind::SessionCost => "session_cost",
    }
}

fn interrupted_by(interruption: Interruption) -> &'static str {
    match interruption {
        Interruption::Crash => "crash",
        Interruption::Restart => "restart",
        Interruption::Shutdown => "shutdown",
    }
}

fn code(kind: FailureKind) -> &'static str {
    match kind {
        FailureKind::RateLimited => "rate_limit",
        FailureKind::Overloaded => "overloaded",
        FailureKind::Auth => "auth",
        FailureKind::Quota => "quota",
        FailureKind::TooLong => "context",
        FailureKind::Invalid | FailureKind::Broken | FailureKind::Stalled => "provider",
        FailureKind::Storage => "store",
        FailureKind::Aborted => "aborted",
        FailureKind::Internal => "internal",
    }
}
