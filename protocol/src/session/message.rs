//! The conversation's entries, as models and transcripts need them.

use std::sync::Arc;

use super::{CallId, CallResult, Content, Document, EntryId, Millis, Text};

/// One entry of the conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Message {
    /// Somebody spoke to the model.
    User {
        /// The entry's name.
        entry: EntryId,
        /// When it was given to the model.
        at: Millis,
        /// What was said.
        content: Content,
        /// How it came.
        source: Source,
    },
    /// The model spoke.
    Assistant {
        /// The entry's name.
        entry: EntryId,
        /// When it ended.
        at: Millis,
        /// What it said.
        message: Arc<AssistantMessage>,
    },
    /// The results of all calls of the assistant message before it, in the
    /// order of the calls: each call has exactly one.
    Results {
        /// The entry's name.
        entry: EntryId,
        /// When the last came.
        at: Millis,
        /// In the order of the calls.
        results: Vec<Arc<CallResult>>,
    },
}

impl Message {
    /// The entry's name.
    pub fn entry(&self) -> EntryId {
        match self {
            Message::User { entry, .. }
            | Message::Assistant { entry, .. }
            | Message::Results { entry, .. } => *entry,
        }
    }
}

/// How a user message came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// A prompt: it started the turn.
    Prompt,
    /// A steer.
    Steer,
    /// A follow-up.
    FollowUp,
    /// What came of work in the background: a sub-agent's report, a command's
    /// end.
    Agent,
    /// The summary of what came before, of a compaction.
    Summary,
}

impl Source {
    /// The name that wires use.
    pub const fn name(self) -> &'static str {
        match self {
            Source::Prompt => "prompt",
            Source::Steer => "steer",
            Source::FollowUp => "follow_up",
            Source::Agent => "agent",
            Source::Summary => "summary",
        }
    }
}

/// One whole answer of the model.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AssistantMessage {
    /// All text, joined.
    pub text: Text,
    /// All readable thinking, joined. Never part of `text`.
    pub thinking: Text,
    /// The calls, in the model's order.
    pub calls: Vec<CallRequest>,
    /// The provider's own blocks, which go back to it exactly as they came.
    /// Nothing when the answer was cut.
    pub raw: Option<ProviderBlocks>,
    /// Why it stopped.
    pub stop: Stop,
}

/// A call as the model wrote it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallRequest {
    /// Ours.
    pub id: CallId,
    /// The provider's; results go back under it.
    pub provider_id: Text,
    /// The tool's name, as written: it may not exist.
    pub tool: Text,
    /// The input, as written: it may be no JSON at all.
    pub input: Document,
}

/// A provider's content, verbatim: signed thinking, encrypted reasoning, blocks
/// that we don't know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProviderBlocks {
    /// Which wire it belongs to (`anthropic`, `openai-chat`): another one is
    /// sent the plain text and calls instead.
    pub wire: Text,
    /// A JSON document.
    pub json: Document,
}

/// Why the model stopped writing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Stop {
    /// It had said all.
    #[default]
    End,
    /// It wants its calls run.
    Calls,
    /// Its answer reached the longest length.
    MaxTokens,
    /// It, or the provider, declined.
    Refusal,
    /// The turn was aborted while it wrote.
    Aborted,
    /// The stream failed while it wrote.
    Failed,
    /// The process died while it wrote.
    Interrupted,
}

impl AssistantMessage {
    /// True when there is nothing in it that could stand in a conversation.
    pub fn is_blank(&self) -> bool {
        self.text.trim().is_empty() && self.calls.is_empty()
    }
}
