//! What is known of models without asking anybody: sizes, abilities, prices.
//!
//! The data stands in `config/models.yaml`, which also says what its fields
//! mean. It is embedded and read at first use, never at start; the user's own
//! additions ([`own`]) are told once, at the start. Knows no wire.

mod check;
mod own;

pub use check::{Checked, Vendor, check, suggestions};
pub use own::read;

use std::sync::{LazyLock, OnceLock};

use greenroom_actors::ports::Prices;
use greenroom_protocol::session::{Cost, Effort, Usage};
use serde::Deserialize;

static CATALOGUE: LazyLock<Vec<Entry>> = LazyLock::new(|| {
    let yaml = include_str!("../../config/models.yaml");
    // A test reads the same text, so this cannot fail in a build that passed;
    // should it, the models are merely unknown.
    serde_yaml::from_str(yaml).unwrap_or_else(|error| {
        tracing::error!(%error, "the catalogue of models cannot be read");
        Vec::new()
    })
});

/// The user's own entries.
static ADDED: OnceLock<Vec<Entry>> = OnceLock::new();

/// Takes the user's own entries over, for the life of the process: the first
/// call counts. Must come before the first model is asked for.
pub fn add(entries: Vec<Entry>) {
    if ADDED.set(entries).is_err() {
        tracing::debug!("the models of this process are told already");
    }
}

/// All entries, the user's own first.
pub fn all() -> impl Iterator<Item = &'static Entry> {
    let added = ADDED.get().map(Vec::as_slice).unwrap_or_default();
    let is_added = move |entry: &&Entry| added.iter().any(|own| own.id == entry.id);
    let built_in = CATALOGUE.iter().filter(move |entry| !is_added(entry));
    added.iter().chain(built_in)
}

/// What is known of a model.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    id: String,
    /// Tokens that fit, the answer included.
    pub context: u64,
    /// Tokens of the longest answer.
    #[serde(default = "default_output")]
    pub output: u64,
    /// Whether pictures may be sent.
    #[serde(default = "default_images")]
    pub images: bool,
    /// The words for effort that it takes, weakest first.
    #[serde(default)]
    pub efforts: Vec<String>,
    /// How an Anthropic model is asked to think.
    pub thinking: Option<Thinking>,
    /// What OpenAI's own server wants of effort when there are tools.
    pub tools: Option<ToolsRule>,
    price: Option<Price>,
    long: Option<LongPrice>,
}

/// How an Anthropic model is asked to think.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Thinking {
    /// With a number of tokens.
    Budget,
    /// The model decides, guided by an effort.
    Adaptive,
    /// As [`Thinking::Adaptive`], and it cannot be switched off.
    Always,
}

/// What a request with tools must say of effort.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ToolsRule {
    /// The word `none`.
    None,
    /// Nothing.
    Omit,
}

/// Micro-dollars per million tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Price {
    input: u64,
    output: u64,
    read: u64,
    write: u64,
}

/// The price of a request with more than so many tokens, all of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
struct LongPrice {
    above: u64,
    input: u64,
    output: u64,
    read: u64,
    write: u64,
}

fn default_output() -> u64 {
    32_000
}

fn default_images() -> bool {
    true
}

/// The entry of a model, or nothing when it is not known.
pub fn find(model: &str) -> Option<&'static Entry> {
    let (bare, is_vendors) = match model.split_once('/') {
        Some(("openai" | "anthropic" | "google" | "models", bare)) => (bare, true),
        _ => (model, false),
    };
    let fitting = |entry: &&Entry| {
        // Routers write claude-opus-4.6 for claude-opus-4-6.
        let dotted = is_vendors && bare.starts_with("claude-");
        stands_for(&entry.id, bare) || (dotted && stands_for(&entry.id, &bare.replace('.', "-")))
    };
    all().filter(fitting).max_by_key(|entry| entry.id.len())
}

/// Whether an id of the catalogue stands for a model. A family's younger member
/// (`gpt-5.9`, `claude-opus-5-9`) is not its elder: only dates and tags may
/// follow.
fn stands_for(id: &str, model: &str) -> bool {
    if let Some(family) = id.strip_suffix('*') {
        return model.starts_with(family);
    }
    let Some(rest) = model.strip_prefix(id) else {
        return false;
    };
    match rest.as_bytes() {
        [] | [b':' | b'@', ..] => true,
        [b'-', ..] => rest == "-latest" || rest == "-0" || is_date(&rest[1..]),
        _ => false,
    }
}

/// `20251101` or `2025-11-01`.
fn is_date(text: &str) -> bool {
    let digits = text.bytes().filter(u8::is_ascii_digit).count();
    let dashes = text.bytes().filter(|byte| *byte == b'-').count();
    digits == 8 && digits + dashes == text.len() && matches!(dashes, 0 | 2)
}

/// Whether a word is one for effort, as providers write it.
fn is_effort(word: &str) -> bool {
    word != "off" && strength(word) < STRONGEST
}

impl Entry {
    /// The model's id, or the beginning of many with a `*`.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Micro-dollars per million tokens read and written; nothing when unknown.
    pub fn price(&self) -> Option<(u64, u64)> {
        self.price.map(|price| (price.input, price.output))
    }

    /// The model's word for an effort: the strongest that is not stronger than
    /// what is wanted, or its weakest. Nothing when it takes none.
    pub fn effort_word(&self, wanted: Effort) -> Option<&str> {
        let known = self.efforts.iter().map(String::as_str);
        let mut weak_enough = known.filter(|word| strength(word) <= strength(wanted.name()));
        weak_enough
            .next_back()
            .or(self.efforts.first().map(String::as_str))
    }

    /// What its tokens cost; nothing when that is not known. Of a request that is
    /// long beyond usual it may be more.
    pub fn prices(&self) -> Option<Prices> {
        let Price {
            input,
            output,
            read,
            ..
        } = self.price?;
        Some(Prices {
            input,
            output,
            cached: read,
        })
    }

    /// What a call costs, rounded up to a micro-dollar; nothing when no price
    /// is known.
    pub fn cost(&self, usage: &Usage) -> Option<Cost> {
        let price = match self.long {
            Some(long) if sent(usage) > long.above => Price {
                input: long.input,
                output: long.output,
                read: long.read,
                write: long.write,
            },
            _ => self.price?,
        };
        let parts = [
            (usage.input, price.input),
            (usage.output, price.output),
            (usage.cache_read, price.read),
            (usage.cache_write, price.write),
        ];
        let total: u128 = parts
            .iter()
            .map(|(tokens, price)| u128::from(*tokens) * u128::from(*price))
            .sum();
        let micros = total.div_ceil(1_000_000);
        Some(Cost(u64::try_from(micros).unwrap_or(u64::MAX)))
    }
}

fn sent(usage: &Usage) -> u64 {
    usage
        .input
        .saturating_add(usage.cache_read)
        .saturating_add(usage.cache_write)
}

/// How many strengths there are.
const STRONGEST: usize = 7;

/// How strong a word for effort is, ours and the providers' alike.
fn strength(word: &str) -> usize {
    const WORDS: [&[&str]; STRONGEST] = [
        &["none", "off"],
        &["minimal"],
        &["low"],
        &["medium"],
        &["high"],
        &["xhigh"],
        &["max"],
    ];
    let at = WORDS.iter().position(|words| words.contains(&word));
    at.unwrap_or(WORDS.len())
}

/// Puts the cost into a call's usage. A server on this machine costs nothing;
/// what the provider itself told (`told`, in dollars) counts more than the
/// catalogue; without either the cost is 0 and marked as unknown.
pub fn with_cost(usage: Usage, model: &str, is_local: bool, told: Option<f64>) -> Usage {
    // A fraction of a micro-dollar counts, the noise of a binary fraction not.
    let told = told
        .filter(|dollars| dollars.is_finite() && *dollars >= 0.0)
        .map(|dollars| Cost((dollars * 1e6 - 1e-4).ceil().max(0.0) as u64));
    let known = if is_local {
        Some(Cost(0))
    } else {
        told.or_else(|| find(model)?.cost(&usage))
    };
    Usage {
        cost: known.unwrap_or_default(),
        cost_unknown: known.is_none(),
        ..usage
    }
}

#[cfg(test)]
mod tests;
