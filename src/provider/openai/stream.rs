//! An answer in the words of OpenAI's chat completions, event by event. Pure.

use std::sync::Arc;

use greenroom_actors::ports::{Chunk, ModelAnswer, ModelError};
use greenroom_protocol::session::{AssistantMessage, Document, ProviderBlocks, Stop, Usage};
use serde_json::Value;

use super::calls::Calls;
use super::chunk::{ChatChunk, Choice, Delta, TokenCounts, words};
use super::reasoning::Details;
use crate::provider::call::CallDraft;
use crate::provider::catalogue::with_cost;
use crate::provider::drive::{Decoder, broken};
use crate::provider::failure::classify_event;
use crate::provider::history::{object_or_empty, plain_name};
use crate::provider::peer::Peer;
use crate::provider::sse::SseEvent;

/// Puts an answer together.
#[derive(Debug)]
pub struct Answer {
    peer: Arc<Peer>,
    model: String,
    /// The mark of the message that goes back verbatim.
    mark: String,
    text: String,
    thinking: String,
    /// What `reasoning_content` held, which some servers want back.
    reasoning_content: String,
    details: Details,
    refused: bool,
    calls: Calls,
    counts: Option<TokenCounts>,
    finish_reason: Option<String>,
    done: bool,
}

impl Answer {
    /// An answer of which nothing has come yet.
    pub fn new(peer: Arc<Peer>, model: String, mark: String) -> Answer {
        Answer {
            peer,
            model,
            mark,
            text: String::new(),
            thinking: String::new(),
            reasoning_content: String::new(),
            details: Details::default(),
            refused: false,
            calls: Calls::default(),
            counts: None,
            finish_reason: None,
            done: false,
        }
    }
}

impl Decoder for Answer {
    fn event(&mut self, event: &SseEvent, out: &mut Vec<Chunk>) -> Result<(), ModelError> {
        let data = event.data.trim();
        if data == "[DONE]" {
            self.done = true;
            return Ok(());
        }
        if data.is_empty() {
            return Ok(());
        }
        let chunk: ChatChunk = serde_json::from_str(data)
            .map_err(|error| broken(&self.peer, &format!("an event makes no sense: {error}")))?;
        if chunk.is_error() || event.name == "error" {
            return Err(classify_event(data, &self.peer));
        }
        self.counts = chunk.usage.or(self.counts);
        // Only one answer is asked for.
        let choice = chunk.choices.into_iter().flatten().next();
        match choice {
            Some(choice) => self.choice(choice, out),
            None => Ok(()),
        }
    }

    fn is_done(&self) -> bool {
        self.done
    }

    fn usage(&self) -> Option<Usage> {
        let counts = self.counts?;
        let usage = counts.usage();
        Some(with_cost(
            usage,
            &self.model,
            self.peer.is_local(),
            counts.cost,
        ))
    }

    fn finish(self) -> Result<ModelAnswer, ModelError> {
        // Some servers leave out the last word, others the reason.
        if !self.done && self.finish_reason.is_none() {
            return Err(broken(&self.peer, "it ended before the answer did"));
        }
        let usage = self.usage();
        let mut drafts = self.calls.drafts();
        CallDraft::name_all(&mut drafts);
        let stop = self.stop(!drafts.is_empty());
        let raw = match stop {
            Stop::MaxTokens => None,
            _ => Some(ProviderBlocks {
                json: Document(self.raw(&drafts).into()),
                wire: self.mark.into(),
            }),
        };
        let message = AssistantMessage {
            text: self.text.into(),
            thinking: self.thinking.into(),
            calls: drafts.into_iter().map(CallDraft::finish).collect(),
            raw,
            stop,
        };
        Ok(ModelAnswer { message, usage })
    }
}

impl Answer {
    fn choice(&mut self, choice: Choice, out: &mut Vec<Chunk>) -> Result<(), ModelError> {
        self.counts = choice.usage.or(self.counts);
        if let Some(delta) = choice.delta {
            self.delta(delta, out)?;
        }
        match choice.finish_reason {
            Some(reason) if reason == "error" => Err(broken(&self.peer, "the provider gave up")),
            Some(reason) if !reason.is_empty() => {
                self.finish_reason = Some(reason);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Several fields may come in one delta.
    fn delta(&mut self, delta: Delta, out: &mut Vec<Chunk>) -> Result<(), ModelError> {
        let (content, thought) = words(delta.content);
        if let Some(text) = &delta.reasoning_content {
            self.reasoning_content.push_str(text);
        }
        // Servers that know both names send the same text under each.
        let reasoning = delta.reasoning_content.or(delta.reasoning);
        for thinking in [reasoning.unwrap_or_default(), thought] {
            if !thinking.is_empty() {
                self.thinking.push_str(&thinking);
                out.push(Chunk::Thinking(thinking));
            }
        }
        self.details
            .add(delta.reasoning_details.unwrap_or_default());
        let refusal = delta.refusal.unwrap_or_default();
        self.refused |= !refusal.is_empty();
        for text in [content, refusal] {
            if !text.is_empty() {
                self.text.push_str(&text);
                out.push(Chunk::Text(text));
            }
        }
        for piece in delta.tool_calls.into_iter().flatten() {
            let told = self.calls.add(piece);
            let drafted = told.map_err(|reason| broken(&self.peer, reason))?;
            if let Some(tool) = drafted {
                out.push(Chunk::CallDrafted(tool.into()));
            }
        }
        Ok(())
    }

    fn stop(&self, has_calls: bool) -> Stop {
        match self.finish_reason.as_deref() {
            Some("length") => Stop::MaxTokens,
            Some("content_filter") => Stop::Refusal,
            _ if has_calls => Stop::Calls,
            _ if self.refused => Stop::Refusal,
            _ => Stop::End,
        }
    }

    /// The message as the server takes it back. Inputs that can't be read
    /// become empty ones: some servers parse them.
    fn raw(&self, drafts: &[CallDraft]) -> String {
        let mut message = serde_json::Map::new();
        message.insert("role".into(), "assistant".into());
        let content = match self.text.is_empty() {
            true => Value::Null,
            false => self.text.as_str().into(),
        };
        message.insert("content".into(), content);
        if !self.reasoning_content.is_empty() {
            let text = self.reasoning_content.as_str();
            message.insert("reasoning_content".into(), text.into());
        }
        if let Some(details) = self.details.json() {
            message.insert("reasoning_details".into(), details);
        }
        let calls = drafts.iter().zip(self.calls.extras());
        let calls: Vec<Value> = calls
            .map(|(draft, extra)| {
                let mut call = serde_json::json!({
                    "id": draft.id,
                    "type": "function",
                    "function": {
                        "name": plain_name(&draft.tool, "unknown"),
                        "arguments": object_or_empty(&draft.input).get(),
                    },
                });
                if let (Some(extra), Some(call)) = (extra, call.as_object_mut()) {
                    call.insert("extra_content".into(), extra.clone());
                }
                call
            })
            .collect();
        if !calls.is_empty() {
            message.insert("tool_calls".into(), calls.into());
        }
        Value::Object(message).to_string()
    }
}

#[cfg(test)]
mod tests;
