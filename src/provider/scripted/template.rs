//! `{{prompt}}` and `{{last_result}}` in the texts of a script.

use serde_json::Value;

/// What the names stand for.
#[derive(Debug, Clone, Copy)]
pub(super) struct Values<'a> {
    /// The text of the prompt that the turn answers.
    pub prompt: &'a str,
    /// The text of the latest tool result of the turn; empty before the first.
    pub last_result: &'a str,
}

impl Values<'_> {
    /// The text with known names put in. What they stand for is not searched
    /// again, and unknown names stay as they are: `{{` is common in the files
    /// that tools write.
    pub fn fill(&self, template: &str) -> String {
        let mut filled = String::with_capacity(template.len());
        let mut rest = template;
        while let Some((before, from)) = rest.split_once("{{") {
            filled.push_str(before);
            rest = match self.value_at(from) {
                Some((value, after)) => {
                    filled.push_str(value);
                    after
                }
                None => {
                    filled.push_str("{{");
                    from
                }
            };
        }
        filled.push_str(rest);
        filled
    }

    /// Fills every string of a JSON value, except keys.
    pub fn fill_json(&self, value: &Value) -> Value {
        match value {
            Value::String(text) => Value::String(self.fill(text)),
            Value::Array(items) => items.iter().map(|item| self.fill_json(item)).collect(),
            Value::Object(map) => map
                .iter()
                .map(|(key, item)| (key.clone(), self.fill_json(item)))
                .collect(),
            plain => plain.clone(),
        }
    }

    /// The value of the name at the start, and what follows its `}}`.
    fn value_at<'t>(&self, text: &'t str) -> Option<(&str, &'t str)> {
        let (name, after) = text.split_once("}}")?;
        match name.trim() {
            "prompt" => Some((self.prompt, after)),
            "last_result" => Some((self.last_result, after)),
            _ => None,
        }
    }
}
