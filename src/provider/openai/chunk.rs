//! One event of a chat completion's stream, as servers really send it: any
//! field may be missing or null.

use greenroom_protocol::session::Usage;
use serde::Deserialize;
use serde_json::Value;

/// `chat.completion.chunk`
#[derive(Debug, Deserialize)]
#[allow(missing_docs)]
pub struct ChatChunk {
    pub choices: Option<Vec<Choice>>,
    pub usage: Option<TokenCounts>,
    /// Some servers end a stream with an error object, others write null here.
    error: Option<Value>,
}

impl ChatChunk {
    /// Whether the event tells an error instead of a piece.
    pub fn is_error(&self) -> bool {
        self.error.is_some()
    }
}

/// One of the answers.
#[derive(Debug, Deserialize)]
#[allow(missing_docs)]
pub struct Choice {
    pub delta: Option<Delta>,
    pub finish_reason: Option<String>,
    /// Where Moonshot puts it.
    pub usage: Option<TokenCounts>,
}

/// What is new.
#[derive(Debug, Default, Deserialize)]
#[allow(missing_docs)]
pub struct Delta {
    pub content: Option<Value>,
    pub reasoning_content: Option<String>,
    pub reasoning: Option<String>,
    pub reasoning_details: Option<Vec<Value>>,
    pub refusal: Option<String>,
    pub tool_calls: Option<Vec<CallPiece>>,
}

/// A piece of a call.
#[derive(Debug, Default, Deserialize)]
#[allow(missing_docs)]
pub struct CallPiece {
    pub index: Option<u64>,
    pub id: Option<String>,
    pub function: Option<FunctionPiece>,
    /// Gemini's signatures, which must come back.
    pub extra_content: Option<Value>,
}

/// A piece of a call's name and input.
#[derive(Debug, Default, Deserialize)]
#[allow(missing_docs)]
pub struct FunctionPiece {
    pub name: Option<String>,
    /// A text; some servers send the object itself, whole.
    pub arguments: Option<Value>,
}

/// `usage`
#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(default)]
#[allow(missing_docs)]
pub struct TokenCounts {
    prompt_tokens: Option<u64>,
    completion_tokens: Option<u64>,
    total_tokens: Option<u64>,
    prompt_tokens_details: Option<PromptDetails>,
    /// DeepSeek's name.
    prompt_cache_hit_tokens: Option<u64>,
    /// Moonshot's place.
    cached_tokens: Option<u64>,
    /// In dollars, as OpenRouter tells it.
    pub cost: Option<f64>,
}

#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(default)]
struct PromptDetails {
    cached_tokens: Option<u64>,
    cache_write_tokens: Option<u64>,
}

impl TokenCounts {
    /// The counts as the vocabulary has them, without a cost. The wire's
    /// prompt includes what a cache held and what was put there.
    pub fn usage(self) -> Usage {
        let prompt = self.prompt_tokens.unwrap_or(0);
        let details = self.prompt_tokens_details.unwrap_or_default();
        let read = details
            .cached_tokens
            .or(self.prompt_cache_hit_tokens)
            .or(self.cached_tokens)
            .unwrap_or(0)
            .min(prompt);
        let write = details.cache_write_tokens.unwrap_or(0).min(prompt - read);
        // Some servers count thinking only in the total.
        let beyond_prompt = self.total_tokens.unwrap_or(0).saturating_sub(prompt);
        Usage {
            input: prompt - read - write,
            output: self.completion_tokens.unwrap_or(0).max(beyond_prompt),
            cache_read: read,
            cache_write: write,
            ..Usage::default()
        }
    }
}

/// The text and the thinking of a `content`: a text, or (Mistral) a list of
/// pieces.
pub fn words(content: Option<Value>) -> (String, String) {
    match content {
        Some(Value::String(text)) => (text, String::new()),
        Some(Value::Array(pieces)) => {
            let (mut text, mut thinking) = (String::new(), String::new());
            for piece in &pieces {
                match piece.get("thinking") {
                    Some(thought) => push_texts(thought, &mut thinking),
                    None => push_texts(piece, &mut text),
                }
            }
            (text, thinking)
        }
        _ => (String::new(), String::new()),
    }
}

fn push_texts(piece: &Value, into: &mut String) {
    match piece {
        Value::String(text) => into.push_str(text),
        Value::Array(pieces) => pieces.iter().for_each(|piece| push_texts(piece, into)),
        Value::Object(fields) => {
            if let Some(Value::String(text)) = fields.get("text") {
                into.push_str(text);
            }
        }
        _ => {}
    }
}
