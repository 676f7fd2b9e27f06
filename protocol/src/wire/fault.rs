//! What is wrong with a command that could be read as an object.

use std::fmt;

use thiserror::Error;

/// A field that is not as its command needs it. The words name the field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldFault {
    /// Where it stands: `text`, `edits[1].path`.
    pub field: String,
    /// What is wrong with it.
    pub problem: Problem,
}

/// What is wrong with a field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Problem {
    /// It is not there, or null.
    Missing,
    /// It is of another type; the text says of which it must be (`a string`).
    NotA(&'static str),
    /// It is an empty string where a name is needed.
    Empty,
    /// It is a string that no text can hold: half of a surrogate pair.
    HalfSurrogate,
    /// It is a list with more entries than this.
    TooLong(usize),
}

impl fmt::Display for FieldFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{}\" ", self.field)?;
        match &self.problem {
            Problem::Missing => f.write_str("is missing"),
            Problem::NotA(kind) => write!(f, "must be {kind}"),
            Problem::Empty => f.write_str("must not be empty"),
            Problem::HalfSurrogate => f.write_str("holds half of a surrogate pair"),
            Problem::TooLong(limit) => write!(f, "has more than {limit} entries"),
        }
    }
}

impl std::error::Error for FieldFault {}

/// A name that is none of those that a field may hold.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("unknown {what} {given:?}; known are {known}")]
pub struct UnknownName {
    /// What it should name: `mode`, `effort`.
    pub what: &'static str,
    /// What was given, shortened.
    pub given: String,
    /// The known ones, with commas.
    pub known: String,
}

impl UnknownName {
    /// Words it; `given` may be of any length.
    pub fn new<'k>(
        what: &'static str,
        given: &str,
        known: impl IntoIterator<Item = &'k str>,
    ) -> UnknownName {
        let known: Vec<&str> = known.into_iter().collect();
        UnknownName {
            what,
            given: shorten(given).into_owned(),
            known: known.join(", "),
        }
    }
}

/// Why a command is not one: the text of its refusal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unfit(pub String);

impl<E: std::error::Error> From<E> for Unfit {
    fn from(error: E) -> Unfit {
        Unfit(error.to_string())
    }
}

/// A client's text, short enough to be repeated in an error.
pub fn shorten(text: &str) -> std::borrow::Cow<'_, str> {
    const LONGEST: usize = 80;
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]).into(),
        None => text.into(),
    }
}
