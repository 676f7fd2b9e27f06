//! A tool's JSON Schema in the words that Gemini's function declarations take:
//! a part of OpenAPI's, in which one unknown word makes the whole request wrong.
//! Pure, and the same for the same schema.
//!
//! What cannot be said is left out: the tools check their inputs themselves.

use std::cell::{Cell, RefCell};

use serde_json::{Map, Value, json};

/// How deep schemas are followed; deeper ones, such as those that hold
/// themselves, become plain objects.
const DEEPEST: usize = 16;

/// Parts of one translated schema. References may multiply them without end.
const MOST_PARTS: usize = 2_000;

/// Words that mean the same on both sides.
const KEPT: [&str; 12] = [
    "title",
    "description",
    "pattern",
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
    "minProperties",
    "maxProperties",
    "minimum",
    "maximum",
    "nullable",
];

/// Translates a schema of an input; nothing when the input has no fields, which
/// the service wants left out.
pub fn translated(schema: &Value) -> Option<Value> {
    let translator = Translator {
        whole: schema,
        followed: RefCell::default(),
        left: Cell::new(MOST_PARTS),
    };
    let translated = translator.schema(schema, 0);
    let has_fields = translated
        .get("properties")
        .and_then(Value::as_object)
        .is_some_and(|fields| !fields.is_empty());
    has_fields.then_some(translated)
}

struct Translator<'a> {
    /// Where references lead.
    whole: &'a Value,
    /// The references that are being followed: one within itself has no end.
    followed: RefCell<Vec<String>>,
    /// So many more parts.
    left: Cell<usize>,
}

impl<'a> Translator<'a> {
    fn schema(&self, schema: &Value, depth: usize) -> Value {
        let left = self.left.get();
        if depth > DEEPEST || left == 0 {
            return json!({"type": "object"});
        }
        self.left.set(left - 1);
        let Some(fields) = schema.as_object() else {
            // `true`: anything. A text can hold anything.
            return json!({"type": "string"});
        };
        if let Some((pointer, target)) = self.target(fields) {
            let is_within_itself = self.followed.borrow().contains(&pointer);
            if is_within_itself {
                return json!({"type": "object"});
            }
            self.followed.borrow_mut().push(pointer);
            let mut found = self.schema(target, depth + 1);
            self.followed.borrow_mut().pop();
            if let (Some(description), Some(found)) =
                (fields.get("description"), found.as_object_mut())
            {
                found.insert("description".into(), description.clone());
            }
            return found;
        }
        match merged(fields) {
            Some(merged) => self.schema(&merged, depth + 1),
            None => self.fields(fields, depth),
        }
    }

    fn fields(&self, fields: &Map<String, Value>, depth: usize) -> Value {
        let mut out = Map::new();
        let (kinds, mut is_nullable) = kinds(fields);
        let mut choices: Vec<&Value> = Vec::new();
        for name in ["anyOf", "oneOf"] {
            choices.extend(
                fields
                    .get(name)
                    .and_then(Value::as_array)
                    .into_iter()
                    .flatten(),
            );
        }
        let all = choices.len();
        choices.retain(|choice| choice.get("type") != Some(&"null".into()));
        is_nullable |= choices.len() < all;
        let inner = |schema: &Value| self.schema(schema, depth + 1);
        if let [only] = choices[..]
            && kinds.is_empty()
        {
            // A choice of one, as those have who mean that it may be missing.
            if let Value::Object(only) = inner(only) {
                out = only;
            }
        } else if !choices.is_empty() {
            let choices: Vec<Value> = choices.into_iter().map(inner).collect();
            out.insert("anyOf".into(), choices.into());
        } else if let [_, _, ..] = kinds[..] {
            let choices = kinds.iter().map(|kind| {
                let mut one = fields.clone();
                one.retain(|name, _| !KEPT[..2].contains(&&**name));
                one.insert("type".into(), (*kind).into());
                inner(&Value::Object(one))
            });
            out.insert("anyOf".into(), choices.collect());
        } else {
            let kind = kinds.first().copied().unwrap_or_else(|| guessed(fields));
            out.insert("type".into(), kind.into());
            self.of_kind(kind, fields, depth, &mut out);
        }
        let is_split = out.contains_key("anyOf");
        for name in KEPT {
            let is_about_all = !is_split || matches!(name, "title" | "description");
            if let Some(value) = fields.get(name).filter(|_| is_about_all) {
                out.insert(name.into(), value.clone());
            }
        }
        if is_nullable {
            out.insert("nullable".into(), true.into());
        }
        Value::Object(out)
    }

    /// What only schemas of this kind may say.
    fn of_kind(
        &self,
        kind: &str,
        fields: &Map<String, Value>,
        depth: usize,
        out: &mut Map<String, Value>,
    ) {
        match kind {
            "object" => self.object(fields, depth, out),
            "array" => {
                let items = fields.get("items").unwrap_or(&Value::Bool(true));
                out.insert("items".into(), self.schema(items, depth + 1));
            }
            "string" => {
                let words = words(fields);
                if !words.is_empty() {
                    out.insert("enum".into(), words.into());
                }
                if fields.get("format") == Some(&"date-time".into()) {
                    out.insert("format".into(), "date-time".into());
                }
            }
            _ => {}
        }
    }

    fn object(&self, fields: &Map<String, Value>, depth: usize, out: &mut Map<String, Value>) {
        let Some(Value::Object(properties)) = fields.get("properties") else {
            return;
        };
        let translated: Map<String, Value> = properties
            .iter()
            .map(|(name, schema)| (name.clone(), self.schema(schema, depth + 1)))
            .collect();
        let required = fields.get("required").and_then(Value::as_array);
        let required: Vec<Value> = required
            .into_iter()
            .flatten()
            // The service refuses names that it does not know.
            .filter(|name| {
                name.as_str()
                    .is_some_and(|name| properties.contains_key(name))
            })
            .cloned()
            .collect();
        if !translated.is_empty() {
            out.insert("properties".into(), translated.into());
        }
        if !required.is_empty() {
            out.insert("required".into(), required.into());
        }
    }

    /// Where a reference leads.
    fn target(&self, fields: &Map<String, Value>) -> Option<(String, &'a Value)> {
        let pointer = fields.get("$ref")?.as_str()?.strip_prefix('#')?;
        Some((pointer.to_owned(), self.whole.pointer(pointer)?))
    }
}

/// The kinds that a schema names, without `null`, and whether that was there.
fn kinds(fields: &Map<String, Value>) -> (Vec<&str>, bool) {
    let mut kinds: Vec<&str> = match fields.get("type") {
        Some(Value::String(kind)) => vec![kind],
        Some(Value::Array(kinds)) => kinds.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    let all = kinds.len();
    kinds.retain(|kind| *kind != "null");
    let is_nullable = kinds.len() < all;
    (kinds, is_nullable)
}

/// The kind of a schema that names none.
fn guessed(fields: &Map<String, Value>) -> &'static str {
    let has = |name| fields.contains_key(name);
    if has("properties") || has("additionalProperties") {
        "object"
    } else if has("items") {
        "array"
    } else {
        "string"
    }
}

/// The words of a closed list. The service takes no empty ones.
fn words(fields: &Map<String, Value>) -> Vec<Value> {
    let listed = fields.get("enum").and_then(Value::as_array);
    let words = listed.into_iter().flatten().chain(fields.get("const"));
    let is_word = |word: &&Value| word.as_str().is_some_and(|word| !word.is_empty());
    words.filter(is_word).cloned().collect()
}

/// `allOf` as one schema; nothing when there is none.
fn merged(fields: &Map<String, Value>) -> Option<Value> {
    let parts = fields.get("allOf")?.as_array()?;
    let mut merged = fields.clone();
    merged.shift_remove("allOf");
    for part in parts.iter().filter_map(Value::as_object) {
        for (name, value) in part {
            match (merged.get_mut(name), value) {
                (Some(Value::Object(before)), Value::Object(more)) => {
                    before.extend(more.clone());
                }
                (Some(Value::Array(before)), Value::Array(more)) => {
                    before.extend(more.clone());
                }
                (Some(_), _) => {}
                (None, value) => {
                    merged.insert(name.clone(), value.clone());
                }
            }
        }
    }
    Some(Value::Object(merged))
}

#[cfg(test)]
mod tests;
