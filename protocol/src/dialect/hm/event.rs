//! What happened, in this wire's lines.

use crate::session::{
    AssistantMessage, Content, EntryId, Event, Happening, Millis, PlanItem, PlanStatus, Priority,
    Snapshot, Source, Stop, TurnInFlight,
};
use crate::wire::Frames;
use crate::wire::json::Fields;

use super::turn::{Acting, Ended};
use super::{Hm, call, session, turn};

impl Hm {
    /// The lines of one event: none, one or two.
    pub(super) fn write(&mut self, event: &Event, out: &mut Frames) {
        self.write_happening(event.at, &event.happening, out);
    }

    fn write_happening(&mut self, at: Millis, happening: &Happening, out: &mut Frames) {
        let head = &mut self.head;
        match happening {
            Happening::TextAdded { text, .. } => head.line(out, "text_delta", at, |fields| {
                fields.text("text", text);
            }),
            Happening::ThinkingAdded { text, .. } => {
                head.line(out, "thinking_delta", at, |fields| {
                    fields.text("text", text);
                });
            }
            Happening::TurnStarted { mode, model, .. } => {
                let now = Acting::new(mode.clone(), model);
                if let Some(before) = &self.acting {
                    now.tell_changes(before, head, at, out);
                }
                self.acting = Some(now);
            }
            Happening::UserMessage {
                entry,
                content,
                source,
            } => head.line(out, "message_end", at, |fields| {
                user_message(fields, *entry, content, *source);
            }),
            Happening::MessageStarted { entry } => head.line(out, "message_start", at, |fields| {
                fields.text("role", "assistant");
                id(fields, *entry);
            }),
            Happening::CallDrafted { tool } => head.line(out, "tool_start", at, |fields| {
                fields.text("tool", tool);
            }),
            Happening::Used { usage } => head.line(out, "usage", at, |fields| {
                session::usage(fields, usage);
            }),
            Happening::MessageEnded { entry, message } => {
                head.line(out, "message_end", at, |fields| {
                    assistant_message(fields, *entry, message);
                });
            }
            Happening::CallStarted(started) => call::started(head, started, at, out),
            Happening::ApprovalAsked(approval) => call::approval(head, approval, at, out),
            Happening::ApprovalSettled(settlement) => call::settled(head, settlement, at, out),
            Happening::QuestionAsked(ask) => call::question(head, ask, at, out),
            Happening::CallEnded(result) => call::ended(head, result, at, out),
            Happening::BatchEnded { entry } => head.line(out, "message_end", at, |fields| {
                fields.text("role", "tool").text("text", "");
                id(fields, *entry);
            }),
            Happening::PlanChanged { items } => plan(self, items, at, out),
            Happening::Retrying {
                attempt,
                attempts,
                after_ms,
                failure,
            } => turn::error(head, failure, at, out, |fields| {
                fields.seconds("retry_in", *after_ms);
                fields.number("attempt", (*attempt).into());
                fields.number("attempts", (*attempts).into());
            }),
            Happening::Throttled { since, until } => head.line(out, "throttled", at, |fields| {
                fields.time("since", *since);
                if let Some(until) = until {
                    fields.time("until", *until);
                }
            }),
            Happening::Noticed { text } => head.line(out, "notice", at, |fields| {
                fields.text("text", text);
            }),
            Happening::CompactionStarted { reason, context } => {
                self.compacting_from = Some(*context);
                head.line(out, "compaction_start", at, |fields| {
                    fields.text("reason", reason.name());
                    fields.number("context", *context);
                });
            }
            Happening::CompactionEnded {
                compacted,
                context,
                failure,
                ..
            } => {
                let before = self.compacting_from.take();
                head.line(out, "compaction_end", at, |fields| {
                    fields.flag("ok", compacted.is_some());
                    if let Some(before) = before {
                        fields.number("context_before", before);
                    }
                    fields.number("context_after", *context);
                    if let Some(compacted) = compacted {
                        fields.text("summary", &compacted.summary);
                        id(fields, compacted.entry);
                    }
                    let error = failure.as_ref().map(|failure| failure.message.as_ref());
                    fields.some_text("error", error);
                });
            }
            Happening::AgentStarted {
                agent,
                call,
                name,
                task,
                background,
            } => head.line(out, "agent_start", at, |fields| {
                fields.text("agent", agent.as_str());
                fields.text("name", name);
                fields.text("task", task);
                fields.flag("background", *background);
                fields.text("call_id", call.as_str());
            }),
            Happening::AgentSaid { path, happening } => {
                head.enter(path);
                self.write_happening(at, happening, out);
                self.head.leave();
            }
            Happening::AgentEnded {
                agent,
                outcome,
                text,
                usage,
            } => head.line(out, "agent_end", at, |fields| {
                fields.text("agent", agent.as_str());
                fields.text("status", turn::status(outcome));
                fields.text("text", text);
                fields.object("usage", |fields| session::usage(fields, usage));
            }),
            Happening::TurnEnded {
                outcome,
                steps,
                usage,
                ..
            } => {
                let steps = *steps;
                let ended = Ended {
                    outcome,
                    steps,
                    usage,
                };
                turn::end(head, &ended, at, out);
            }
            // The wire has no word for these, or tells them otherwise:
            // `session_start` and `get_state` show the session, the queue is
            // the client's own, a changed mode or model shows when it acts.
            Happening::Opened { .. }
            | Happening::Resumed
            | Happening::Titled { .. }
            | Happening::Queued { .. }
            | Happening::QueueDropped
            | Happening::Checkpoint { .. }
            | Happening::QuestionSettled { .. }
            | Happening::CallRunning { .. }
            | Happening::CallOutput { .. }
            | Happening::FileChanged { .. }
            | Happening::ModeChanged { .. }
            | Happening::ModelChanged { .. }
            | Happening::Rewound { .. }
            | Happening::CallJudged { .. }
            | Happening::ConversationReset => (),
        }
    }

    /// What a client that joins in the middle of a turn must have been told, so
    /// that what follows makes sense: the message so far and what is open.
    pub(super) fn catch_up(&mut self, state: &Snapshot, at: Millis, out: &mut Frames) {
        if let Some(turn) = &state.turn {
            self.catch_up_turn(turn, at, out);
        }
        self.tally.open(&state.approvals);
        for approval in &state.approvals {
            call::approval(&mut self.head, approval, at, out);
        }
        for ask in &state.questions {
            call::question(&mut self.head, ask, at, out);
        }
    }

    fn catch_up_turn(&mut self, turn: &TurnInFlight, at: Millis, out: &mut Frames) {
        if let Some(entry) = turn.entry {
            let texts = [
                ("thinking_delta", &turn.thinking),
                ("text_delta", &turn.text),
            ];
            self.head.line(out, "message_start", at, |fields| {
                fields.text("role", "assistant");
                id(fields, entry);
            });
            for (kind, text) in texts {
                if !text.is_empty() {
                    self.head.line(out, kind, at, |fields| {
                        fields.text("text", text);
                    });
                }
            }
        }
        for told in &turn.calls {
            call::started(&mut self.head, &told.call, at, out);
        }
    }
}

fn user_message(fields: &mut Fields<'_>, entry: EntryId, content: &Content, source: Source) {
    fields.text("role", "user");
    fields.text("text", &content.joined_text());
    id(fields, entry);
    let images = content.image_count();
    if 0 < images {
        fields.number("images", images as u64);
    }
    fields.text("source", source.name());
}

fn assistant_message(fields: &mut Fields<'_>, entry: EntryId, message: &AssistantMessage) {
    let stop = match message.stop {
        Stop::End => "end",
        Stop::Calls => "tools",
        Stop::MaxTokens => "max_tokens",
        Stop::Refusal => "refused",
        Stop::Aborted => "aborted",
        Stop::Failed => "error",
        Stop::Interrupted => "interrupted",
    };
    fields.text("role", "assistant");
    fields.text("text", &message.text);
    id(fields, entry);
    fields.text("stop", stop);
}

/// An entry's name, which `fork` takes. A string, as all ids of this wire.
fn id(fields: &mut Fields<'_>, entry: EntryId) {
    fields.text("id", &entry.to_string());
}

fn plan(hm: &mut Hm, items: &[PlanItem], at: Millis, out: &mut Frames) {
    hm.head.line(out, "plan", at, |fields| {
        fields.objects("items", items, |fields, item| {
            let status = match item.status {
                PlanStatus::Pending => "pending",
                PlanStatus::InProgress => "in_progress",
                PlanStatus::Completed => "completed",
            };
            let priority = match item.priority {
                Priority::High => "high",
                Priority::Medium => "medium",
                Priority::Low => "low",
            };
            fields.text("text", &item.text);
            fields.text("status", status);
            fields.text("priority", priority);
        });
    });
}
