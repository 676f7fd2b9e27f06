//! An answer in the words of OpenAI's responses, event by event. Pure.
//!
//! Pieces of text come as deltas; what goes back is each item whole, as the
//! provider tells it at the item's end.

use std::sync::Arc;

use greenroom_actors::ports::{Chunk, ModelAnswer, ModelError};
use greenroom_protocol::session::{AssistantMessage, Document, ProviderBlocks, Stop, Usage};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::event::{Event, Response, TokenCounts};
use super::item::{Item, words};
use crate::provider::call::CallDraft;
use crate::provider::catalogue::with_cost;
use crate::provider::drive::{Decoder, broken};
use crate::provider::failure::classify_event;
use crate::provider::joined::Joined;
use crate::provider::peer::Peer;
use crate::provider::sse::SseEvent;

/// Items of one answer. Far more than any model writes.
const MAX_ITEMS: usize = 10_000;

/// Puts an answer together.
#[derive(Debug)]
pub struct Answer {
    peer: Arc<Peer>,
    model: String,
    /// The mark of the items that go back verbatim.
    mark: String,
    /// By their number.
    items: Vec<(u64, Item)>,
    /// By item.
    text: Joined<u64>,
    /// By item and part.
    thinking: Joined<(u64, u64)>,
    counts: Option<TokenCounts>,
    end: Option<End>,
}

/// How the provider ended it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    Whole,
    CutOff,
    Filtered,
}

impl Answer {
    /// An answer of which nothing has come yet.
    pub fn new(peer: Arc<Peer>, model: String, mark: String) -> Answer {
        Answer {
            peer,
            model,
            mark,
            items: Vec::new(),
            text: Joined::default(),
            thinking: Joined::default(),
            counts: None,
            end: None,
        }
    }
}

impl Decoder for Answer {
    fn event(&mut self, event: &SseEvent, out: &mut Vec<Chunk>) -> Result<(), ModelError> {
        let data = event.data.trim();
        // Some servers end with the word of chat completions.
        if data.is_empty() || data == "[DONE]" {
            return Ok(());
        }
        let parsed: Event<'_> =
            serde_json::from_str(data).map_err(|error| self.senseless(&error))?;
        let kind = match parsed.kind.is_empty() {
            true => event.name.as_str(),
            false => parsed.kind.as_str(),
        };
        if kind == "error" || (kind.is_empty() && parsed.error.is_some()) {
            return Err(classify_event(data, &self.peer));
        }
        match kind {
            "response.output_item.added" => self.item(&parsed, false, out),
            "response.output_item.done" => self.item(&parsed, true, out),
            "response.completed" | "response.done" => self.ended(parsed.response, End::Whole, out),
            "response.incomplete" => self.ended(parsed.response, End::CutOff, out),
            "response.failed" | "response.cancelled" => Err(self.failed(parsed.response)),
            _ => self.delta(kind, &parsed, out),
        }
    }

    fn is_done(&self) -> bool {
        self.end.is_some()
    }

    fn usage(&self) -> Option<Usage> {
        let counts = self.counts?;
        let is_local = self.peer.is_local();
        Some(with_cost(
            counts.usage(),
            &self.model,
            is_local,
            counts.cost,
        ))
    }

    fn finish(self) -> Result<ModelAnswer, ModelError> {
        let Some(end) = self.end else {
            return Err(broken(&self.peer, "it ended before the answer did"));
        };
        let usage = self.usage();
        let calls = self.items.iter().filter_map(|(_, item)| item.call());
        let mut drafts: Vec<CallDraft> = calls.cloned().collect();
        CallDraft::name_all(&mut drafts);
        let refuses = self.items.iter().any(|(_, item)| item.refuses());
        let stop = match end {
            End::CutOff => Stop::MaxTokens,
            End::Filtered => Stop::Refusal,
            End::Whole if !drafts.is_empty() => Stop::Calls,
            End::Whole if refuses => Stop::Refusal,
            End::Whole => Stop::End,
        };
        // Items of an answer that was cut may lack what the provider wants.
        let raw = match end {
            End::Whole => raw(&self.items, &drafts).map(|json| ProviderBlocks {
                wire: self.mark.into(),
                json: Document(json.into()),
            }),
            End::CutOff | End::Filtered => None,
        };
        let message = AssistantMessage {
            text: self.text.into_text().into(),
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

    /// The item of that number, which begins with its first event.
    fn at(&mut self, number: u64) -> Result<&mut Item, ModelError> {
        // The item that is being written is nearly always the last one.
        let found = self.items.iter().rposition(|(at, _)| *at == number);
        let place = found.unwrap_or(self.items.len());
        if found.is_none() {
            if self.items.len() >= MAX_ITEMS {
                return Err(broken(&self.peer, "it holds too many items"));
            }
            self.items.push((number, Item::default()));
        }
        let peer = &self.peer;
        let item = self.items.get_mut(place).map(|(_, item)| item);
        item.ok_or_else(|| broken(peer, "it names an item that is not there"))
    }

    fn item(
        &mut self,
        event: &Event<'_>,
        is_whole: bool,
        out: &mut Vec<Chunk>,
    ) -> Result<(), ModelError> {
        let Some(raw) = event.item else { return Ok(()) };
        // Without numbers an item ends what began last, or begins another.
        let next = self.items.len() as u64;
        let begun = self.items.last().filter(|(_, item)| item.is_unfinished());
        let number = match (event.output_index, begun) {
            (Some(number), _) => number,
            (None, Some((number, _))) if is_whole => *number,
            (None, _) => next,
        };
        self.take(number, raw, is_whole, out)
    }

    /// Takes an item as the provider tells it.
    fn take(
        &mut self,
        number: u64,
        raw: &RawValue,
        is_whole: bool,
        out: &mut Vec<Chunk>,
    ) -> Result<(), ModelError> {
        let fields: Map<String, Value> =
            serde_json::from_str(raw.get()).map_err(|error| self.senseless(&error))?;
        let item = self.at(number)?;
        if let Some(tool) = item.tell(&fields) {
            out.push(Chunk::CallDrafted(tool.into()));
        }
        if !is_whole {
            return Ok(());
        }
        item.end(raw);
        let (words, refuses) = words(&fields);
        if refuses {
            item.refuse();
        }
        let (told_text, told_thinking) = (item.told_text, item.told_thinking);
        if !told_text {
            words
                .text
                .iter()
                .for_each(|text| self.say(number, text, out));
        }
        if !told_thinking {
            for (part, thought) in (0..).zip(&words.thinking) {
                self.think((number, part), thought, out);
            }
        }
        Ok(())
    }

    fn delta(
        &mut self,
        kind: &str,
        event: &Event<'_>,
        out: &mut Vec<Chunk>,
    ) -> Result<(), ModelError> {
        let piece = event.delta.as_ref().and_then(Value::as_str).unwrap_or("");
        if piece.is_empty() {
            return Ok(());
        }
        let last = self.items.last().map_or(0, |(number, _)| *number);
        let number = event.output_index.unwrap_or(last);
        match kind {
            "response.output_text.delta" => {
                self.at(number)?.told_text = true;
                self.say(number, piece, out);
            }
            "response.refusal.delta" => {
                let item = self.at(number)?;
                item.told_text = true;
                item.refuse();
                self.say(number, piece, out);
            }
            "response.reasoning_summary_text.delta" | "response.reasoning_text.delta" => {
                self.at(number)?.told_thinking = true;
                let part = event.summary_index.or(event.content_index).unwrap_or(0);
                self.think((number, part), piece, out);
            }
            "response.function_call_arguments.delta" => self.at(number)?.add_input(piece),
            _ => {}
        }
        Ok(())
    }

    fn say(&mut self, item: u64, text: &str, out: &mut Vec<Chunk>) {
        out.push(Chunk::Text(self.text.add(item, text)));
    }

    fn think(&mut self, part: (u64, u64), thought: &str, out: &mut Vec<Chunk>) {
        out.push(Chunk::Thinking(self.thinking.add(part, thought)));
    }

    fn response<'a>(&self, raw: Option<&'a RawValue>) -> Result<Response<'a>, ModelError> {
        let Some(raw) = raw else {
            return Ok(Response::default());
        };
        serde_json::from_str(raw.get()).map_err(|error| self.senseless(&error))
    }

    fn ended(
        &mut self,
        raw: Option<&RawValue>,
        end: End,
        out: &mut Vec<Chunk>,
    ) -> Result<(), ModelError> {
        let response = self.response(raw)?;
        if matches!(response.status.as_deref(), Some("failed" | "cancelled")) {
            return Err(self.failed(raw));
        }
        self.counts = response.usage.or(self.counts);
        // Servers that tell no items tell them all at the end.
        if self.items.iter().all(|(_, item)| item.is_unfinished()) {
            for (number, item) in (0..).zip(response.output.into_iter().flatten()) {
                self.take(number, item, true, out)?;
            }
        }
        let reason = response
            .incomplete_details
            .and_then(|details| details.reason);
        self.end = Some(match (end, reason.as_deref()) {
            (_, Some("content_filter")) => End::Filtered,
            (End::Whole, None) if response.status.as_deref() != Some("incomplete") => End::Whole,
            _ => End::CutOff,
        });
        Ok(())
    }

    /// The error of a response that the provider gave up.
    fn failed(&mut self, raw: Option<&RawValue>) -> ModelError {
        let response = match self.response(raw) {
            Ok(response) => response,
            Err(error) => return error,
        };
        self.counts = response.usage.or(self.counts);
        match response.error {
            Some(error @ (Value::Object(_) | Value::String(_))) => {
                let told = serde_json::json!({ "error": error });
                classify_event(&told.to_string(), &self.peer)
            }
            _ => broken(&self.peer, "the provider gave up"),
        }
    }
}

/// The items as a list that the provider takes back, or nothing when it would
/// not: thinking must be followed by something.
fn raw(items: &[(u64, Item)], drafts: &[CallDraft]) -> Option<String> {
    let mut drafts = drafts.iter();
    let mut list = Vec::new();
    let mut says_something = false;
    for (_, item) in items {
        let draft = item.call().and_then(|_| drafts.next());
        if let Some(json) = item.json(draft) {
            says_something |= !item.is_thinking();
            list.push(json);
        } else if !item.is_thinking() {
            // An item that never ended cannot go back, and without it the
            // others make no sense.
            return None;
        }
    }
    says_something.then(|| format!("[{}]", list.join(",")))
}

#[cfg(test)]
mod tests;
