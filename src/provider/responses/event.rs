//! One event of a response's stream, as servers send it: any field may be
//! missing or null, and events that we don't know are many.

use greenroom_protocol::session::Usage;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

/// The fields of all events that matter; which are there depends on the kind.
#[derive(Debug, Deserialize)]
#[allow(missing_docs)]
pub struct Event<'a> {
    #[serde(rename = "type", default)]
    pub kind: String,
    /// Which item of the answer.
    pub output_index: Option<u64>,
    /// Which part of an item.
    pub content_index: Option<u64>,
    /// Which part of a summary.
    pub summary_index: Option<u64>,
    /// A text, of the events that matter.
    pub delta: Option<Value>,
    /// The whole item, verbatim.
    #[serde(borrow)]
    pub item: Option<&'a RawValue>,
    #[serde(borrow)]
    pub response: Option<&'a RawValue>,
    /// Some servers tell an error without naming the event so.
    pub error: Option<Value>,
}

/// What the last event tells of the whole response.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
#[allow(missing_docs)]
pub struct Response<'a> {
    pub status: Option<String>,
    pub error: Option<Value>,
    pub incomplete_details: Option<Incomplete>,
    pub usage: Option<TokenCounts>,
    /// All items, verbatim.
    #[serde(borrow)]
    pub output: Option<Vec<&'a RawValue>>,
}

/// Why a response is not whole.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
#[allow(missing_docs)]
pub struct Incomplete {
    pub reason: Option<String>,
}

/// `usage`
#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(default)]
pub struct TokenCounts {
    input_tokens: Option<u64>,
    output_tokens: Option<u64>,
    total_tokens: Option<u64>,
    input_tokens_details: Option<InputDetails>,
    output_tokens_details: Option<OutputDetails>,
    /// In dollars, as OpenRouter tells it.
    pub cost: Option<f64>,
}

#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(default)]
struct InputDetails {
    cached_tokens: Option<u64>,
    cache_write_tokens: Option<u64>,
}

#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(default)]
struct OutputDetails {
    reasoning_tokens: Option<u64>,
}

impl TokenCounts {
    /// The counts as the vocabulary has them, without a cost. The wire's input
    /// includes what a cache held and what was put there, its output includes
    /// the thinking.
    pub fn usage(self) -> Usage {
        let input = self.input_tokens.unwrap_or(0);
        let details = self.input_tokens_details.unwrap_or_default();
        let read = details.cached_tokens.unwrap_or(0).min(input);
        let write = details.cache_write_tokens.unwrap_or(0).min(input - read);
        let thought = self.output_tokens_details.unwrap_or_default();
        // Some servers count thinking only in the total, or only by itself.
        let beyond_input = self.total_tokens.unwrap_or(0).saturating_sub(input);
        Usage {
            input: input - read - write,
            output: self
                .output_tokens
                .unwrap_or(0)
                .max(beyond_input)
                .max(thought.reasoning_tokens.unwrap_or(0)),
            cache_read: read,
            cache_write: write,
            ..Usage::default()
        }
    }
}
