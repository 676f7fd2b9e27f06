//! How a Gemini model is asked to think.

use greenroom_protocol::session::Effort;
use serde::Serialize;

use crate::provider::catalogue::{Entry, Thinking};

/// `thinkingConfig`
#[derive(Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[allow(missing_docs)]
pub struct ThinkingConfig {
    pub include_thoughts: bool,
    /// In tokens; for models before Gemini 3.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thinking_budget: Option<u32>,
    /// A word; for Gemini 3 and later.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thinking_level: Option<String>,
}

/// The field for an effort; nothing for models that are not known to think.
/// Without an effort only summaries are asked for.
pub fn config(effort: Option<Effort>, facts: Option<&Entry>) -> Option<ThinkingConfig> {
    let facts = facts.filter(|facts| !facts.efforts.is_empty())?;
    let word = effort.and_then(|effort| facts.effort_word(effort));
    let by_budget = facts.thinking == Some(Thinking::Budget);
    Some(ThinkingConfig {
        include_thoughts: word != Some("none"),
        thinking_budget: word.filter(|_| by_budget).map(budget),
        thinking_level: word.filter(|_| !by_budget).map(str::to_owned),
    })
}

/// Within what all models that take a budget allow.
fn budget(word: &str) -> u32 {
    match word {
        "none" => 0,
        "minimal" => 1_024,
        "low" => 4_096,
        "medium" => 10_240,
        _ => 24_576,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::provider::catalogue::find;

    #[test]
    fn by_model() {
        let of = |model: &str, effort| {
            config(effort, find(model)).map(|config| serde_json::to_string(&config).unwrap())
        };
        let told = |json: &str| Some(json.to_owned());
        for (model, effort, expected) in [
            (
                "gemini-2.5-flash",
                None,
                told(r#"{"includeThoughts":true}"#),
            ),
            (
                "gemini-2.5-flash",
                Some(Effort::Off),
                told(r#"{"includeThoughts":false,"thinkingBudget":0}"#),
            ),
            (
                "gemini-2.5-pro",
                Some(Effort::Off),
                told(r#"{"includeThoughts":true,"thinkingBudget":4096}"#),
            ),
            (
                "gemini-2.5-pro",
                Some(Effort::Max),
                told(r#"{"includeThoughts":true,"thinkingBudget":24576}"#),
            ),
            (
                "gemini-3.1-pro-preview",
                Some(Effort::Off),
                told(r#"{"includeThoughts":true,"thinkingLevel":"low"}"#),
            ),
            (
                "gemini-3-flash-preview",
                Some(Effort::Off),
                told(r#"{"includeThoughts":true,"thinkingLevel":"minimal"}"#),
            ),
            (
                "gemini-9-pro",
                Some(Effort::Max),
                told(r#"{"includeThoughts":true,"thinkingLevel":"high"}"#),
            ),
            ("gemini-2.0-flash", Some(Effort::Max), None),
            ("gemini-2.0-flash-lite-001", Some(Effort::Max), None),
            ("gemma-4", Some(Effort::Max), None),
        ] {
            assert_eq!(of(model, effort), expected, "{model} {effort:?}");
        }
    }
}
