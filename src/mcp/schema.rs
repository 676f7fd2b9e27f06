//! Schemas of servers made harmless, or refused: a model's provider refuses the
//! whole request for one bad schema of one tool.

use std::collections::HashSet;

use greenroom_protocol::session::{Document, Text};
use serde_json::{Map, Value};

/// The largest schema, in bytes of JSON.
pub(super) const MOST_BYTES: usize = 64 << 10;
/// The deepest one.
const MOST_DEPTH: usize = 32;
/// The longest name of a property that every provider takes.
const LONGEST_PROPERTY: usize = 64;
/// What no provider takes at the top: the server checks it anyway.
const NOT_AT_THE_TOP: [&str; 8] = [
    "oneOf", "anyOf", "allOf", "not", "enum", "const", "$schema", "$id",
];

/// The schema of a tool's input as providers take it, or why it is unusable.
pub(super) fn harmless(schema: &Value) -> Result<Document, String> {
    let Some(fields) = schema.as_object() else {
        return Err("its schema is no object".into());
    };
    // First of all, so that nothing below can be led too deep.
    if depth_exceeds(schema, MOST_DEPTH) {
        return Err(format!("its schema is more than {MOST_DEPTH} levels deep"));
    }
    let mut fields: Map<String, Value> = fields.clone();
    match fields.get("type") {
        None => {
            fields.insert("type".into(), "object".into());
        }
        Some(kind) if kind == "object" => (),
        Some(_) => return Err("its schema is not that of an object".into()),
    }
    for key in NOT_AT_THE_TOP {
        fields.shift_remove(key);
    }
    match fields.get("properties") {
        None => {
            fields.insert("properties".into(), Value::Object(Map::new()));
        }
        Some(Value::Object(properties)) => properties.keys().try_for_each(|it| check_name(it))?,
        Some(_) => return Err("the properties of its schema are no object".into()),
    }
    let schema = Value::Object(fields);
    let text = schema.to_string();
    if text.len() > MOST_BYTES {
        return Err(format!("its schema is longer than {MOST_BYTES} bytes"));
    }
    References::check(&schema)?;
    Ok(Document(Text::from(text)))
}

fn check_name(name: &str) -> Result<(), String> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    if !name.is_empty() && name.len() <= LONGEST_PROPERTY && name.chars().all(is_plain) {
        return Ok(());
    }
    Err("a property of its schema has a name that providers refuse (a-z, A-Z, 0-9, _, - and . up to 64)".into())
}

/// Whether a document has more levels than this.
pub(super) fn depth_exceeds(value: &Value, most: usize) -> bool {
    let Some(below) = most.checked_sub(1) else {
        return true;
    };
    match value {
        Value::Array(items) => items.iter().any(|it| depth_exceeds(it, below)),
        Value::Object(fields) => fields.values().any(|it| depth_exceeds(it, below)),
        _ => false,
    }
}

/// Follows `$ref`s: each must lead to a place of the same document, and none in
/// a circle.
struct References<'a> {
    document: &'a Value,
    /// Places that were looked through to the end.
    done: HashSet<&'a str>,
    /// Places that are being looked through.
    open: Vec<&'a str>,
}

impl<'a> References<'a> {
    fn check(document: &'a Value) -> Result<(), String> {
        let mut references = References {
            document,
            done: HashSet::new(),
            // A reference to the whole is always one to itself.
            open: vec!["#", "#/"],
        };
        references.look(document)
    }

    fn look(&mut self, value: &'a Value) -> Result<(), String> {
        match value {
            Value::Array(items) => items.iter().try_for_each(|item| self.look(item)),
            Value::Object(fields) => {
                for (key, inner) in fields {
                    match (key.as_str(), inner) {
                        ("$ref", Value::String(to)) => self.follow(to)?,
                        ("$dynamicRef" | "$recursiveRef", Value::String(_)) => {
                            return Err("its schema refers to what is not in it".into());
                        }
                        _ => self.look(inner)?,
                    }
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn follow(&mut self, to: &'a str) -> Result<(), String> {
        if self.open.contains(&to) {
            return Err("its schema refers to itself in a circle".into());
        }
        if self.done.contains(to) {
            return Ok(());
        }
        // A chain of references is as deep as what it stands for.
        if self.open.len() > MOST_DEPTH {
            return Err(format!("its schema is more than {MOST_DEPTH} levels deep"));
        }
        let place = to
            .strip_prefix('#')
            .and_then(|it| self.document.pointer(it));
        let Some(place) = place else {
            return Err("its schema refers to what is not in it".into());
        };
        self.open.push(to);
        self.look(place)?;
        self.open.pop();
        self.done.insert(to);
        Ok(())
    }
}

#[cfg(test)]
mod tests;
