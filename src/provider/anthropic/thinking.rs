//! How an Anthropic model is asked to think, and how long its answer may be.

use greenroom_protocol::session::Effort;
use serde::Serialize;

use crate::provider::catalogue::{Entry, Thinking};

/// Tokens of an answer besides its thinking. Larger ones only tempt a model
/// that runs away; a whole file of 3,000 lines fits.
const ANSWER: u64 = 32_000;

/// The fields of a request that depend on the effort.
#[derive(Debug, PartialEq, Eq)]
pub struct Fields {
    /// `max_tokens`, which this wire demands. Holds thinking and answer.
    pub max_tokens: u64,
    /// `thinking`
    pub thinking: Option<ThinkingField>,
    /// `output_config`
    pub output_config: Option<OutputConfig>,
}

/// `thinking`
#[derive(Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "type", rename_all = "lowercase")]
#[allow(missing_docs)]
pub enum ThinkingField {
    Enabled {
        budget_tokens: u64,
    },
    /// Newer models hide their thinking unless a summary is asked for.
    Adaptive {
        display: &'static str,
    },
    Disabled,
}

/// `output_config`
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct OutputConfig {
    /// One of the model's words for effort.
    pub effort: String,
}

/// The fields for an effort and the longest answer, in tokens; nothing asked
/// means that the provider's own defaults hold.
pub fn fields(effort: Option<Effort>, facts: Option<&Entry>, answer: Option<u32>) -> Fields {
    let mut fields = usual(effort, facts);
    if let Some(answer) = answer {
        // A budget for thinking is a part of max_tokens, and not of the answer.
        let thinking = match fields.thinking {
            Some(ThinkingField::Enabled { budget_tokens }) => budget_tokens,
            _ => 0,
        };
        fields.max_tokens = fields.max_tokens.min(thinking + u64::from(answer));
    }
    fields
}

fn usual(effort: Option<Effort>, facts: Option<&Entry>) -> Fields {
    let longest = facts.map_or(ANSWER, |facts| facts.output);
    let mut fields = Fields {
        max_tokens: longest.min(ANSWER),
        thinking: None,
        output_config: None,
    };
    let Some(facts) = facts else {
        return fields;
    };
    let thinks_by_itself = matches!(facts.thinking, Some(Thinking::Adaptive | Thinking::Always));
    if thinks_by_itself && effort != Some(Effort::Off) {
        fields.max_tokens = longest.min(ANSWER * 2);
    }
    let Some(effort) = effort else {
        return fields;
    };
    match (facts.thinking, effort) {
        (None, _) | (Some(Thinking::Budget), Effort::Off) => {}
        (Some(Thinking::Budget), _) => {
            // The budget is a part of max_tokens and leaves room for the answer.
            let budget = budget(effort).min(longest / 2);
            fields.max_tokens = longest.min(ANSWER + budget);
            fields.thinking = Some(ThinkingField::Enabled {
                budget_tokens: budget,
            });
        }
        (Some(Thinking::Adaptive), Effort::Off) => {
            fields.thinking = Some(ThinkingField::Disabled);
        }
        (Some(Thinking::Adaptive | Thinking::Always), _) => {
            fields.max_tokens = longest.min(ANSWER * 2);
            fields.thinking = Some(ThinkingField::Adaptive {
                display: "summarized",
            });
            let word = facts.effort_word(effort);
            fields.output_config = word.map(|word| OutputConfig {
                effort: word.to_owned(),
            });
        }
    }
    fields
}

fn budget(effort: Effort) -> u64 {
    match effort {
        Effort::Off => 0,
        Effort::Low => 4_096,
        Effort::Medium => 10_240,
        Effort::High => 20_480,
        Effort::XHigh | Effort::Max => 32_000,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::provider::catalogue::find;

    fn of(model: &str, effort: Effort) -> Fields {
        fields(Some(effort), find(model), None)
    }

    #[test]
    fn models_with_budgets() {
        let plain = Fields {
            max_tokens: 32_000,
            thinking: None,
            output_config: None,
        };
        assert_eq!(of("claude-sonnet-4-5", Effort::Off), plain);
        assert_eq!(fields(None, find("claude-sonnet-4-5"), None), plain);
        let enabled = |max_tokens, budget_tokens| Fields {
            max_tokens,
            thinking: Some(ThinkingField::Enabled { budget_tokens }),
            output_config: None,
        };
        assert_eq!(of("claude-sonnet-4-5", Effort::Low), enabled(36_096, 4_096));
        assert_eq!(
            of("claude-sonnet-4-5", Effort::Max),
            enabled(64_000, 32_000)
        );
        assert_eq!(of("claude-opus-4-1", Effort::Max), enabled(32_000, 16_000));
    }

    #[test]
    fn models_that_decide_themselves() {
        let adaptive = |effort: &str| Fields {
            max_tokens: 64_000,
            thinking: Some(ThinkingField::Adaptive {
                display: "summarized",
            }),
            output_config: Some(OutputConfig {
                effort: effort.into(),
            }),
        };
        assert_eq!(of("claude-opus-4-6", Effort::XHigh), adaptive("high"));
        assert_eq!(of("claude-sonnet-5-5", Effort::XHigh), adaptive("xhigh"));
        assert_eq!(of("claude-opus-5-5", Effort::Off), adaptive("low"));
        let disabled = Fields {
            max_tokens: 32_000,
            thinking: Some(ThinkingField::Disabled),
            output_config: None,
        };
        assert_eq!(of("claude-opus-4-6", Effort::Off), disabled);
    }

    #[test]
    fn models_that_do_not_think_and_unknown_ones() {
        let plain = |max_tokens| Fields {
            max_tokens,
            thinking: None,
            output_config: None,
        };
        assert_eq!(of("claude-3-5-haiku-latest", Effort::High), plain(8_192));
        assert_eq!(of("kimi-k3", Effort::High), plain(32_000));
        assert_eq!(fields(None, None, None), plain(32_000));
        assert_eq!(fields(None, find("claude-opus-5-5"), None), plain(64_000));
    }

    #[test]
    fn a_longest_answer_leaves_room_for_thinking() {
        let max = |effort, model: &str| fields(Some(effort), find(model), Some(1_000)).max_tokens;
        assert_eq!(max(Effort::Off, "claude-sonnet-4-5"), 1_000);
        assert_eq!(max(Effort::Low, "claude-sonnet-4-5"), 4_096 + 1_000);
        assert_eq!(max(Effort::Low, "claude-opus-5-5"), 1_000);
    }
}
