//! An answer in Anthropic's words, event by event. Pure.
//!
//! Each block is kept as the provider wrote it, with its deltas added, so that
//! it can go back: signatures, encrypted thinking, blocks that we don't know.

use std::sync::Arc;

use greenroom_actors::ports::{Chunk, ModelAnswer, ModelError};
use greenroom_protocol::session::{AssistantMessage, Document, ProviderBlocks, Stop, Usage};
use serde::Deserialize;
use serde_json::{Map, Value};

use super::block::Block;
use crate::provider::call::CallDraft;
use crate::provider::catalogue::with_cost;
use crate::provider::drive::{Decoder, broken};
use crate::provider::failure::classify_event;
use crate::provider::peer::Peer;
use crate::provider::sse::SseEvent;

/// Blocks of one answer. Far more than any model writes.
const MAX_BLOCKS: usize = 10_000;

/// Puts an answer together.
#[derive(Debug)]
pub struct Answer {
    peer: Arc<Peer>,
    model: String,
    /// The mark of the blocks that go back verbatim.
    wire: String,
    blocks: Vec<(u64, Block)>,
    text: Joined,
    thinking: Joined,
    tokens: Option<Tokens>,
    stop: Option<String>,
    done: bool,
}

impl Answer {
    /// An answer of which nothing has come yet.
    pub fn new(peer: Arc<Peer>, model: String, wire: String) -> Answer {
        Answer {
            peer,
            model,
            wire,
            blocks: Vec::new(),
            text: Joined::default(),
            thinking: Joined::default(),
            tokens: None,
            stop: None,
            done: false,
        }
    }
}

/// Texts of several blocks as one: those that are not neighbours are parted by
/// a blank line.
#[derive(Debug, Default)]
struct Joined {
    text: String,
    /// The number of the block that the last piece came from.
    last: usize,
}

impl Joined {
    /// Adds a piece; gives what the reader must add.
    fn add(&mut self, block: usize, piece: &str) -> String {
        let parted = !self.text.is_empty() && block > self.last + 1;
        let piece = match parted && !self.text.ends_with('\n') {
            true => format!("\n\n{piece}"),
            false => piece.to_owned(),
        };
        self.last = block;
        self.text.push_str(&piece);
        piece
    }
}

/// Token counts, each overwritten by the last one told.
#[derive(Debug, Clone, Copy, Default, Deserialize)]
struct Tokens {
    input_tokens: Option<u64>,
    output_tokens: Option<u64>,
    cache_read_input_tokens: Option<u64>,
    cache_creation_input_tokens: Option<u64>,
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Event {
    MessageStart {
        message: Start,
    },
    ContentBlockStart {
        index: u64,
        content_block: Map<String, Value>,
    },
    ContentBlockDelta {
        index: u64,
        delta: Map<String, Value>,
    },
    ContentBlockStop,
    MessageDelta {
        #[serde(default)]
        delta: End,
        usage: Option<Tokens>,
    },
    MessageStop,
    Error,
    #[serde(other)]
    Other,
}

#[derive(Deserialize)]
struct Start {
    usage: Option<Tokens>,
}

#[derive(Default, Deserialize)]
struct End {
    stop_reason: Option<String>,
}

impl Decoder for Answer {
    fn event(&mut self, event: &SseEvent, out: &mut Vec<Chunk>) -> Result<(), ModelError> {
        let parsed: Event = serde_json::from_str(&event.data)
            .map_err(|error| broken(&self.peer, &format!("an event makes no sense: {error}")))?;
        match parsed {
            Event::MessageStart { message } => self.count(message.usage),
            Event::ContentBlockStart {
                index,
                content_block,
            } => self.start(index, content_block, out)?,
            Event::ContentBlockDelta { index, delta } => self.delta(index, delta, out)?,
            Event::MessageDelta { delta, usage } => {
                self.count(usage);
                self.stop = delta.stop_reason.or(self.stop.take());
            }
            Event::MessageStop => self.done = true,
            Event::Error => return Err(classify_event(&event.data, &self.peer)),
            Event::ContentBlockStop | Event::Other => {}
        }
        Ok(())
    }

    fn is_done(&self) -> bool {
        self.done
    }

    fn usage(&self) -> Option<Usage> {
        let tokens = self.tokens?;
        let usage = Usage {
            input: tokens.input_tokens.unwrap_or(0),
            output: tokens.output_tokens.unwrap_or(0),
            cache_read: tokens.cache_read_input_tokens.unwrap_or(0),
            cache_write: tokens.cache_creation_input_tokens.unwrap_or(0),
            ..Usage::default()
        };
        Some(with_cost(usage, &self.model, self.peer.is_local(), None))
    }

    fn finish(self) -> Result<ModelAnswer, ModelError> {
        if !self.done {
            return Err(broken(&self.peer, "it ended before the answer did"));
        }
        let usage = self.usage();
        let mut drafts: Vec<CallDraft> = self.blocks.iter().filter_map(|(_, b)| b.call()).collect();
        CallDraft::name_all(&mut drafts);
        let stop = stop(self.stop.as_deref(), !drafts.is_empty());
        // Blocks of an answer that was cut may lack their signatures.
        let raw = match stop {
            Stop::MaxTokens => None,
            _ => raw(&self.blocks, &drafts).map(|json| ProviderBlocks {
                wire: self.wire.into(),
                json: Document(json.into()),
            }),
        };
        let message = AssistantMessage {
            text: self.text.text.into(),
            thinking: self.thinking.text.into(),
            calls: drafts.into_iter().map(CallDraft::finish).collect(),
            raw,
            stop,
        };
        Ok(ModelAnswer { message, usage })
    }
}

impl Answer {
    fn count(&mut self, told: Option<Tokens>) {
        let Some(told) = told else { return };
        let before = self.tokens.unwrap_or_default();
        self.tokens = Some(Tokens {
            input_tokens: told.input_tokens.or(before.input_tokens),
            output_tokens: told.output_tokens.or(before.output_tokens),
            cache_read_input_tokens: told
                .cache_read_input_tokens
                .or(before.cache_read_input_tokens),
            cache_creation_input_tokens: told
                .cache_creation_input_tokens
                .or(before.cache_creation_input_tokens),
        });
    }

    fn start(
        &mut self,
        index: u64,
        json: Map<String, Value>,
        out: &mut Vec<Chunk>,
    ) -> Result<(), ModelError> {
        if self.blocks.len() >= MAX_BLOCKS || self.blocks.iter().rev().any(|(at, _)| *at == index) {
            return Err(broken(&self.peer, "a block begins twice"));
        }
        let block = Block::new(json);
        if let Some(call) = block.call() {
            out.push(Chunk::CallDrafted(call.tool.into()));
        }
        let number = self.blocks.len();
        // Mostly empty here, but compatible servers may send all at once.
        self.tell(number, block.first_text(), block.first_thinking(), out);
        self.blocks.push((index, block));
        Ok(())
    }

    fn delta(
        &mut self,
        index: u64,
        delta: Map<String, Value>,
        out: &mut Vec<Chunk>,
    ) -> Result<(), ModelError> {
        // The block that is being written is nearly always the last one.
        let number = self.blocks.iter().rposition(|(at, _)| *at == index);
        let found = number.and_then(|n| Some((n, self.blocks.get_mut(n)?)));
        let Some((number, (_, block))) = found else {
            return Err(broken(&self.peer, "it adds to a block that never began"));
        };
        let added = block.add(delta);
        self.tell(number, &added.text, &added.thinking, out);
        Ok(())
    }

    fn tell(&mut self, block: usize, text: &str, thinking: &str, out: &mut Vec<Chunk>) {
        if !text.is_empty() {
            out.push(Chunk::Text(self.text.add(block, text)));
        }
        if !thinking.is_empty() {
            out.push(Chunk::Thinking(self.thinking.add(block, thinking)));
        }
    }
}

fn stop(reason: Option<&str>, has_calls: bool) -> Stop {
    match reason {
        Some("max_tokens" | "model_context_window_exceeded") => Stop::MaxTokens,
        Some("refusal") => Stop::Refusal,
        _ if has_calls => Stop::Calls,
        _ => Stop::End,
    }
}

/// The blocks as a list that the provider takes back, or nothing when it would
/// not: empty texts are errors, and so is a message of nothing but thinking.
fn raw(blocks: &[(u64, Block)], drafts: &[CallDraft]) -> Option<String> {
    let mut names = drafts.iter().map(|draft| draft.id.as_str());
    let mut list = Vec::new();
    let mut says_something = false;
    for (_, block) in blocks {
        let name = block.call().and_then(|_| names.next());
        if block.is_blank() {
            continue;
        }
        says_something |= !block.is_thinking();
        list.push(block.json(name)?);
    }
    says_something.then(|| format!("[{}]", list.join(",")))
}

#[cfg(test)]
mod tests;
