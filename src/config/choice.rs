//! Settings that are one of a closed list of names.

use greenroom_protocol::session::{Effort, Mode};
use serde::de::{Deserialize, Deserializer};

use super::nearest::hint;
use super::value::{Found, Reader};
use super::{LogFormat, WhenMet};
use crate::provider::Wire;

/// One of a closed list of names.
#[derive(Debug, Clone)]
pub(super) struct Named<T>(pub T);

/// What [`Named`] may stand for.
pub(crate) trait Choice: Clone + 'static {
    /// What it is called in messages.
    const WHAT: &'static str;
    /// All of them, with their names.
    fn all() -> Vec<(&'static str, Self)>;
}

impl Choice for Mode {
    const WHAT: &'static str = "mode";
    fn all() -> Vec<(&'static str, Mode)> {
        vec![
            ("plan", Mode::Plan),
            ("ask", Mode::Ask),
            ("auto", Mode::Auto),
            ("full", Mode::Full),
        ]
    }
}

impl Choice for Effort {
    const WHAT: &'static str = "effort";
    fn all() -> Vec<(&'static str, Effort)> {
        Effort::ALL
            .into_iter()
            .map(|effort| (effort.name(), effort))
            .collect()
    }
}

impl Choice for Wire {
    const WHAT: &'static str = "wire";
    fn all() -> Vec<(&'static str, Wire)> {
        vec![
            ("openai-chat", Wire::OpenAiChat),
            ("openai-responses", Wire::OpenAiResponses),
            ("anthropic", Wire::Anthropic),
            ("gemini", Wire::Gemini),
            ("scripted", Wire::Scripted),
        ]
    }
}

impl Choice for WhenMet {
    const WHAT: &'static str = "way to meet a limit";
    fn all() -> Vec<(&'static str, WhenMet)> {
        vec![("end", WhenMet::End), ("ask", WhenMet::Ask)]
    }
}

impl Choice for LogFormat {
    const WHAT: &'static str = "log format";
    fn all() -> Vec<(&'static str, LogFormat)> {
        vec![("text", LogFormat::Text), ("json", LogFormat::Json)]
    }
}

/// The choice of that name, or what is wrong and what there is. Flags use it
/// too.
pub(crate) fn choose<T: Choice>(name: &str) -> Result<T, String> {
    let all = T::all();
    if let Some((_, choice)) = all.iter().find(|(known, _)| *known == name) {
        return Ok(choice.clone());
    }
    let names: Vec<&str> = all.iter().map(|(known, _)| *known).collect();
    let shown: String = name.chars().take(40).collect();
    Err(format!(
        "unknown {} {shown:?}{}; there are {}",
        T::WHAT,
        hint(name, names.iter().copied()),
        names.join(", "),
    ))
}

impl<'de, T: Choice> Deserialize<'de> for Named<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Named<T>, D::Error> {
        let names: Vec<&str> = T::all().into_iter().map(|(name, _)| name).collect();
        let expecting = format!("one of {}", names.join(", "));
        let otherwise = format!("expected {expecting}");
        from.deserialize_any(Reader::new(expecting, |found| match found {
            Found::Text(name) => choose::<T>(name).map(Named),
            // Some YAML writers take an unquoted `off` for false.
            Found::Bool(false) => choose::<T>("off").map(Named),
            _ => Err(otherwise),
        }))
    }
}
