//! Texts and bytes: in the record while they are short, else beside it.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use greenroom_protocol::session::{Document, Text};
use serde::de::value::MapAccessDeserializer;
use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::blob::{BlobRecord, INLINE_LIMIT};
use super::stored::Stored;
use super::{Attachments, BlobSource, FormatError};

/// A text: a JSON string, or a [`BlobRecord`] when it is large.
pub(super) enum TextRecord<'a> {
    /// In the record.
    Inline(Cow<'a, str>),
    /// Beside it.
    Large(BlobRecord),
}

impl Serialize for TextRecord<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            TextRecord::Inline(text) => text.serialize(serializer),
            TextRecord::Large(blob) => blob.serialize(serializer),
        }
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for TextRecord<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<TextRecord<'a>, D::Error> {
        deserializer.deserialize_any(TextVisitor)
    }
}

struct TextVisitor;

impl<'de> Visitor<'de> for TextVisitor {
    type Value = TextRecord<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a text or a large value")
    }

    fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<TextRecord<'de>, E> {
        Ok(TextRecord::Inline(Cow::Borrowed(text)))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<TextRecord<'de>, E> {
        Ok(TextRecord::Inline(Cow::Owned(text.to_owned())))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<TextRecord<'de>, A::Error> {
        BlobRecord::deserialize(MapAccessDeserializer::new(map)).map(TextRecord::Large)
    }
}

impl Stored for Text {
    type Record<'a> = TextRecord<'a>;

    fn to_record<'a>(&'a self, large: &mut Attachments<'a>) -> Result<TextRecord<'a>, FormatError> {
        Ok(if self.len() <= INLINE_LIMIT {
            TextRecord::Inline(Cow::Borrowed(self))
        } else {
            TextRecord::Large(large.attach(self.as_bytes()))
        })
    }

    fn from_record(
        record: TextRecord<'_>,
        blobs: &mut dyn BlobSource,
    ) -> Result<Text, FormatError> {
        match record {
            TextRecord::Inline(text) => Ok(Text::from(text)),
            TextRecord::Large(blob) => blobs.text(blob.read()?),
        }
    }
}

/// A document is stored as the text that it is: it may be no JSON at all, and
/// must come back letter by letter.
impl Stored for Document {
    type Record<'a> = TextRecord<'a>;

    fn to_record<'a>(&'a self, large: &mut Attachments<'a>) -> Result<TextRecord<'a>, FormatError> {
        self.0.to_record(large)
    }

    fn from_record(
        record: TextRecord<'_>,
        blobs: &mut dyn BlobSource,
    ) -> Result<Document, FormatError> {
        Text::from_record(record, blobs).map(Document)
    }
}

/// Bytes never stand in a record: JSON has no good form for them.
impl Stored for Arc<[u8]> {
    type Record<'a> = BlobRecord;

    fn to_record<'a>(&'a self, large: &mut Attachments<'a>) -> Result<BlobRecord, FormatError> {
        Ok(large.attach(self))
    }

    fn from_record(
        record: BlobRecord,
        blobs: &mut dyn BlobSource,
    ) -> Result<Arc<[u8]>, FormatError> {
        blobs.bytes(record.read()?)
    }
}
