//! JSON documents: secrets hide behind escapes, so every text is decoded first.

use std::borrow::Cow;

use serde_json::value::RawValue;

use super::redactor::Redactor;
use super::tally::Tally;

/// Deeper than this a document is taken for plain text.
const DEEPEST: usize = 128;

impl Redactor {
    /// A document with secrets taken out of its texts, keys among them. Order
    /// and numbers stay letter by letter; blanks between values may go. What is
    /// no JSON is taken for plain text.
    pub fn redact_json(&self, json: &str, tally: &mut Tally) -> String {
        let mut written = String::with_capacity(json.len());
        let mut counted = tally.clone();
        let parsed: Option<&RawValue> = serde_json::from_str(json).ok();
        let done = parsed.and_then(|value| self.value(value, DEEPEST, &mut written, &mut counted));
        match done {
            Some(()) => {
                *tally = counted;
                written
            }
            None => self.redact(json, tally).into_owned(),
        }
    }

    fn value(
        &self,
        value: &RawValue,
        depth: usize,
        out: &mut String,
        tally: &mut Tally,
    ) -> Option<()> {
        let text = value.get().trim();
        let depth = depth.checked_sub(1)?;
        match text.as_bytes().first()? {
            b'{' => {
                let fields: Fields<'_> = serde_json::from_str(text).ok()?;
                out.push('{');
                for (index, (name, value)) in fields.0.into_iter().enumerate() {
                    if index > 0 {
                        out.push(',');
                    }
                    self.text(&name, out, tally);
                    out.push(':');
                    self.value(value, depth, out, tally)?;
                }
                out.push('}');
            }
            b'[' => {
                let values: Vec<&RawValue> = serde_json::from_str(text).ok()?;
                out.push('[');
                for (index, value) in values.into_iter().enumerate() {
                    if index > 0 {
                        out.push(',');
                    }
                    self.value(value, depth, out, tally)?;
                }
                out.push(']');
            }
            b'"' => {
                let decoded: String = serde_json::from_str(text).ok()?;
                match self.redact(&decoded, tally) {
                    // As it was written, escapes and all.
                    Cow::Borrowed(_) => out.push_str(text),
                    Cow::Owned(redacted) => push_text(&redacted, out),
                }
            }
            _ => out.push_str(text),
        }
        Some(())
    }

    fn text(&self, text: &str, out: &mut String, tally: &mut Tally) {
        push_text(&self.redact(text, tally), out);
    }
}

fn push_text(text: &str, out: &mut String) {
    out.push_str(&serde_json::Value::from(text).to_string());
}

/// The fields of an object, in order, doubles and all.
struct Fields<'a>(Vec<(String, &'a RawValue)>);

impl<'de> serde::Deserialize<'de> for Fields<'de> {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Fields<'de>, D::Error> {
        struct Visitor;
        impl<'de> serde::de::Visitor<'de> for Visitor {
            type Value = Fields<'de>;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: serde::de::MapAccess<'de>>(
                self,
                mut map: A,
            ) -> Result<Fields<'de>, A::Error> {
                let mut fields = Vec::new();
                while let Some(field) = map.next_entry()? {
                    fields.push(field);
                }
                Ok(Fields(fields))
            }
        }
        from.deserialize_map(Visitor)
    }
}
