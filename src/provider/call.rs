//! A call of a tool while a model writes it.

use std::collections::HashSet;

use greenroom_protocol::session::{CallId, CallRequest, Document};

/// A call as far as it is written.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CallDraft {
    /// The provider's name for it; may be missing or repeated.
    pub id: String,
    /// The tool.
    pub tool: String,
    /// The input, in one text.
    pub input: String,
}

impl CallDraft {
    /// Gives each call of a message a name of its own: results find their way
    /// by it. A missing or repeated one becomes `call_<n>`.
    pub fn name_all(drafts: &mut [CallDraft]) {
        let mut used: HashSet<String> = HashSet::new();
        let mut taken: HashSet<String> = drafts.iter().map(|draft| draft.id.clone()).collect();
        for (number, draft) in drafts.iter_mut().enumerate() {
            if draft.id.is_empty() || used.contains(&draft.id) {
                let mut names = (number..).map(|n| format!("call_{n}"));
                draft.id = names
                    .find(|name| !taken.contains(name))
                    .unwrap_or_else(|| format!("call_{number}"));
                taken.insert(draft.id.clone());
            }
            used.insert(draft.id.clone());
        }
    }

    /// The call as the vocabulary has it. An input of nothing is an empty one.
    pub fn finish(self) -> CallRequest {
        let input = match self.input.trim().is_empty() {
            true => Document::default(),
            false => Document(self.input.into()),
        };
        CallRequest {
            id: CallId::new(self.id.as_str()),
            provider_id: self.id.into(),
            tool: self.tool.into(),
            input,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_and_repeated_names_are_replaced() {
        let named = |ids: &[&str]| {
            let draft = |id: &&str| CallDraft {
                id: (*id).into(),
                ..CallDraft::default()
            };
            let mut drafts: Vec<CallDraft> = ids.iter().map(draft).collect();
            CallDraft::name_all(&mut drafts);
            drafts.into_iter().map(|draft| draft.id).collect::<Vec<_>>()
        };
        assert_eq!(named(&["a", "b"]), ["a", "b"]);
        assert_eq!(
            named(&["", "a", "a", ""]),
            ["call_0", "a", "call_2", "call_3"]
        );
        assert_eq!(
            named(&["", "call_0", "call_0"]),
            ["call_1", "call_0", "call_2"]
        );
    }
}
