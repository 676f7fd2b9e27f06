//! A script that was read and checked. How it is written stands in `keys`.

use std::time::Duration;

use greenroom_protocol::session::{FailureKind, Stop, Usage};
use serde::Deserialize;
use serde_json::Value;

use super::keys::{CallKeys, RawScript, StepKeys, TurnKeys};
use super::when::WhenKeys;

/// A whole script.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(try_from = "RawScript")]
pub(super) struct Script {
    /// What the model claims to be.
    pub model: ModelKeys,
    /// The first whose `when` holds answers.
    pub turns: Vec<Turn>,
    /// Answers the prompts that no turn takes. Nothing when the script has
    /// none.
    pub otherwise: Option<Vec<Step>>,
}

/// What the model claims to be.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct ModelKeys {
    /// In tokens. Default 200,000.
    pub context_window: u64,
    /// Whether pictures may be sent. Default true.
    pub images: bool,
    /// What it claims to cost. Default nothing.
    pub price: PriceKeys,
}

/// What the model claims to cost, in dollars per million tokens.
#[derive(Debug, Clone, Copy, PartialEq, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct PriceKeys {
    /// Of tokens read. Default 0.
    pub input: f64,
    /// Of tokens written. Default 0.
    pub output: f64,
}

impl Default for ModelKeys {
    fn default() -> ModelKeys {
        ModelKeys {
            context_window: 200_000,
            images: true,
            price: PriceKeys::default(),
        }
    }
}

/// What is played after one prompt.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(try_from = "TurnKeys")]
pub(super) struct Turn {
    /// Which prompts it answers.
    pub when: When,
    /// One a model call, at least one.
    pub steps: Vec<Step>,
}

/// Which prompts a turn answers: those for which all conditions hold. Letters'
/// case and blanks at the ends never matter.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(from = "WhenKeys")]
pub(super) struct When {
    /// The prompt has this in it; lower case.
    pub contains: Option<String>,
    /// The prompt is this; lower case.
    pub is: Option<String>,
    /// It is the n-th prompt of the conversation, from 1.
    pub prompt: Option<usize>,
}

/// One answer of the model.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(try_from = "StepKeys")]
pub(super) struct Step {
    /// Readable thinking, streamed first. A template.
    pub think: String,
    /// The text. A template.
    pub say: String,
    /// Streamed after the text, with nothing between.
    pub burst: Burst,
    /// The calls, written last.
    pub calls: Vec<ScriptedCall>,
    /// What the provider reports; nothing when it reports none.
    pub usage: Option<Usage>,
    /// Before the first piece.
    pub delay: Duration,
    /// Between two pieces.
    pub pace: Duration,
    /// How it ends.
    pub ending: Ending,
    /// It answers all further calls of its turn too.
    pub repeat: bool,
}

/// Many equal pieces of text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Burst {
    /// How many; 0 is none.
    pub pieces: u64,
    /// Each.
    pub piece: String,
}

/// A call of a tool, as it is written.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(try_from = "CallKeys")]
pub(super) struct ScriptedCall {
    /// The tool's name; it need not exist.
    pub tool: String,
    /// What it is given.
    pub input: Input,
    /// The provider's id; nothing means a counted one.
    pub call_id: Option<String>,
}

/// What a call is given.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Input {
    /// An object, in which strings are templates.
    Json(Value),
    /// These bytes, whatever they are.
    Verbatim(String),
}

/// How an answer ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Ending {
    /// Whole.
    Whole(Stop),
    /// It fails, and the same step is played again at the next try.
    Fail(Fail),
    /// Nothing more comes, for ever.
    Hang,
}

/// How a call fails.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fail {
    /// As what.
    pub kind: FailureKind,
    /// In words.
    pub message: String,
    /// When the provider wants to be asked again.
    pub retry_after: Option<Duration>,
    /// How often in one turn; afterwards the step answers. Nothing means
    /// always.
    pub times: Option<u32>,
    /// So many pieces come before it.
    pub after_pieces: u64,
    /// How the step ends once it no longer fails.
    pub then: Stop,
}

impl When {
    /// Whether a turn takes this prompt, the `number`-th of its conversation.
    pub fn takes(&self, prompt: &str, number: usize) -> bool {
        if self.prompt.is_some_and(|wanted| wanted != number) {
            return false;
        }
        if self.is.is_none() && self.contains.is_none() {
            return true;
        }
        let prompt = folded(head_of(prompt));
        self.is.as_ref().is_none_or(|text| prompt == *text)
            && self
                .contains
                .as_ref()
                .is_none_or(|text| prompt.contains(text))
    }
}

/// Conditions look at so much of a prompt, in bytes, so that a long one costs
/// no copy.
const LOOKED_AT: usize = 64 << 10;

fn head_of(prompt: &str) -> &str {
    &prompt[..prompt.floor_char_boundary(LOOKED_AT)]
}

/// A text as conditions compare it.
pub(super) fn folded(text: &str) -> String {
    text.trim().to_lowercase()
}
