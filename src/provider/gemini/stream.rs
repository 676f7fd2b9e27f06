//! An answer in Gemini's words, event by event. Pure.
//!
//! Each part is kept as it came, so that it can go back: a signature belongs to
//! the part that it came on, and parts are neither joined nor moved.

use std::sync::Arc;

use greenroom_actors::ports::{Chunk, ModelAnswer, ModelError};
use greenroom_protocol::session::{AssistantMessage, Document, ProviderBlocks, Stop, Usage};
use serde_json::value::RawValue;

use super::chunk::{self, Candidate, Part, TokenCounts};
use crate::provider::call::CallDraft;
use crate::provider::catalogue::with_cost;
use crate::provider::drive::{Decoder, broken};
use crate::provider::failure::classify_event;
use crate::provider::joined::Joined;
use crate::provider::peer::Peer;
use crate::provider::sse::SseEvent;

/// Parts of one answer. Far more than any model writes.
const MAX_PARTS: usize = 100_000;

/// Puts an answer together.
#[derive(Debug)]
pub struct Answer {
    peer: Arc<Peer>,
    model: String,
    /// The mark of the parts that go back verbatim.
    mark: String,
    parts: Vec<Box<RawValue>>,
    calls: Vec<CallDraft>,
    text: Joined<u64>,
    thinking: Joined<u64>,
    /// Which run of parts of one kind is being written.
    run: u64,
    last_kind: Kind,
    counts: Option<TokenCounts>,
    stop: Option<Stop>,
}

/// What a part is for a reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Text,
    Thought,
    Other,
}

impl Answer {
    /// An answer of which nothing has come yet.
    pub fn new(peer: Arc<Peer>, model: String, mark: String) -> Answer {
        Answer {
            peer,
            model,
            mark,
            parts: Vec::new(),
            calls: Vec::new(),
            text: Joined::default(),
            thinking: Joined::default(),
            run: 0,
            last_kind: Kind::Other,
            counts: None,
            stop: None,
        }
    }
}

impl Decoder for Answer {
    fn event(&mut self, event: &SseEvent, out: &mut Vec<Chunk>) -> Result<(), ModelError> {
        let data = event.data.trim();
        if data.is_empty() || data == "[DONE]" {
            return Ok(());
        }
        let chunk: chunk::Chunk<'_> =
            serde_json::from_str(data).map_err(|error| self.senseless(&error))?;
        if chunk.error.is_some() {
            return Err(classify_event(data, &self.peer));
        }
        self.counts = chunk.usage_metadata.or(self.counts);
        // Only one answer is asked for.
        if let Some(candidate) = chunk.candidates.into_iter().flatten().next() {
            self.candidate(candidate, out)?;
        }
        let feedback = chunk.prompt_feedback;
        if let Some(reason) = feedback.and_then(|feedback| feedback.block_reason) {
            tracing::debug!(%reason, "the provider blocked the prompt");
            self.stop = Some(Stop::Refusal);
        }
        Ok(())
    }

    /// The wire has no last word: the reason for the end, with the counts, is it.
    fn is_done(&self) -> bool {
        self.stop.is_some() && self.counts.is_some()
    }

    fn usage(&self) -> Option<Usage> {
        let usage = self.counts?.usage();
        Some(with_cost(usage, &self.model, self.peer.is_local(), None))
    }

    fn finish(self) -> Result<ModelAnswer, ModelError> {
        let Some(stop) = self.stop else {
            return Err(broken(&self.peer, "it ended before the answer did"));
        };
        let usage = self.usage();
        let mut drafts = self.calls;
        CallDraft::name_all(&mut drafts);
        let stop = match stop {
            Stop::End if !drafts.is_empty() => Stop::Calls,
            stop => stop,
        };
        let text = self.text.into_text();
        // Parts of an answer that was cut may lack their signatures, and nothing
        // but thinking says nothing.
        let says_something = !text.trim().is_empty() || !drafts.is_empty();
        let goes_back = says_something && matches!(stop, Stop::End | Stop::Calls);
        let raw = goes_back.then(|| {
            let parts: Vec<&str> = self.parts.iter().map(|part| part.get()).collect();
            ProviderBlocks {
                wire: self.mark.into(),
                json: Document(format!("[{}]", parts.join(",")).into()),
            }
        });
        let message = AssistantMessage {
            text: text.into(),
            thinking: self.thinking.into_text().into(),
            calls: drafts.into_iter().map(CallDraft::finish).collect(),
            raw,
            stop,
        };
        Ok(ModelAnswer { message, usage })
    }
}

impl Answer {
    fn senseless(&self, error: &serde_json::Error) -> ModelError {
        broken(&self.peer, &format!("an event makes no sense: {error}"))
    }

    fn candidate(
        &mut self,
        candidate: Candidate<'_>,
        out: &mut Vec<Chunk>,
    ) -> Result<(), ModelError> {
        let parts = candidate.content.and_then(|content| content.parts);
        for raw in parts.into_iter().flatten() {
            self.part(raw, out)?;
        }
        let Some(reason) = candidate.finish_reason else {
            return Ok(());
        };
        self.stop = Some(match reason.as_str() {
            "STOP" => Stop::End,
            "MAX_TOKENS" => Stop::MaxTokens,
            "SAFETY"
            | "RECITATION"
            | "LANGUAGE"
            | "BLOCKLIST"
            | "PROHIBITED_CONTENT"
            | "SPII"
            | "IMAGE_SAFETY"
            | "IMAGE_PROHIBITED_CONTENT"
            | "IMAGE_RECITATION"
            | "MODEL_ARMOR" => Stop::Refusal,
            "MALFORMED_FUNCTION_CALL"
            | "MALFORMED_RESPONSE"
            | "UNEXPECTED_TOOL_CALL"
            | "TOO_MANY_TOOL_CALLS"
            | "MISSING_THOUGHT_SIGNATURE" => {
                return Err(self.gave_up(&reason, candidate.finish_message.as_deref()));
            }
            // Unknown reasons, of an answer that is there all the same.
            _ if !self.parts.is_empty() => Stop::End,
            _ => return Err(self.gave_up(&reason, candidate.finish_message.as_deref())),
        });
        Ok(())
    }

    fn gave_up(&self, reason: &str, message: Option<&str>) -> ModelError {
        let shown: String = message.unwrap_or("").chars().take(300).collect();
        let said = if shown.is_empty() { "" } else { ": " };
        let reason: String = reason.chars().take(60).collect();
        broken(
            &self.peer,
            &format!("the model gave up ({reason}){said}{shown}"),
        )
    }

    fn part(&mut self, raw: &RawValue, out: &mut Vec<Chunk>) -> Result<(), ModelError> {
        let part: Part<'_> =
            serde_json::from_str(raw.get()).map_err(|error| self.senseless(&error))?;
        let kind = match (&part.text, part.thought) {
            (Some(_), Some(true)) => Kind::Thought,
            (Some(_), _) => Kind::Text,
            (None, _) => Kind::Other,
        };
        let text = part.text.unwrap_or_default();
        if kind != Kind::Other && text.is_empty() {
            // An empty text is kept only for the signature on it.
            if part.thought_signature.is_some() {
                self.keep(raw)?;
            }
            return Ok(());
        }
        self.keep(raw)?;
        if kind != self.last_kind || kind == Kind::Other {
            self.run += 1;
            self.last_kind = kind;
        }
        match kind {
            Kind::Thought => out.push(Chunk::Thinking(self.thinking.add(self.run, &text))),
            Kind::Text => out.push(Chunk::Text(self.text.add(self.run, &text))),
            Kind::Other => {}
        }
        if let Some(call) = part.function_call {
            let tool = call.name.unwrap_or_default();
            out.push(Chunk::CallDrafted(tool.as_str().into()));
            self.calls.push(CallDraft {
                id: call.id.unwrap_or_default(),
                tool,
                input: call
                    .args
                    .map_or_else(String::new, |args| args.get().to_owned()),
            });
        }
        Ok(())
    }

    fn keep(&mut self, raw: &RawValue) -> Result<(), ModelError> {
        if self.parts.len() >= MAX_PARTS {
            return Err(broken(&self.peer, "it holds too many parts"));
        }
        self.parts.push(raw.to_owned());
        Ok(())
    }
}

#[cfg(test)]
mod tests;
