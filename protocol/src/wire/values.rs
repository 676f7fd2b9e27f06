//! Pieces of a JSON text, by serde and without copies.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use crate::session::Text;

/// The text of a JSON string, or nothing when no text can hold it.
pub(super) fn unescape(json: &str) -> Option<Cow<'_, str>> {
    let mut reader = serde_json::Deserializer::from_str(json);
    reader.deserialize_str(TextVisitor).ok()
}

/// As [`unescape`], as a text of its own: a long one is copied once.
pub(super) fn unescape_shared(json: &str) -> Option<Text> {
    let mut reader = serde_json::Deserializer::from_str(json);
    reader.deserialize_str(SharedVisitor).ok()
}

/// The values of these names, one for each; the last of several.
pub(super) fn read_fields<'a>(
    json: &'a str,
    names: &'static [&'static str],
) -> Result<Vec<Option<&'a RawValue>>, serde_json::Error> {
    let mut reader = serde_json::Deserializer::from_str(json);
    let values = reader.deserialize_map(FieldsVisitor { names })?;
    reader.end()?;
    Ok(values)
}

/// The entries of a list, or nothing when there are more than `limit`.
pub(super) fn read_list(json: &str, limit: usize) -> Option<Vec<&RawValue>> {
    let mut reader = serde_json::Deserializer::from_str(json);
    reader.deserialize_seq(ListVisitor { limit }).ok()
}

struct FieldsVisitor {
    names: &'static [&'static str],
}

impl<'a> Visitor<'a> for FieldsVisitor {
    type Value = Vec<Option<&'a RawValue>>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'a>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut values = vec![None; self.names.len()];
        // A name that no text can hold is none of ours.
        while let Some(key) = map.next_key::<&RawValue>()? {
            let name = unescape(key.get());
            let index = self
                .names
                .iter()
                .position(|known| name.as_deref() == Some(known));
            match index.and_then(|index| values.get_mut(index)) {
                Some(slot) => *slot = Some(map.next_value()?),
                None => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(values)
    }
}

struct ListVisitor {
    limit: usize,
}

impl<'a> Visitor<'a> for ListVisitor {
    type Value = Vec<&'a RawValue>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list")
    }

    fn visit_seq<A: SeqAccess<'a>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        let mut values = Vec::new();
        while let Some(value) = seq.next_element()? {
            if values.len() == self.limit {
                return Err(A::Error::custom("too many"));
            }
            values.push(value);
        }
        Ok(values)
    }
}

struct TextVisitor;

impl<'a> Visitor<'a> for TextVisitor {
    type Value = Cow<'a, str>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string")
    }

    fn visit_borrowed_str<E>(self, text: &'a str) -> Result<Self::Value, E> {
        Ok(Cow::Borrowed(text))
    }

    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Cow::Owned(text.to_owned()))
    }
}

struct SharedVisitor;

impl Visitor<'_> for SharedVisitor {
    type Value = Text;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string")
    }

    fn visit_str<E>(self, text: &str) -> Result<Text, E> {
        Ok(Text::from(text))
    }
}
