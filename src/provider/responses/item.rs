//! One item of an answer: a message, thinking, a call, or a kind that we don't
//! know. It is kept as the provider wrote it, so that it can go back.

use serde_json::value::RawValue;
use serde_json::{Map, Value};

use crate::provider::call::CallDraft;
use crate::provider::history::{object_or_empty, plain_name};

/// An item as far as it is written.
#[derive(Debug, Default)]
pub struct Item {
    kind: String,
    /// The whole item, verbatim, once the provider has told it.
    whole: Option<Box<RawValue>>,
    /// Of a call.
    draft: CallDraft,
    /// The provider's own mark of an answer that was declined.
    refuses: bool,
    /// Whether its text was told piece by piece.
    pub told_text: bool,
    /// Whether its thinking was told piece by piece.
    pub told_thinking: bool,
}

/// What an item holds for a reader.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Words {
    /// Parts of the answer's text.
    pub text: Vec<String>,
    /// Parts of its readable thinking.
    pub thinking: Vec<String>,
}

impl Item {
    /// Takes what the provider tells of the item, at its start or at its end.
    /// Gives the name of a tool when it is told for the first time.
    pub fn tell(&mut self, fields: &Map<String, Value>) -> Option<String> {
        let text = |name: &str| fields.get(name).and_then(Value::as_str).unwrap_or("");
        let kind = text("type");
        if !kind.is_empty() {
            kind.clone_into(&mut self.kind);
        }
        if self.kind != "function_call" {
            return None;
        }
        let id = text("call_id");
        if !id.is_empty() {
            id.clone_into(&mut self.draft.id);
        }
        match fields.get("arguments") {
            Some(Value::String(input)) if !input.is_empty() => {
                input.clone_into(&mut self.draft.input);
            }
            Some(input @ Value::Object(_)) => self.draft.input = input.to_string(),
            _ => {}
        }
        let tool = text("name");
        if tool.is_empty() || !self.draft.tool.is_empty() {
            return None;
        }
        tool.clone_into(&mut self.draft.tool);
        Some(tool.to_owned())
    }

    /// Takes the whole item.
    pub fn end(&mut self, raw: &RawValue) {
        self.whole = Some(raw.to_owned());
    }

    /// Whether the provider has not told the whole item.
    pub fn is_unfinished(&self) -> bool {
        self.whole.is_none()
    }

    /// Adds a piece of a call's input.
    pub fn add_input(&mut self, piece: &str) {
        self.draft.input.push_str(piece);
    }

    /// Notes that the model declines.
    pub fn refuse(&mut self) {
        self.refuses = true;
    }

    /// Whether the model declines in it.
    pub fn refuses(&self) -> bool {
        self.refuses
    }

    /// The call that the item holds, as far as it was written. Calls of the
    /// provider's own tools are none of ours.
    pub fn call(&self) -> Option<&CallDraft> {
        (self.kind == "function_call").then_some(&self.draft)
    }

    /// Whether the item is one of the model's thinking.
    pub fn is_thinking(&self) -> bool {
        self.kind == "reasoning"
    }

    /// The item as the provider takes it back: byte for byte as it came. Only
    /// what it would refuse is mended: a call's missing or repeated name, an
    /// input that is no JSON object, a tool's name that is none. Nothing for
    /// thinking of which only a name came: the provider has not kept it.
    pub fn json(&self, draft: Option<&CallDraft>) -> Option<String> {
        let whole = self.whole.as_deref()?;
        let is_fine = match draft {
            None => !self.is_thinking() || has_thought(whole),
            Some(draft) => return Some(self.call_json(whole, draft)),
        };
        is_fine.then(|| whole.get().to_owned())
    }

    fn call_json(&self, whole: &RawValue, draft: &CallDraft) -> String {
        let input = object_or_empty(&draft.input).get();
        let tool = plain_name(&draft.tool, "unknown");
        let mended = [
            ("call_id", draft.id.as_str()),
            ("name", tool.as_str()),
            ("arguments", input),
        ];
        let Ok(mut fields) = serde_json::from_str::<Map<String, Value>>(whole.get()) else {
            return whole.get().to_owned();
        };
        let is = |name: &str, text: &str| fields.get(name).and_then(Value::as_str) == Some(text);
        if mended.iter().all(|(name, text)| is(name, text)) {
            return whole.get().to_owned();
        }
        for (name, text) in mended {
            fields.insert(name.into(), text.into());
        }
        Value::Object(fields).to_string()
    }
}

/// Whether a thinking item holds its thinking, readable or not.
fn has_thought(whole: &RawValue) -> bool {
    let Ok(fields) = serde_json::from_str::<Map<String, Value>>(whole.get()) else {
        return false;
    };
    let is_there = |name: &str| match fields.get(name) {
        Some(Value::String(text)) => !text.is_empty(),
        Some(Value::Array(list)) => !list.is_empty(),
        _ => false,
    };
    is_there("encrypted_content") || is_there("content")
}

/// The words of a whole item, for servers that do not tell them piece by piece.
/// Says besides whether the model declines.
pub fn words(fields: &Map<String, Value>) -> (Words, bool) {
    let mut words = Words::default();
    let mut refuses = false;
    let parts = |name: &str| {
        let list = fields.get(name).and_then(Value::as_array);
        list.into_iter().flatten()
    };
    let field = |part: &Value, name: &str| part.get(name)?.as_str().map(str::to_owned);
    match fields.get("type").and_then(Value::as_str) {
        Some("message") => {
            for part in parts("content") {
                if let Some(refusal) = field(part, "refusal") {
                    refuses = true;
                    words.text.push(refusal);
                } else if part["type"] == "output_text" {
                    words.text.extend(field(part, "text"));
                }
            }
        }
        Some("reasoning") => {
            let texts = parts("summary").chain(parts("content"));
            words
                .thinking
                .extend(texts.filter_map(|part| field(part, "text")));
        }
        _ => {}
    }
    words.text.retain(|text| !text.is_empty());
    words.thinking.retain(|text| !text.is_empty());
    (words, refuses)
}
