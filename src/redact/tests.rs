//! What the tests of this module share; the shared vectors are in
//! `tests/vectors/secrets_vectors.yaml`.

mod documents;
mod hidden;
mod known;
mod properties;
mod sources;
mod vectors;

use serde_yaml::Value;

use super::{Redactor, Tally};

const VECTORS: &str = include_str!("../../tests/vectors/secrets_vectors.yaml");

fn vectors() -> Value {
    serde_yaml::from_str(VECTORS).unwrap()
}

/// A sample as the vectors spell it: parts that are joined.
fn joined(parts: &Value) -> String {
    let part = |part: &Value| match part {
        Value::String(text) => text.clone(),
        map => {
            let count = map["n"].as_u64().unwrap() as usize;
            match map.get("r") {
                Some(repeated) => repeated.as_str().unwrap().repeat(count),
                None => {
                    let marks = map["c"].as_str().unwrap().chars();
                    marks.cycle().take(count).collect()
                }
            }
        }
    };
    parts.as_sequence().unwrap().iter().map(part).collect()
}

/// A sample that must be taken out.
struct Sample {
    kind: String,
    text: String,
    /// What must survive.
    left: String,
}

fn positive_samples() -> Vec<Sample> {
    let vectors = vectors();
    let mut samples = Vec::new();
    for shape in vectors["shapes"].as_sequence().unwrap() {
        for sample in shape["pos"].as_sequence().unwrap() {
            let (parts, left) = match sample {
                Value::Mapping(_) => (&sample["parts"], sample["left"].as_str().unwrap_or("")),
                parts => (parts, ""),
            };
            samples.push(Sample {
                kind: shape["kind"].as_str().unwrap().to_owned(),
                text: joined(parts),
                left: left.to_owned(),
            });
        }
    }
    assert!(samples.len() > 55, "{}", samples.len());
    samples
}

/// The redacted text and its tally's lines; a second run must change nothing.
fn redacted(redactor: &Redactor, text: &str) -> (String, Vec<String>) {
    let mut tally = Tally::default();
    let redacted = redactor.redact(text, &mut tally).into_owned();
    let mut again = Tally::default();
    let twice = redactor.redact(&redacted, &mut again).into_owned();
    assert_eq!(twice, redacted, "a second run changes nothing");
    assert_eq!(again, Tally::default());
    (redacted, tally.lines())
}

/// The last ones end in what a decoder takes off.
const SURROUNDINGS: [(&str, &str); 8] = [
    ("", ""),
    ("see ", " there"),
    ("\n", "\n"),
    ("(\"", "\")"),
    ("a: <", ">."),
    ("line\\n", "\\n"),
    ("u?q%3D", " "),
    ("\u{1b}[32m", "\u{1b}[0m"),
];
