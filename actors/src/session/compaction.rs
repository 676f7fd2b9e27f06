//! Compaction: the model sums up what is old, and the summary takes its place
//! where the model reads. It is work of the session's own, as a turn is: one at
//! a time, heard to its end or stopped at once. Until it has ended nothing of
//! the conversation changes.

use greenroom_protocol::session::{
    Compacted, CompactionReason, Content, EntryId, Failure, FailureKind, Happening, Message, Part,
    Refusal, Reply, Source, SubscriberId, Text, Ticket, Usage,
};

use super::core::Core;
use super::estimate;
use super::input::{Effect, Input, WorkId};
use super::machine::Session;
use super::tree::{compacted, summary};
use super::work::Work;
use crate::ports::{Chunk, ModelAnswer, ModelError, ModelRequest};

/// What the model is asked for. What a client wants kept stands behind it.
const ASK: &str = "Pause the work here. Write a summary of this conversation for yourself: it \
will stand in place of the older messages, so whatever you leave out is lost to you. Tell the \
user's goals and wishes in their own words where the words matter, what was decided and why, \
which files were read, made or changed and what is in them that matters, commands that were run \
and what came of them, errors met and how they were mended, and what is still to be done, the \
next step first. Keep names, paths and numbers exact. Call no tool; answer with the summary \
alone.";

/// A compaction under way.
#[derive(Debug)]
pub(super) struct Compaction {
    work: WorkId,
    by: SubscriberId,
    ticket: Ticket,
    keeps_from: Option<EntryId>,
    /// Tokens when it began.
    before: u64,
    /// The summary so far.
    text: String,
    usage: Usage,
}

/// The first message that is kept word for word; nothing when too little stands
/// before it to be summed up. An answer is never cut from its results.
fn first_kept(conversation: &[Message], keep: usize) -> Option<usize> {
    let mut first = conversation.len().saturating_sub(keep);
    while first > 0 && matches!(conversation.get(first), Some(Message::Results { .. })) {
        first -= 1;
    }
    (first >= 2).then_some(first)
}

impl Session {
    /// Whether there is enough to sum up.
    pub(super) fn can_compact(&self) -> Result<(), Refusal> {
        let keep = self.core.settings.limits.compaction_keeps;
        match first_kept(&self.core.conversation, keep) {
            Some(_) => Ok(()),
            None => Err(Refusal::NothingToCompact),
        }
    }

    /// Begins. It is answered at its end.
    pub(super) fn compact(&mut self, by: SubscriberId, ticket: Ticket, focus: Option<&Text>) {
        let core = &mut self.core;
        let keep = core.settings.limits.compaction_keeps;
        let Some(first) = first_kept(&core.conversation, keep) else {
            return core.answer(by, ticket, Err(Refusal::NothingToCompact));
        };
        let work = core.next_work();
        // Not every provider tells what it read.
        let context = match core.context {
            0 => estimate::tokens(&core.conversation),
            told => told,
        };
        core.tell(Happening::CompactionStarted {
            reason: CompactionReason::Manual,
            context,
        });
        core.out.push(Effect::StartTurn);
        let request = Box::new(request(core, first, focus));
        core.out.push(Effect::CallModel { work, request });
        self.work = Some(Work::Compaction(Compaction {
            work,
            by,
            ticket,
            keeps_from: core.conversation.get(first).map(Message::entry),
            before: context,
            text: String::new(),
            usage: Usage::default(),
        }));
    }

    /// Reports of the model that sums up.
    pub(super) fn compaction_reported(&mut self, report: Input) {
        let Some(Work::Compaction(compaction)) = &mut self.work else {
            return;
        };
        match report {
            Input::ModelSaid { work, chunks } if work == compaction.work => {
                for chunk in chunks {
                    if let Chunk::Text(text) = chunk {
                        compaction.text.push_str(&text);
                    }
                }
            }
            Input::ModelRetries {
                work,
                attempt,
                attempts,
                after,
                failure,
                usage,
            } if work == compaction.work => {
                compaction.count(&mut self.core, usage);
                let after_ms = u64::try_from(after.as_millis()).unwrap_or(u64::MAX);
                self.core.tell(Happening::Retrying {
                    attempt,
                    attempts,
                    after_ms,
                    failure,
                });
            }
            Input::ModelAnswered { work, result } if work == compaction.work => {
                let summed = compaction.answered(&mut self.core, result);
                self.end_compaction(summed);
            }
            _ => (),
        }
    }

    /// Ends the running compaction, if there is one.
    pub(super) fn end_compaction(&mut self, summed: Result<Text, Failure>) {
        let compaction = match self.work.take() {
            Some(Work::Compaction(compaction)) => compaction,
            other => {
                self.work = other;
                return;
            }
        };
        let core = &mut self.core;
        core.out.push(Effect::StopTurn);
        let (compacted, failure) = match summed {
            Ok(summary) => (Some(compaction.put_in_place(core, summary)), None),
            Err(failure) => (None, Some(failure)),
        };
        let outcome = match &failure {
            None => Ok(Reply::Done),
            Some(failure) => Err(Refusal::NotCompacted(failure.message.clone())),
        };
        let context = match compacted {
            Some(_) => core.context,
            None => compaction.before,
        };
        core.tell(Happening::CompactionEnded {
            compacted,
            context,
            usage: compaction.usage,
            failure,
        });
        core.answer(compaction.by, compaction.ticket, outcome);
        self.let_leave();
    }

    /// Somebody stopped it.
    pub(super) fn abort_compaction(&mut self) {
        self.end_compaction(Err(Failure {
            kind: FailureKind::Aborted,
            message: "it was aborted; the conversation is as before".into(),
        }));
    }
}

impl Compaction {
    fn count(&mut self, core: &mut Core, usage: Option<Usage>) {
        if let Some(usage) = usage {
            self.usage = self.usage.plus(usage);
            core.usage = core.usage.plus(usage);
            core.tell(Happening::Used { usage });
        }
    }

    /// The summary, when there is one.
    fn answered(
        &mut self,
        core: &mut Core,
        result: Result<ModelAnswer, ModelError>,
    ) -> Result<Text, Failure> {
        let answer = match result {
            Ok(answer) => answer,
            Err(error) => {
                self.count(core, error.usage);
                return Err(Failure {
                    kind: error.kind,
                    message: error.message.into(),
                });
            }
        };
        self.count(core, answer.usage);
        let whole = answer.message.text.trim();
        let text = if whole.is_empty() {
            self.text.trim()
        } else {
            whole
        };
        if text.is_empty() {
            return Err(Failure {
                kind: FailureKind::Invalid,
                message: "the model wrote no summary; try again, or with another model".into(),
            });
        }
        Ok(Text::from(text))
    }

    fn put_in_place(&self, core: &mut Core, text: Text) -> Compacted {
        let done = Compacted {
            entry: core.next_entry(),
            summary: text,
            keeps_from: self.keeps_from,
        };
        let whole = core.conversation.to_vec();
        let summary = summary(&done, core.now);
        let conversation = compacted(whole, summary, self.keeps_from);
        core.context = estimate::tokens(&conversation);
        core.conversation = conversation.into();
        done
    }
}

/// The conversation up to what is kept, and the wish for a summary. System
/// prompt and tools are those of a turn, so that a provider's cache is hit.
fn request(core: &Core, first_kept: usize, focus: Option<&Text>) -> ModelRequest {
    let mut ask = ASK.to_owned();
    if let Some(focus) = focus {
        ask.push_str("\n\nTake special care to keep this: ");
        ask.push_str(focus);
    }
    let mut messages: Vec<Message> = core.conversation.iter().take(first_kept).cloned().collect();
    messages.push(Message::User {
        entry: EntryId(core.counters.entry + 1),
        at: core.now,
        content: Content {
            parts: vec![Part::Text(Text::from(ask))],
        },
        source: Source::Prompt,
    });
    ModelRequest {
        session: core.settings.id.clone(),
        model: core.model.clone(),
        system: core.settings.system_in(&core.mode),
        messages: messages.into(),
        tools: core.settings.tools_in(&core.mode),
        answer_tokens: core.settings.limits.answer_tokens,
    }
}
