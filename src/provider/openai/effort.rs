//! The word of `reasoning_effort`.

use greenroom_protocol::session::Effort;

use crate::provider::catalogue::{Entry, ToolsRule};

/// The word for an effort, or nothing to leave the field out. `restricted` says
/// that the request has tools and goes to OpenAI's own server, whose chat
/// completions refuse effort beside tools for some models.
pub fn word(effort: Option<Effort>, facts: Option<&Entry>, restricted: bool) -> Option<&str> {
    // Of Anthropic's models a router asks the common words.
    let facts = facts.filter(|facts| facts.thinking.is_none());
    let rule = facts.and_then(|facts| facts.tools).filter(|_| restricted);
    match (rule, effort, facts) {
        (Some(ToolsRule::None), _, _) => Some("none"),
        (Some(ToolsRule::Omit), _, _) | (None, None, _) => None,
        (None, Some(effort), Some(facts)) => facts.effort_word(effort),
        // Words that nearly every server knows.
        (None, Some(effort), None) => Some(match effort {
            Effort::Off => "none",
            Effort::Low => "low",
            Effort::Medium => "medium",
            Effort::High | Effort::XHigh | Effort::Max => "high",
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::provider::catalogue::find;

    #[test]
    fn words_by_model() {
        let all = |model: &str, restricted| -> Vec<Option<&str>> {
            let efforts = Effort::ALL.iter().map(|effort| Some(*effort));
            let facts = find(model);
            std::iter::once(None)
                .chain(efforts)
                .map(|effort| word(effort, facts, restricted))
                .collect()
        };
        let words = |words: [&'static str; 6]| {
            let words = words.into_iter().map(Some);
            std::iter::once(None).chain(words).collect::<Vec<_>>()
        };
        let known = ["none", "low", "medium", "high", "xhigh", "xhigh"];
        assert_eq!(all("gpt-5.2", true), words(known));
        assert_eq!(all("gpt-5.6-sol", false), words(known));
        assert_eq!(all("gpt-5.6-sol", true), vec![Some("none"); 7]);
        assert_eq!(all("gpt-5.4", true), vec![None; 7]);
        assert_eq!(all("gpt-4o", true), vec![None; 7]);
        let common = ["none", "low", "medium", "high", "high", "high"];
        assert_eq!(all("qwen3", false), words(common));
        assert_eq!(all("anthropic/claude-opus-4.6", false), words(common));
    }
}
