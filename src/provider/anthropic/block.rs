//! One block of an answer: what the provider wrote at its start, with its
//! deltas added.

use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use crate::provider::call::CallDraft;
use crate::provider::history::object_or_empty;

/// One block.
#[derive(Debug)]
pub struct Block {
    json: Map<String, Value>,
    /// The pieces of a call's input. One text, so that a large input takes
    /// linear time.
    input: String,
}

/// What a delta adds for a reader.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Added {
    /// To the answer's text.
    pub text: String,
    /// To its readable thinking.
    pub thinking: String,
}

impl Block {
    /// A block as it begins.
    pub fn new(json: Map<String, Value>) -> Block {
        Block {
            json,
            input: String::new(),
        }
    }

    /// Adds a delta. Those that we don't know are added field by field, so that
    /// the block goes back whole.
    pub fn add(&mut self, delta: Map<String, Value>) -> Added {
        let kind = delta.get("type").and_then(Value::as_str).unwrap_or("");
        let mut added = Added::default();
        match kind {
            "text_delta" => added.text = text_of(&delta, "text").to_owned(),
            "thinking_delta" => added.thinking = text_of(&delta, "thinking").to_owned(),
            "input_json_delta" => {
                self.input.push_str(text_of(&delta, "partial_json"));
                return added;
            }
            "citations_delta" => {
                if let Some(citation) = delta.get("citation") {
                    self.push("citations", citation.clone());
                }
                return added;
            }
            _ => {}
        }
        for (name, value) in delta {
            if name != "type" {
                self.append(name, value);
            }
        }
        added
    }

    fn append(&mut self, name: String, value: Value) {
        match (self.json.get_mut(&name), value) {
            (Some(Value::String(text)), Value::String(more)) => text.push_str(&more),
            (_, value) => {
                self.json.insert(name, value);
            }
        }
    }

    fn push(&mut self, name: &str, value: Value) {
        match self.json.get_mut(name) {
            Some(Value::Array(list)) => list.push(value),
            _ => {
                self.json.insert(name.to_owned(), Value::Array(vec![value]));
            }
        }
    }

    fn kind(&self) -> &str {
        text_of(&self.json, "type")
    }

    /// Text that came with the start of the block.
    pub fn first_text(&self) -> &str {
        match self.kind() {
            "text" => text_of(&self.json, "text"),
            _ => "",
        }
    }

    /// Thinking that came with the start of the block.
    pub fn first_thinking(&self) -> &str {
        match self.kind() {
            "thinking" => text_of(&self.json, "thinking"),
            _ => "",
        }
    }

    /// Whether the block is one of the model's thinking, readable or not.
    pub fn is_thinking(&self) -> bool {
        matches!(self.kind(), "thinking" | "redacted_thinking")
    }

    /// A text block without a text, which must not go back.
    pub fn is_blank(&self) -> bool {
        self.kind() == "text" && text_of(&self.json, "text").trim().is_empty()
    }

    /// The call that the block holds, as far as it was written. Calls of the
    /// provider's own tools are none of ours.
    pub fn call(&self) -> Option<CallDraft> {
        (self.kind() == "tool_use").then(|| CallDraft {
            id: text_of(&self.json, "id").to_owned(),
            tool: text_of(&self.json, "name").to_owned(),
            input: self.written_input(),
        })
    }

    /// The input as the model wrote it. A server may send it whole at the
    /// start; one without fields comes as no pieces at all.
    fn written_input(&self) -> String {
        match self.json.get("input") {
            _ if !self.input.trim().is_empty() => self.input.clone(),
            Some(input @ Value::Object(_)) => input.to_string(),
            _ => "{}".to_owned(),
        }
    }

    /// The block as JSON, a call under this name. An input that can't be read
    /// becomes an empty one, which the provider takes.
    pub fn json(&self, call: Option<&str>) -> Option<String> {
        if !self.json.contains_key("input") && self.input.is_empty() {
            return serde_json::to_string(&self.json).ok();
        }
        let mut rest = self.json.clone();
        rest.shift_remove("input");
        if let Some(name) = call {
            rest.insert("id".into(), name.into());
        }
        let written = self.written_input();
        let block = WithInput {
            rest: &rest,
            input: object_or_empty(&written),
        };
        serde_json::to_string(&block).ok()
    }
}

#[derive(Serialize)]
struct WithInput<'a> {
    #[serde(flatten)]
    rest: &'a Map<String, Value>,
    input: &'a RawValue,
}

fn text_of<'a>(json: &'a Map<String, Value>, field: &str) -> &'a str {
    json.get(field).and_then(Value::as_str).unwrap_or("")
}
