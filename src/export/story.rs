//! Entries with all that belongs to them: the second pass over the journals.

use std::collections::BTreeMap;
use std::sync::Arc;

use greenroom_protocol::session::{
    Approval, Ask, AssistantMessage, Call, CallId, CallResult, Compacted, Content, EditKind, Event,
    Happening, Millis, ModelChoice, Outcome, Part, PlanItem, Ruling, Settlement, Source, Text,
    Usage,
};

use super::redacting::{Redact, clean, clean_document, clean_some};
use super::tree::{Id, entry_of};

/// One thing that is told, in order.
#[derive(Debug)]
pub(super) enum Item {
    /// An entry of the conversation.
    Entry(Entry),
    /// A turn is over.
    TurnEnded {
        outcome: Outcome,
        steps: u32,
        usage: Usage,
        duration_ms: u64,
    },
    /// The agent's plan changed.
    Plan(Vec<PlanItem>),
}

/// An entry of the conversation.
#[derive(Debug)]
pub(super) struct Entry {
    pub id: Id,
    pub at: Millis,
    pub what: What,
}

#[derive(Debug)]
pub(super) enum What {
    User {
        content: Content,
        source: Source,
    },
    Assistant {
        message: AssistantMessage,
        /// What the turn uses.
        model: Option<ModelChoice>,
    },
    Results(Vec<CallStory>),
    Summary(Compacted),
}

/// A call from its beginning to its end.
#[derive(Debug, Default)]
pub(super) struct CallStory {
    pub call: Option<Call>,
    pub judged: Option<(Ruling, Text)>,
    pub approval: Option<Approval>,
    pub settled: Option<Settlement>,
    pub question: Option<Ask>,
    pub changes: Vec<Change>,
    pub result: Option<CallResult>,
}

/// A file that a call wrote.
#[derive(Debug)]
pub(super) struct Change {
    pub path: Text,
    pub kind: EditKind,
    pub diff: Option<Text>,
}

/// Gathers the events of one session into items.
#[derive(Default)]
pub(super) struct Teller {
    member: usize,
    model: Option<ModelChoice>,
    order: Vec<CallId>,
    calls: BTreeMap<CallId, CallStory>,
}

impl Teller {
    pub fn new(member: usize) -> Teller {
        Teller {
            member,
            ..Teller::default()
        }
    }

    /// Takes the next event; what it completes, with secrets taken out.
    pub fn take(&mut self, event: Event, redact: &mut dyn Redact) -> Option<Item> {
        let at = event.at;
        let entry = entry_of(&event.happening);
        let what = match event.happening {
            Happening::TurnStarted { model, .. } => {
                self.model = Some(model);
                return None;
            }
            Happening::UserMessage {
                mut content,
                source,
                ..
            } => {
                clean_content(redact, &mut content);
                What::User { content, source }
            }
            Happening::MessageEnded { message, .. } => {
                let mut message = Arc::unwrap_or_clone(message);
                self.order = message.calls.iter().map(|call| call.id.clone()).collect();
                self.calls.clear();
                clean_message(redact, &mut message);
                let model = self.model.clone();
                What::Assistant { message, model }
            }
            Happening::BatchEnded { .. } => What::Results(self.results(redact)),
            Happening::CompactionEnded {
                compacted: Some(mut compacted),
                ..
            } => {
                clean(redact, &mut compacted.summary);
                What::Summary(compacted)
            }
            Happening::TurnEnded {
                mut outcome,
                steps,
                usage,
                duration_ms,
                ..
            } => {
                if let Outcome::Failed(failure) = &mut outcome {
                    clean(redact, &mut failure.message);
                }
                return Some(Item::TurnEnded {
                    outcome,
                    steps,
                    usage,
                    duration_ms,
                });
            }
            Happening::PlanChanged { mut items } => {
                for item in &mut items {
                    clean(redact, &mut item.text);
                }
                return Some(Item::Plan(items));
            }
            other => {
                self.of_call(other);
                return None;
            }
        };
        let member = self.member;
        entry.map(|entry| {
            let id = Id { member, entry };
            Item::Entry(Entry { id, at, what })
        })
    }

    fn of_call(&mut self, happening: Happening) {
        match happening {
            Happening::CallStarted(call) => {
                let id = call.id.clone();
                self.story(&id).call = Some(call);
            }
            Happening::CallJudged { call, ruling, rule } => {
                self.story(&call).judged = Some((ruling, rule));
            }
            Happening::ApprovalAsked(approval) => {
                let call = approval.call.clone();
                self.story(&call).approval = Some(Arc::unwrap_or_clone(approval));
            }
            Happening::ApprovalSettled(settled) => {
                let call = settled.call.clone();
                self.story(&call).settled = Some(settled);
            }
            Happening::QuestionAsked(ask) => {
                let call = ask.call.clone();
                self.story(&call).question = Some(Arc::unwrap_or_clone(ask));
            }
            Happening::FileChanged {
                call,
                path,
                kind,
                diff,
            } => self.story(&call).changes.push(Change { path, kind, diff }),
            Happening::CallEnded(result) => {
                let call = result.call.clone();
                self.story(&call).result = Some(Arc::unwrap_or_clone(result));
            }
            _ => (),
        }
    }

    fn story(&mut self, call: &CallId) -> &mut CallStory {
        self.calls.entry(call.clone()).or_default()
    }

    fn results(&mut self, redact: &mut dyn Redact) -> Vec<CallStory> {
        let mut calls = std::mem::take(&mut self.calls);
        let order = std::mem::take(&mut self.order);
        let mut stories: Vec<CallStory> =
            order.iter().filter_map(|call| calls.remove(call)).collect();
        for story in &mut stories {
            clean_story(redact, story);
        }
        stories
    }
}

fn clean_content(redact: &mut dyn Redact, content: &mut Content) {
    for part in &mut content.parts {
        match part {
            Part::Text(text) => clean(redact, text),
            Part::Image(_) => (),
            Part::Mention(mention) => clean(redact, &mut mention.path),
            Part::Resource(resource) => {
                clean(redact, &mut resource.name);
                clean(redact, &mut resource.text);
            }
        }
    }
}

fn clean_message(redact: &mut dyn Redact, message: &mut AssistantMessage) {
    clean(redact, &mut message.text);
    clean(redact, &mut message.thinking);
    // The calls are told with their results; the provider's blocks are its own.
    message.raw = None;
    for call in &mut message.calls {
        clean(redact, &mut call.tool);
        clean(redact, &mut call.provider_id);
        clean_document(redact, &mut call.input);
    }
}

fn clean_story(redact: &mut dyn Redact, story: &mut CallStory) {
    if let Some(call) = &mut story.call {
        clean(redact, &mut call.tool);
        clean(redact, &mut call.summary);
        clean_document(redact, &mut call.input);
    }
    if let Some((_, rule)) = &mut story.judged {
        clean(redact, rule);
    }
    if let Some(approval) = &mut story.approval {
        clean(redact, &mut approval.reason);
        // The rest of it stands in the call and in what it changed.
        approval.command = None;
        approval.edits.clear();
        approval.paths.clear();
        clean(redact, &mut approval.summary);
    }
    if let Some(settled) = &mut story.settled {
        clean_some(redact, &mut settled.note);
    }
    if let Some(ask) = &mut story.question {
        for question in &mut ask.questions {
            clean(redact, &mut question.text);
            for choice in &mut question.choices {
                clean(redact, &mut choice.label);
                clean_some(redact, &mut choice.description);
            }
        }
    }
    for change in &mut story.changes {
        clean(redact, &mut change.path);
        clean_some(redact, &mut change.diff);
    }
    if let Some(result) = &mut story.result {
        clean(redact, &mut result.text);
    }
}
