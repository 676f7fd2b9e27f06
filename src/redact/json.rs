//! JSON documents: secrets hide behind escapes, so every text is decoded first.

use std::borrow::Cow;

use memchr::memchr2;
use serde_json::value::RawValue;

use super::redactor::Redactor;
use super::tally::Tally;
use super::view::View;

/// A name with one of these in it, in any case, tells what its value is.
const TELLING: [&str; 7] = [
    "key",
    "secret",
    "token",
    "passw",
    "passphrase",
    "credential",
    "authorization",
];

impl Redactor {
    /// A document with secrets taken out of its texts, keys among them. A value
    /// is looked at together with its name. Order, numbers and texts without
    /// secrets stay letter by letter; blanks between values go. What is no JSON
    /// is taken for plain text.
    pub fn redact_json(&self, json: &str, tally: &mut Tally) -> String {
        if serde_json::from_str::<&RawValue>(json).is_err() {
            return self.redact(json, tally).into_owned();
        }
        let mut out = String::with_capacity(json.len());
        // The name that the next value stands under.
        let mut name: Option<String> = None;
        let mut rest = json;
        while let Some(byte) = rest.bytes().next() {
            if byte == b'"' {
                let (quoted, after) = split_string(rest);
                let decoded = decode(quoted);
                let is_name = after.trim_start_matches(is_blank).starts_with(':');
                let redacted = match name.take() {
                    Some(name) if !is_name => self.redact_named(&name, &decoded, tally),
                    _ => self.redact(&decoded, tally),
                };
                match redacted {
                    // As it was written, escapes and all.
                    Cow::Borrowed(_) => out.push_str(quoted),
                    Cow::Owned(redacted) => out.push_str(&encode(&redacted)),
                }
                name = (is_name && is_telling(&decoded)).then(|| decoded.into_owned());
                rest = after;
                continue;
            }
            let end = rest.find(|mark| mark == '"' || is_blank(mark));
            let (plain, after) = rest.split_at(end.unwrap_or(rest.len()));
            out.push_str(plain);
            if !matches!(plain, "" | ":") {
                name = None;
            }
            rest = after.trim_start_matches(is_blank);
        }
        out
    }
}

fn is_blank(mark: char) -> bool {
    matches!(mark, ' ' | '\t' | '\r' | '\n')
}

fn is_telling(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    TELLING.iter().any(|word| name.contains(word))
}

/// The string that valid JSON begins with, quotes included, and what follows.
fn split_string(json: &str) -> (&str, &str) {
    let bytes = json.as_bytes();
    let mut end = 1;
    while let Some(found) = bytes.get(end..).and_then(|rest| memchr2(b'"', b'\\', rest)) {
        let at = end + found;
        if bytes.get(at) == Some(&b'"') {
            return json.split_at_checked(at + 1).unwrap_or((json, ""));
        }
        end = at + 2;
    }
    (json, "")
}

/// What a string says. Halves of surrogate pairs, which strict readers refuse,
/// hide nothing.
fn decode(quoted: &str) -> Cow<'_, str> {
    let inner = quoted.get(1..quoted.len() - 1).unwrap_or_default();
    match View::without_escapes(inner) {
        Some(view) => Cow::Owned(view.text().to_owned()),
        None => Cow::Borrowed(inner),
    }
}

fn encode(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
