//! Reads one JSON object field by field. Values stay where they are in the
//! line until a field is asked for, and fields that nobody knows cost nothing.

use std::borrow::Cow;

use serde_json::value::RawValue;
use thiserror::Error;

use crate::session::Text;

use super::document::is_deeper;
use super::fault::{FieldFault, Problem};
use super::id::RawId;
use super::values::{read_fields, read_list, unescape, unescape_shared};

/// A line nested deeper than this is no JSON to us.
pub const DEEPEST: usize = 128;

/// Why a text is no object.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum NotAnObject {
    /// It is no JSON; the text says where it stops being so.
    #[error("{0}")]
    NotJson(String),
    /// It is nested too deep to be taken.
    #[error("it is nested deeper than {DEEPEST} levels")]
    TooDeep,
    /// It is JSON of another type.
    #[error("it is no object")]
    OtherJson,
}

/// An object, as far as its fields are known. Of a field given twice the last
/// one counts, and null counts as not given.
#[derive(Debug)]
pub struct Object<'a> {
    /// Where it stands in the line: empty, or `edits[1].`.
    place: String,
    names: &'static [&'static str],
    /// One for each name.
    values: Vec<Option<&'a RawValue>>,
}

impl<'a> Object<'a> {
    /// Reads a whole line. Fields with other names than these are ignored.
    pub fn read(line: &'a str, names: &'static [&'static str]) -> Result<Object<'a>, NotAnObject> {
        if is_deeper(line, DEEPEST) {
            return Err(NotAnObject::TooDeep);
        }
        let values = read_fields(line, names).map_err(|error| match error.classify() {
            serde_json::error::Category::Data => NotAnObject::OtherJson,
            _ => NotAnObject::NotJson(error.to_string()),
        })?;
        Ok(Object {
            place: String::new(),
            names,
            values,
        })
    }

    /// The value of a field as it stands in the line.
    fn raw(&self, name: &str) -> Option<&'a RawValue> {
        let index = self.names.iter().position(|known| *known == name);
        debug_assert!(index.is_some(), "{name} is not among the names read");
        let value = self.values.get(index?).copied().flatten()?;
        (value.get() != "null").then_some(value)
    }

    fn fault(&self, name: &str, problem: Problem) -> FieldFault {
        FieldFault {
            field: format!("{}{name}", self.place),
            problem,
        }
    }

    fn needed<T>(&self, name: &str, value: Option<T>) -> Result<T, FieldFault> {
        value.ok_or_else(|| self.fault(name, Problem::Missing))
    }

    /// True when the field is there and not null.
    pub fn has(&self, name: &str) -> bool {
        self.raw(name).is_some()
    }

    /// The `id` field, also when it is null. It must be among the names.
    pub fn id(&self) -> Option<RawId> {
        let index = self.names.iter().position(|known| *known == "id")?;
        let value = self.values.get(index).copied().flatten()?;
        Some(RawId::new(value))
    }

    /// A string, borrowed from the line where it has no escapes.
    pub fn string(&self, name: &str) -> Result<Option<Cow<'a, str>>, FieldFault> {
        self.string_by(name, unescape)
    }

    /// A text.
    pub fn text(&self, name: &str) -> Result<Option<Text>, FieldFault> {
        self.string_by(name, unescape_shared)
    }

    fn string_by<T>(
        &self,
        name: &str,
        unescape: impl FnOnce(&'a str) -> Option<T>,
    ) -> Result<Option<T>, FieldFault> {
        let Some(value) = self.raw(name) else {
            return Ok(None);
        };
        if !value.get().starts_with('"') {
            return Err(self.fault(name, Problem::NotA("a string")));
        }
        match unescape(value.get()) {
            Some(text) => Ok(Some(text)),
            None => Err(self.fault(name, Problem::HalfSurrogate)),
        }
    }

    /// A text that the command can't do without. It may be empty.
    pub fn need_text(&self, name: &str) -> Result<Text, FieldFault> {
        self.needed(name, self.text(name)?)
    }

    /// A name or a path that the command can't do without.
    pub fn need_name(&self, name: &str) -> Result<Text, FieldFault> {
        let text = self.need_text(name)?;
        if text.is_empty() {
            return Err(self.fault(name, Problem::Empty));
        }
        Ok(text)
    }

    /// `true` or `false`.
    pub fn flag(&self, name: &str) -> Result<Option<bool>, FieldFault> {
        match self.raw(name).map(RawValue::get) {
            None => Ok(None),
            Some("true") => Ok(Some(true)),
            Some("false") => Ok(Some(false)),
            Some(_) => Err(self.fault(name, Problem::NotA("true or false"))),
        }
    }

    /// `true` or `false`, which the command can't do without.
    pub fn need_flag(&self, name: &str) -> Result<bool, FieldFault> {
        self.needed(name, self.flag(name)?)
    }

    /// A whole number from 0.
    pub fn number(&self, name: &str) -> Result<Option<u64>, FieldFault> {
        let Some(value) = self.raw(name) else {
            return Ok(None);
        };
        match value.get().parse() {
            Ok(number) => Ok(Some(number)),
            Err(_) => Err(self.fault(name, Problem::NotA("a whole number from 0"))),
        }
    }

    /// An object.
    pub fn object(
        &self,
        name: &str,
        names: &'static [&'static str],
    ) -> Result<Option<Object<'a>>, FieldFault> {
        let Some(value) = self.raw(name) else {
            return Ok(None);
        };
        self.nested(name, value, names).map(Some)
    }

    /// A list of objects, with at most `limit` entries.
    pub fn objects(
        &self,
        name: &str,
        limit: usize,
        names: &'static [&'static str],
    ) -> Result<Option<Vec<Object<'a>>>, FieldFault> {
        let Some(values) = self.list(name, limit)? else {
            return Ok(None);
        };
        let objects = values.into_iter().enumerate();
        objects
            .map(|(index, value)| self.nested(&format!("{name}[{index}]"), value, names))
            .collect::<Result<_, _>>()
            .map(Some)
    }

    /// A list of names or paths, with at most `limit` entries.
    pub fn list_of_names(&self, name: &str, limit: usize) -> Result<Option<Vec<Text>>, FieldFault> {
        let Some(values) = self.list(name, limit)? else {
            return Ok(None);
        };
        let mut texts = Vec::with_capacity(values.len());
        for (index, value) in values.into_iter().enumerate() {
            let name = format!("{name}[{index}]");
            if !value.get().starts_with('"') {
                return Err(self.fault(&name, Problem::NotA("a string")));
            }
            let text = unescape(value.get());
            let text = text.ok_or_else(|| self.fault(&name, Problem::HalfSurrogate))?;
            if text.is_empty() {
                return Err(self.fault(&name, Problem::Empty));
            }
            texts.push(Text::from(text));
        }
        Ok(Some(texts))
    }

    fn list(&self, name: &str, limit: usize) -> Result<Option<Vec<&'a RawValue>>, FieldFault> {
        let Some(value) = self.raw(name) else {
            return Ok(None);
        };
        if !value.get().starts_with('[') {
            return Err(self.fault(name, Problem::NotA("a list")));
        }
        match read_list(value.get(), limit) {
            Some(values) => Ok(Some(values)),
            None => Err(self.fault(name, Problem::TooLong(limit))),
        }
    }

    fn nested(
        &self,
        name: &str,
        value: &'a RawValue,
        names: &'static [&'static str],
    ) -> Result<Object<'a>, FieldFault> {
        let values = read_fields(value.get(), names);
        let values = values.map_err(|_| self.fault(name, Problem::NotA("an object")))?;
        Ok(Object {
            place: format!("{}{name}.", self.place),
            names,
            values,
        })
    }
}

#[cfg(test)]
mod tests;
