//! Reading a call's input strictly, with faults that a model can act on.

use greenroom_actors::ports::ToolFault;
use greenroom_protocol::session::Document;
use serde_json::{Map, Value};

/// The fields of one JSON object. Each is taken at most once; whatever is left
/// at [`Fields::finish`] is unknown.
pub(super) struct Fields {
    /// Where the object stands in the input: empty, or like `edits[0].`.
    place: String,
    left: Map<String, Value>,
    known: Vec<&'static str>,
}

impl Fields {
    /// Reads a call's input: an object, or nothing at all for an empty one.
    pub fn read(input: &Document) -> Result<Fields, ToolFault> {
        if input.0.trim().is_empty() {
            return Ok(Fields::of(String::new(), Map::new()));
        }
        match serde_json::from_str(&input.0) {
            Ok(Value::Object(left)) => Ok(Fields::of(String::new(), left)),
            Ok(other) => Err(ToolFault(format!(
                "the input must be a JSON object, not {}",
                kind(&other)
            ))),
            Err(error) => Err(ToolFault(format!("the input is not valid JSON: {error}"))),
        }
    }

    fn of(place: String, left: Map<String, Value>) -> Fields {
        Fields {
            place,
            left,
            known: Vec::new(),
        }
    }

    /// Whether the field is there; `null` counts as absent.
    pub fn has(&self, name: &str) -> bool {
        self.left.get(name).is_some_and(|value| !value.is_null())
    }

    /// A text that must be there.
    pub fn text(&mut self, name: &'static str) -> Result<String, ToolFault> {
        match self.optional_text(name)? {
            Some(text) => Ok(text),
            None => Err(self.missing(name, "a string")),
        }
    }

    /// A text.
    pub fn optional_text(&mut self, name: &'static str) -> Result<Option<String>, ToolFault> {
        match self.take(name) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(other) => Err(self.wrong(name, "a string", &other)),
        }
    }

    /// A text that must be there and hold more than blanks.
    pub fn full_text(&mut self, name: &'static str) -> Result<String, ToolFault> {
        let text = self.text(name)?;
        if text.trim().is_empty() {
            return Err(self.fault(name, "must not be empty"));
        }
        Ok(text)
    }

    /// Yes or no; no when it is absent.
    pub fn flag(&mut self, name: &'static str) -> Result<bool, ToolFault> {
        match self.take(name) {
            None => Ok(false),
            Some(Value::Bool(flag)) => Ok(flag),
            Some(other) => Err(self.wrong(name, "true or false", &other)),
        }
    }

    /// A whole number within a range.
    pub fn count(
        &mut self,
        name: &'static str,
        range: std::ops::RangeInclusive<u64>,
    ) -> Result<Option<u64>, ToolFault> {
        let Some(value) = self.take(name) else {
            return Ok(None);
        };
        let whole = value.as_u64().or_else(|| whole_float(&value));
        match whole {
            Some(number) if range.contains(&number) => Ok(Some(number)),
            _ => {
                let wanted = format!("a whole number from {} to {}", range.start(), range.end());
                Err(self.wrong(name, &wanted, &value))
            }
        }
    }

    /// One of a few words.
    pub fn word<T: Copy>(
        &mut self,
        name: &'static str,
        words: &[(&'static str, T)],
    ) -> Result<Option<T>, ToolFault> {
        let Some(value) = self.take(name) else {
            return Ok(None);
        };
        let found = words.iter().find(|(word, _)| value.as_str() == Some(word));
        match found {
            Some((_, meaning)) => Ok(Some(*meaning)),
            None => {
                let all: Vec<String> = words.iter().map(|(word, _)| format!("`{word}`")).collect();
                let wanted = format!("one of {}", all.join(", "));
                Err(self.wrong(name, &wanted, &value))
            }
        }
    }

    /// A list; empty when it is absent.
    pub fn list(&mut self, name: &'static str, most: usize) -> Result<Vec<Element>, ToolFault> {
        let values = match self.take(name) {
            None => return Ok(Vec::new()),
            Some(Value::Array(values)) => values,
            Some(Value::String(text)) if text.trim_start().starts_with('[') => {
                return Err(self.fault(
                    name,
                    "is a string that holds JSON: give the array itself, not quoted",
                ));
            }
            Some(other) => return Err(self.wrong(name, "an array", &other)),
        };
        if values.len() > most {
            let count = values.len();
            return Err(self.fault(
                name,
                &format!("holds {count} items: at most {most} are taken"),
            ));
        }
        let place = |index: usize| format!("{}{name}[{index}]", self.place);
        let elements = values.into_iter().enumerate();
        Ok(elements
            .map(|(index, value)| Element {
                place: place(index),
                value,
            })
            .collect())
    }

    /// A fault of one field.
    pub fn fault(&self, name: &str, what: &str) -> ToolFault {
        ToolFault(format!("`{}{name}` {what}", self.place))
    }

    /// The fault of a field that must be there.
    pub fn missing(&self, name: &str, wanted: &str) -> ToolFault {
        // A misspelt field is both missing and unknown: naming it helps most.
        let left: Vec<&str> = self.left.keys().map(String::as_str).collect();
        match nearest(name, &left) {
            Some(near) => self.fault(name, &format!("is missing ({wanted}); `{near}` is unknown")),
            None => self.fault(name, &format!("is missing: it must be {wanted}")),
        }
    }

    /// Refuses fields that no one took.
    pub fn finish(self) -> Result<(), ToolFault> {
        let Some(unknown) = self.left.keys().next() else {
            return Ok(());
        };
        let all: Vec<String> = self.known.iter().map(|name| format!("`{name}`")).collect();
        let hint = match nearest(unknown, &self.known) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("the fields are {}", all.join(", ")),
        };
        Err(self.fault(unknown, &format!("is an unknown field: {hint}")))
    }

    fn take(&mut self, name: &'static str) -> Option<Value> {
        self.known.push(name);
        self.left
            .shift_remove(name)
            .filter(|value| !value.is_null())
    }

    fn wrong(&self, name: &str, wanted: &str, got: &Value) -> ToolFault {
        self.fault(name, &format!("must be {wanted}, not {}", kind(got)))
    }
}

/// One item of a list.
pub(super) struct Element {
    place: String,
    value: Value,
}

impl Element {
    /// The item as a text, when it is one.
    pub fn as_text(&self) -> Option<&str> {
        self.value.as_str()
    }

    /// The item's fields, when it is an object.
    pub fn fields(self) -> Result<Fields, ToolFault> {
        match self.value {
            Value::Object(left) => Ok(Fields::of(format!("{}.", self.place), left)),
            other => Err(ToolFault(format!(
                "`{}` must be an object, not {}",
                self.place,
                kind(&other)
            ))),
        }
    }
}

/// The known name that is most like a given one, if any is much like it.
pub(super) fn nearest<'a>(given: &str, known: &[&'a str]) -> Option<&'a str> {
    // Long names are nobody's slip, and comparing them costs.
    if given.len() > 200 {
        return None;
    }
    let given = given.to_lowercase();
    similar::get_close_matches(given.as_str(), known, 1, 0.6)
        .first()
        .copied()
}

fn whole_float(value: &Value) -> Option<u64> {
    let number = value.as_f64()?;
    // Exact for all numbers that a model writes as `3.0`.
    (number.fract() == 0.0 && (0.0..9e15).contains(&number)).then_some(number as u64)
}

fn kind(value: &Value) -> String {
    match value {
        Value::Null => "null".into(),
        Value::Bool(flag) => format!("{flag}"),
        Value::Number(number) => format!("{number}"),
        Value::String(text) if text.chars().count() <= 40 => format!("the string {text:?}"),
        Value::String(_) => "a string".into(),
        Value::Array(_) => "an array".into(),
        Value::Object(_) => "an object".into(),
    }
}

#[cfg(test)]
mod tests;
