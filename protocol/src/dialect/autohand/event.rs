//! What happened, in this wire's events.

use crate::session::{
    AbortedBy, AssistantMessage, Content, EntryId, Event, Happening, Millis, Opening, Outcome,
    Snapshot, Stop, Text, TurnId, TurnInFlight,
};
use crate::wire::Frames;
use crate::wire::json::{Fields, integer};

use super::turn::{Ended, error_type, turn_id};
use super::{Autohand, call, turn};

impl Autohand {
    /// `agent_start`: ready for commands.
    pub(super) fn start(&mut self, state: &Snapshot, at: Millis, out: &mut Frames) {
        let info = &state.info;
        let left = self.context.left();
        self.head.event(out, "agent_start", at, |data| {
            data.text("sessionId", info.id.as_str());
            data.text("model", &info.model.model);
            data.text("provider", &info.model.provider);
            data.text("workspace", &info.root);
            if let Some(left) = left {
                data.number("contextPercent", left);
            }
            data.mark("resumed", state.opening != Opening::New);
            let interrupted = state.opening == Opening::ResumedAfterInterruption;
            data.mark("interrupted", interrupted);
        });
    }

    /// `agent_end`: nothing follows.
    pub(super) fn end(&mut self, exit_code: u8, at: Millis, out: &mut Frames) {
        let reason = match exit_code {
            0 if self.cut => "aborted",
            0 => "completed",
            130 | 143 => "aborted",
            _ => "error",
        };
        let session = self.session.as_ref();
        self.head.event(out, "agent_end", at, |data| {
            data.some_text("sessionId", session.map(|session| session.as_str()));
            data.text("reason", reason);
        });
    }

    /// The events of one happening: none, one or several.
    pub(super) fn write(&mut self, event: &Event, out: &mut Frames) {
        let at = event.at;
        let head = &mut self.head;
        match &event.happening {
            Happening::TextAdded { entry, text } => {
                head.event(out, "message_update", at, |data| {
                    data.text("delta", text);
                    message_id(data, *entry);
                });
            }
            // Clients print every `delta`, so thinking must not stand in it.
            Happening::ThinkingAdded { entry, text } => {
                head.event(out, "message_update", at, |data| {
                    data.text("delta", "").text("thought", text);
                    message_id(data, *entry);
                });
            }
            Happening::TurnStarted { turn, model, .. } => {
                self.context.turn_uses(model);
                self.starting = Some(*turn);
            }
            Happening::UserMessage { content, .. } => {
                if let Some(turn) = self.starting.take() {
                    self.turn_start(turn, content, at, out);
                }
            }
            Happening::MessageStarted { entry } => {
                head.event(out, "message_start", at, |data| {
                    message_id(data, *entry);
                    data.text("role", "assistant");
                });
            }
            Happening::Used { usage } => self.context.count(usage),
            Happening::MessageEnded { entry, message } => {
                head.event(out, "message_end", at, |data| {
                    message_end(data, *entry, message);
                });
            }
            Happening::CallStarted(started) => {
                self.calls.insert(started.id.clone(), started.clone());
            }
            Happening::CallRunning { call, .. } => {
                if let Some(started) = self.calls.remove(call) {
                    call::started(head, &started, at, out);
                }
            }
            Happening::CallOutput { call, stream, text } => {
                call::output(head, call, *stream, text, at, out);
            }
            // A call that never ran is told too, or the client would miss it.
            Happening::CallEnded(result) => {
                if let Some(started) = self.calls.remove(&result.call) {
                    call::started(head, &started, at, out);
                }
                call::ended(head, result, at, out);
            }
            Happening::ApprovalAsked(approval) => call::permission(head, approval, at, out),
            Happening::ApprovalSettled(settlement) => call::resolved(head, settlement, at, out),
            Happening::QuestionAsked(ask) => call::question(head, ask, at, out),
            Happening::QuestionSettled { call, answered, by } => {
                call::question_resolved(head, call, *answered, *by, at, out);
            }
            Happening::FileChanged {
                call,
                path,
                kind,
                diff,
            } => {
                let change = (path, *kind, diff.as_ref());
                call::file_changed(head, event.seq, call, change, at, out);
            }
            // Not as `error`: clients take that for the end.
            Happening::Retrying {
                attempt,
                attempts,
                after_ms,
                failure,
            } => head.event(out, "retry", at, |data| {
                data.number("attempt", (*attempt).into());
                data.number("attempts", (*attempts).into());
                data.number("retryAfterMs", *after_ms);
                data.text("message", &failure.message);
                data.text("errorType", error_type(failure.kind));
            }),
            Happening::Throttled { since, until } => head.event(out, "throttled", at, |data| {
                data.time("since", *since);
                if let Some(until) = until {
                    data.time("until", *until);
                }
            }),
            Happening::Noticed { text } => head.event(out, "notice", at, |data| {
                data.text("message", text);
            }),
            Happening::AgentSaid { happening, .. } => self.write_of_agent(event, happening, out),
            Happening::CompactionEnded { context, .. } => self.context.shrink_to(*context),
            Happening::ConversationReset => self.context.shrink_to(0),
            Happening::TurnEnded {
                turn,
                outcome,
                steps,
                usage,
                duration_ms,
            } => {
                let ended = Ended {
                    turn: *turn,
                    outcome,
                    steps: *steps,
                    usage,
                    duration_ms: *duration_ms,
                    context_left: self.context.left(),
                };
                self.turn_end(&ended, at, out);
            }
            // The page has no word for these.
            Happening::Opened { .. }
            | Happening::Resumed
            | Happening::Titled { .. }
            | Happening::Queued { .. }
            | Happening::QueueDropped
            | Happening::CallDrafted { .. }
            | Happening::Checkpoint { .. }
            | Happening::BatchEnded { .. }
            | Happening::PlanChanged { .. }
            | Happening::ModeChanged { .. }
            | Happening::ModelChanged { .. }
            | Happening::CompactionStarted { .. }
            | Happening::Rewound { .. }
            | Happening::CallJudged { .. }
            | Happening::AgentStarted { .. }
            | Happening::AgentEnded { .. } => (),
        }
    }

    /// What a sub-agent does is told as the session's own: the wire has one
    /// agent. What it used is not the session's context.
    fn write_of_agent(&mut self, event: &Event, happening: &Happening, out: &mut Frames) {
        let is_told = matches!(
            happening,
            Happening::CallStarted(_)
                | Happening::CallRunning { .. }
                | Happening::CallEnded(_)
                | Happening::ApprovalAsked(_)
                | Happening::ApprovalSettled(_)
                | Happening::QuestionAsked(_)
                | Happening::QuestionSettled { .. }
                | Happening::Noticed { .. }
        );
        if is_told {
            let happening = happening.clone();
            self.write(
                &Event {
                    happening,
                    ..*event
                },
                out,
            );
        }
    }

    fn turn_start(&mut self, turn: TurnId, content: &Content, at: Millis, out: &mut Frames) {
        self.head.event(out, "turn_start", at, |data| {
            data.text("instruction", &content.joined_text());
            data.text("turnId", &turn_id(turn));
        });
    }

    fn turn_end(&mut self, ended: &Ended<'_>, at: Millis, out: &mut Frames) {
        if let Some(turn) = self.starting.take() {
            self.turn_start(turn, &Content::default(), at, out);
        }
        self.calls.clear();
        self.cut = matches!(ended.outcome, Outcome::Aborted(AbortedBy::ClientGone));
        turn::end(&mut self.head, ended, at, out);
    }

    /// What a client that joins in the middle of a turn must have been told, so
    /// that what follows makes sense: the message so far and what is open.
    pub(super) fn catch_up(&mut self, state: &Snapshot, at: Millis, out: &mut Frames) {
        if let Some(turn) = &state.turn {
            self.catch_up_turn(turn, at, out);
        }
        for approval in &state.approvals {
            call::permission(&mut self.head, approval, at, out);
        }
        for ask in &state.questions {
            call::question(&mut self.head, ask, at, out);
        }
    }

    fn catch_up_turn(&mut self, turn: &TurnInFlight, at: Millis, out: &mut Frames) {
        self.turn_start(turn.turn, &Content::default(), at, out);
        if let Some(entry) = turn.entry {
            self.head.event(out, "message_start", at, |data| {
                message_id(data, entry);
                data.text("role", "assistant");
            });
            self.catch_up_text(entry, &turn.text, at, out);
        }
        for told in &turn.calls {
            if told.running {
                call::started(&mut self.head, &told.call, at, out);
            } else {
                self.calls.insert(told.call.id.clone(), told.call.clone());
            }
        }
    }

    fn catch_up_text(&mut self, entry: EntryId, text: &Text, at: Millis, out: &mut Frames) {
        if text.is_empty() {
            return;
        }
        self.head.event(out, "message_update", at, |data| {
            data.text("delta", text);
            message_id(data, entry);
        });
    }
}

fn message_end(data: &mut Fields<'_>, entry: EntryId, message: &AssistantMessage) {
    message_id(data, entry);
    data.text("content", &message.text);
    data.text("role", "assistant");
    data.mark("aborted", message.stop == Stop::Aborted);
}

fn message_id(data: &mut Fields<'_>, entry: EntryId) {
    data.value("messageId", |bytes| {
        bytes.extend_from_slice(b"\"msg_");
        integer(bytes, entry.0);
        bytes.push(b'"');
    });
}
