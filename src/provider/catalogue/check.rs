//! Whether a provider has a model of some id, as far as the catalogue knows,
//! without asking anybody.

use super::{Entry, all, find};
use crate::provider::Wire;

/// Suggestions at most.
const SUGGESTIONS: usize = 5;

/// How like two ids must be for a suggestion, of 1000.
const LIKE_ENOUGH: usize = 400;

/// Whose models.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Vendor {
    Anthropic,
    OpenAi,
    Google,
}

impl Vendor {
    /// Whose models a provider has; nothing when only it can tell.
    pub fn of_provider(wire: Wire, host: Option<&str>) -> Option<Vendor> {
        match (wire, host?) {
            (Wire::Anthropic, "api.anthropic.com") => Some(Vendor::Anthropic),
            (Wire::OpenAiChat | Wire::OpenAiResponses, "api.openai.com") => Some(Vendor::OpenAi),
            (Wire::Gemini, "generativelanguage.googleapis.com") => Some(Vendor::Google),
            _ => None,
        }
    }

    /// Whose model an entry is; nothing for those of nobody that we know.
    pub fn of_entry(entry: &Entry) -> Option<Vendor> {
        let id = entry.id();
        let is_o = |rest: &str| rest.starts_with(|c: char| c.is_ascii_digit());
        if id.starts_with("claude-") {
            Some(Vendor::Anthropic)
        } else if id.starts_with("gpt-") || id.strip_prefix('o').is_some_and(is_o) {
            Some(Vendor::OpenAi)
        } else if id.starts_with("gemini-") {
            Some(Vendor::Google)
        } else {
            None
        }
    }
}

/// What the catalogue says of a model at a provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Checked {
    /// The provider has it.
    Known,
    /// It may be newer than the catalogue, or misspelt: these are like it, the
    /// most like first, at most five.
    Unknown(Vec<String>),
    /// The provider has models of its own.
    NotJudged,
}

/// Checks a model's id against its provider.
pub fn check(wire: Wire, host: Option<&str>, model: &str) -> Checked {
    let Some(vendor) = Vendor::of_provider(wire, host) else {
        return Checked::NotJudged;
    };
    let model = model.strip_prefix("models/").unwrap_or(model);
    let is_of_vendor = |entry: &&Entry| Vendor::of_entry(entry) == Some(vendor);
    let is_exact = |entry: &&Entry| !entry.id().ends_with('*');
    if find(model).filter(is_of_vendor).filter(is_exact).is_some() {
        return Checked::Known;
    }
    let ids = all().filter(is_of_vendor).filter(is_exact).map(Entry::id);
    Checked::Unknown(suggestions(model, ids))
}

/// The names that are like a given one, the most like first, at most five.
pub fn suggestions<'a>(given: &str, known: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let mut alike: Vec<(usize, &str)> = known
        .into_iter()
        .map(|name| (likeness(given, name), name))
        .filter(|(likeness, _)| *likeness >= LIKE_ENOUGH)
        .collect();
    alike.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(b.1)));
    alike.dedup_by(|a, b| a.1 == b.1);
    let names = alike.into_iter().take(SUGGESTIONS);
    names.map(|(_, name)| name.to_owned()).collect()
}

/// How many pairs of neighbouring letters two names share, of 1000. Ids are made
/// of words in changing order, which edits would count as far apart.
fn likeness(left: &str, right: &str) -> usize {
    let pairs = |name: &str| -> Vec<(u8, u8)> {
        let plain = name.to_ascii_lowercase().replace(['.', '_'], "-");
        let bytes = plain.as_bytes();
        bytes
            .iter()
            .copied()
            .zip(bytes.iter().copied().skip(1))
            .take(100)
            .collect()
    };
    let left = pairs(left);
    let mut rest = pairs(right);
    let all = left.len() + rest.len();
    if all == 0 {
        return 0;
    }
    let mut shared = 0;
    for pair in left {
        if let Some(at) = rest.iter().position(|other| *other == pair) {
            rest.swap_remove(at);
            shared += 1;
        }
    }
    2_000 * shared / all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(wire: Wire, host: &str, model: &str) -> Checked {
        check(wire, Some(host), model)
    }

    #[test]
    fn ids_are_known_misspelt_or_not_judged() {
        let anthropic = |model: &str| of(Wire::Anthropic, "api.anthropic.com", model);
        assert_eq!(anthropic("claude-sonnet-4-5-20250929"), Checked::Known);
        let Checked::Unknown(like) = anthropic("claude-sonet-5.5") else {
            panic!("it is misspelt");
        };
        assert_eq!(like.first().map(String::as_str), Some("claude-sonnet-5-5"));
        assert!(like.len() <= 5);
        assert_eq!(anthropic("zzz"), Checked::Unknown(Vec::new()));
        assert!(matches!(anthropic("gpt-5"), Checked::Unknown(_)));
        let google = "generativelanguage.googleapis.com";
        assert_eq!(
            of(Wire::Gemini, google, "models/gemini-2.5-pro"),
            Checked::Known
        );
        for wire in [Wire::OpenAiChat, Wire::OpenAiResponses] {
            assert_eq!(of(wire, "api.openai.com", "gpt-5"), Checked::Known);
            assert_eq!(of(wire, "localhost", "gpt-5"), Checked::NotJudged);
        }
        assert_eq!(check(Wire::Anthropic, None, "x"), Checked::NotJudged);
    }
}
