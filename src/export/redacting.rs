//! What takes secrets out of an export.

use std::borrow::Cow;
use std::sync::Arc;

use greenroom_protocol::session::{Document, Text};

use crate::redact::{Redactor, Tally};

/// Takes secrets out of texts, and remembers how many.
pub trait Redact {
    /// A text as a reader would see it.
    fn text<'a>(&mut self, text: &'a str) -> Cow<'a, str>;
    /// The same for what repeats a text that is counted elsewhere.
    fn repeated<'a>(&self, text: &'a str) -> Cow<'a, str>;
    /// A JSON document.
    fn json(&mut self, json: &str) -> String;
    /// A count and a kind each.
    fn lines(&self) -> Vec<String>;
}

/// A redactor and what it has found.
pub(super) struct Counting {
    pub redactor: Arc<Redactor>,
    pub tally: Tally,
}

impl Redact for Counting {
    fn text<'a>(&mut self, text: &'a str) -> Cow<'a, str> {
        self.redactor.redact(text, &mut self.tally)
    }

    fn repeated<'a>(&self, text: &'a str) -> Cow<'a, str> {
        self.redactor.redact(text, &mut Tally::default())
    }

    fn json(&mut self, json: &str) -> String {
        self.redactor.redact_json(json, &mut self.tally)
    }

    fn lines(&self) -> Vec<String> {
        self.tally.lines()
    }
}

/// Replaces a text in place, when there is something to take out.
pub(super) fn clean(redact: &mut dyn Redact, text: &mut Text) {
    if let Cow::Owned(cleaned) = redact.text(text) {
        *text = cleaned.into();
    }
}

pub(super) fn clean_some(redact: &mut dyn Redact, text: &mut Option<Text>) {
    if let Some(text) = text {
        clean(redact, text);
    }
}

pub(super) fn clean_document(redact: &mut dyn Redact, document: &mut Document) {
    document.0 = redact.json(&document.0).into();
}
