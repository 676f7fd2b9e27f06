//! The model sums up what is old. It is asked with the conversation up to what is
//! kept word for word; its answer takes the place of that where the model reads.
//! Until it has ended nothing of the conversation changes.
//!
//! Used by compactions that a client asks for, and by turns whose conversation
//! grows too long.

use greenroom_protocol::session::{
    Compacted, CompactionReason, Content, EntryId, Failure, FailureKind, Happening, Message, Mode,
    ModelChoice, Part, PlanItem, PlanStatus, Source, Text, Usage,
};

use super::core::Core;
use super::estimate;
use super::input::{Effect, WorkId};
use super::tree::{compacted, summary};
use crate::ports::{Chunk, ModelAnswer, ModelError, ModelRequest};

/// What the model is asked for. What a client wants kept stands behind it.
const ASK: &str = "Pause the work here. Write a summary of this conversation for yourself: it \
will stand in place of the older messages, so whatever you leave out is lost to you. Tell the \
user's goals and wishes in their own words where the words matter, what was decided and why, \
which files were read, made or changed and what is in them that matters, commands that were run \
and what came of them, errors met and how they were mended, and what is still to be done, the \
next step first. Keep names, paths and numbers exact. Call no tool; answer with the summary \
alone.";

/// A summary that is being written.
#[derive(Debug)]
pub(crate) struct Summing {
    pub work: WorkId,
    keeps_from: Option<EntryId>,
    /// Tokens when it began.
    before: u64,
    /// The summary so far.
    text: String,
    usage: Usage,
}

impl Summing {
    /// Whether there is enough to sum up.
    pub fn is_possible(core: &Core) -> bool {
        let keep = core.settings.limits.compaction_keeps;
        first_kept(&core.conversation, keep).is_some()
    }

    /// Tells that it begins, and asks the model. Nothing when there is too
    /// little to sum up.
    pub fn begin(
        core: &mut Core,
        reason: CompactionReason,
        focus: Option<&Text>,
        (mode, model): (&Mode, &ModelChoice),
    ) -> Option<Summing> {
        let keep = core.settings.limits.compaction_keeps;
        let first = first_kept(&core.conversation, keep)?;
        let work = core.next_work();
        let before = core.context_now();
        core.tell(Happening::CompactionStarted {
            reason,
            context: before,
        });
        let request = Box::new(request(core, first, focus, (mode, model)));
        core.out.push(Effect::CallModel { work, request });
        Some(Summing {
            work,
            keeps_from: core.conversation.get(first).map(Message::entry),
            before,
            text: String::new(),
            usage: Usage::default(),
        })
    }

    pub fn said(&mut self, chunks: Vec<Chunk>) {
        for chunk in chunks {
            if let Chunk::Text(text) = chunk {
                self.text.push_str(&text);
            }
        }
    }

    /// Counts what a try used. It says nothing of the conversation's size.
    pub fn count(&mut self, core: &mut Core, usage: Option<Usage>) {
        if let Some(usage) = usage {
            self.usage = self.usage.plus(usage);
            core.usage = core.usage.plus(usage);
            core.tell(Happening::Used { usage });
        }
    }

    /// The summary, when there is one.
    pub fn answered(
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

    /// Tells its end, and puts the summary in its place; gives the failure back
    /// when there is none.
    pub fn end(self, core: &mut Core, summed: Result<Text, Failure>) -> Result<(), Failure> {
        let (compacted, failure) = match summed {
            Ok(summary) => (Some(self.put_in_place(core, summary)), None),
            Err(failure) => (None, Some(failure)),
        };
        let context = match compacted {
            Some(_) => core.context,
            None => self.before,
        };
        core.tell(Happening::CompactionEnded {
            compacted,
            context,
            usage: self.usage,
            failure: failure.clone(),
        });
        failure.map_or(Ok(()), Err)
    }

    fn put_in_place(&self, core: &mut Core, text: Text) -> Compacted {
        let done = Compacted {
            entry: core.next_entry(),
            summary: with_plan(text, &core.plan),
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

/// The plan stays word for word, as long as something of it is to do.
fn with_plan(summary: Text, plan: &[PlanItem]) -> Text {
    let is_open = |item: &PlanItem| item.status != PlanStatus::Completed;
    if !plan.iter().any(is_open) {
        return summary;
    }
    let mut text = format!("{summary}\n\nThe plan as it stands:");
    for item in plan {
        let mark = match item.status {
            PlanStatus::Pending => ' ',
            PlanStatus::InProgress => '~',
            PlanStatus::Completed => 'x',
        };
        text.push_str(&format!("\n- [{mark}] {}", item.text));
    }
    text.into()
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

/// The conversation up to what is kept, and the wish for a summary. System
/// prompt and tools are those of a turn, so that a provider's cache is hit.
fn request(
    core: &Core,
    first_kept: usize,
    focus: Option<&Text>,
    (mode, model): (&Mode, &ModelChoice),
) -> ModelRequest {
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
        depth: core.settings.lineage.depth,
        model: model.clone(),
        system: core.settings.system_in(mode),
        messages: messages.into(),
        tools: core.tools_in(mode),
        answer_tokens: core.settings.limits.answer_tokens,
    }
}
