//! One event of Gemini's stream, as far as it matters: any field may be missing.

use greenroom_protocol::session::Usage;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

/// `GenerateContentResponse`
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
#[allow(missing_docs)]
pub struct Chunk<'a> {
    #[serde(borrow)]
    pub candidates: Option<Vec<Candidate<'a>>>,
    pub prompt_feedback: Option<PromptFeedback>,
    pub usage_metadata: Option<TokenCounts>,
    /// `google.rpc.Status`, in place of all else.
    pub error: Option<Value>,
}

/// One of the answers.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
#[allow(missing_docs)]
pub struct Candidate<'a> {
    #[serde(borrow)]
    pub content: Option<Content<'a>>,
    pub finish_reason: Option<String>,
    pub finish_message: Option<String>,
}

/// What is new in it: parts, each verbatim.
#[derive(Debug, Deserialize)]
#[allow(missing_docs)]
pub struct Content<'a> {
    #[serde(borrow)]
    pub parts: Option<Vec<&'a RawValue>>,
}

/// One part. Those of other kinds (code that the provider ran, pictures) hold
/// nothing for us.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
#[allow(missing_docs)]
pub struct Part<'a> {
    pub text: Option<String>,
    /// Whether the text is a summary of what the model thought.
    pub thought: Option<bool>,
    pub thought_signature: Option<String>,
    #[serde(borrow)]
    pub function_call: Option<FunctionCall<'a>>,
}

/// A call, always whole.
#[derive(Debug, Deserialize)]
#[allow(missing_docs)]
pub struct FunctionCall<'a> {
    pub id: Option<String>,
    pub name: Option<String>,
    #[serde(borrow)]
    pub args: Option<&'a RawValue>,
}

/// What the provider says of the prompt.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
#[allow(missing_docs)]
pub struct PromptFeedback {
    pub block_reason: Option<String>,
}

/// `usageMetadata`; the last one counts.
#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct TokenCounts {
    prompt_token_count: Option<u64>,
    cached_content_token_count: Option<u64>,
    tool_use_prompt_token_count: Option<u64>,
    candidates_token_count: Option<u64>,
    thoughts_token_count: Option<u64>,
}

impl TokenCounts {
    /// The counts as the vocabulary has them, without a cost. The prompt includes
    /// what a cache held; the answer does not include the thinking.
    pub fn usage(self) -> Usage {
        let prompt = self.prompt_token_count.unwrap_or(0);
        let read = self.cached_content_token_count.unwrap_or(0).min(prompt);
        let tools = self.tool_use_prompt_token_count.unwrap_or(0);
        let answer = self.candidates_token_count.unwrap_or(0);
        let thoughts = self.thoughts_token_count.unwrap_or(0);
        Usage {
            input: (prompt - read).saturating_add(tools),
            output: answer.saturating_add(thoughts),
            cache_read: read,
            ..Usage::default()
        }
    }
}
