//! The keys of a script as they are written, and the checks that make a
//! [`Script`] of them. `examples/scripts/README.md` documents each.

use std::time::Duration;

use greenroom_protocol::session::{Cost, FailureKind, Stop, Usage};
use serde_json::Value;

use super::script::{
    Burst, Ending, Fail, Input, ModelKeys, Script, ScriptedCall, Step, Turn, When,
};

/// The longest waiting time of a key, in milliseconds: one day.
const LONGEST_WAIT_MS: u64 = 86_400_000;
/// The longest burst, in bytes: it is also kept as the message's text.
const LONGEST_BURST: u64 = 64 << 20;
/// The dearest call, in dollars.
const DEAREST: f64 = 1e6;

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawScript {
    #[serde(default)]
    model: ModelKeys,
    #[serde(default)]
    turns: Vec<Turn>,
    otherwise: Option<Vec<Step>>,
}

impl TryFrom<RawScript> for Script {
    type Error = String;

    fn try_from(raw: RawScript) -> Result<Script, String> {
        if raw.turns.is_empty() && raw.otherwise.is_none() {
            return Err("a script needs `turns` or `otherwise`".into());
        }
        if let Some(steps) = &raw.otherwise {
            check_steps("otherwise", steps)?;
        }
        Ok(Script {
            model: raw.model,
            turns: raw.turns,
            otherwise: raw.otherwise,
        })
    }
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TurnKeys {
    when: When,
    steps: Vec<Step>,
}

impl TryFrom<TurnKeys> for Turn {
    type Error = String;

    fn try_from(raw: TurnKeys) -> Result<Turn, String> {
        check_steps("steps", &raw.steps)?;
        Ok(Turn {
            when: raw.when,
            steps: raw.steps,
        })
    }
}

fn check_steps(key: &str, steps: &[Step]) -> Result<(), String> {
    let Some((_, earlier)) = steps.split_last() else {
        return Err(format!("`{key}` needs at least one step"));
    };
    if earlier.iter().any(|step| step.repeat) {
        return Err("`repeat` is for the last step: the ones after it would never play".into());
    }
    Ok(())
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct StepKeys {
    say: Option<String>,
    think: Option<String>,
    #[serde(default)]
    call: Vec<ScriptedCall>,
    usage: Option<UsageKeys>,
    #[serde(default)]
    delay_ms: u64,
    #[serde(default)]
    pace_ms: u64,
    pieces: Option<u64>,
    piece: Option<String>,
    fail: Option<FailKeys>,
    #[serde(default)]
    hang: bool,
    stop: Option<StopKey>,
    #[serde(default)]
    repeat: bool,
}

#[derive(serde::Deserialize, Clone, Copy)]
#[serde(rename_all = "snake_case")]
enum StopKey {
    MaxTokens,
    Refusal,
}

impl TryFrom<StepKeys> for Step {
    type Error = String;

    fn try_from(raw: StepKeys) -> Result<Step, String> {
        let burst = burst(raw.pieces, raw.piece)?;
        let says_something = raw.say.is_some() || raw.think.is_some() || raw.pieces.is_some();
        if !says_something && raw.call.is_empty() && raw.fail.is_none() && !raw.hang {
            return Err(
                "a step needs one of `say`, `think`, `call`, `pieces`, `fail`, `hang`".into(),
            );
        }
        let stop = match raw.stop {
            Some(StopKey::MaxTokens) => Stop::MaxTokens,
            Some(StopKey::Refusal) => Stop::Refusal,
            None if raw.call.is_empty() => Stop::End,
            None => Stop::Calls,
        };
        let ending = match (raw.fail, raw.hang) {
            (Some(_), true) => return Err("a step has `fail` or `hang`, not both".into()),
            (Some(fail), false) => Ending::Fail(fail.checked(stop)?),
            (None, true) => Ending::Hang,
            (None, false) => Ending::Whole(stop),
        };
        Ok(Step {
            think: raw.think.unwrap_or_default(),
            say: raw.say.unwrap_or_default(),
            burst,
            calls: raw.call,
            usage: raw.usage.map(UsageKeys::checked).transpose()?,
            delay: wait("delay_ms", raw.delay_ms)?,
            pace: wait("pace_ms", raw.pace_ms)?,
            ending,
            repeat: raw.repeat,
        })
    }
}

fn burst(pieces: Option<u64>, piece: Option<String>) -> Result<Burst, String> {
    let piece = match (pieces, piece) {
        (None, None) => return Ok(Burst::default()),
        (None, Some(_)) => return Err("`piece` needs `pieces`, their number".into()),
        (Some(_), piece) => piece.unwrap_or_else(|| "word ".into()),
    };
    if piece.is_empty() {
        return Err("`piece` is empty: give it a text or leave it out".into());
    }
    let pieces = pieces.unwrap_or_default();
    if pieces.saturating_mul(piece.len() as u64) > LONGEST_BURST {
        return Err(format!(
            "`pieces` times `piece` is over {LONGEST_BURST} bytes: lower `pieces`"
        ));
    }
    Ok(Burst { pieces, piece })
}

fn wait(key: &str, ms: u64) -> Result<Duration, String> {
    if ms > LONGEST_WAIT_MS {
        return Err(format!(
            "`{key}` is over {LONGEST_WAIT_MS} (one day): lower it, or use `hang`"
        ));
    }
    Ok(Duration::from_millis(ms))
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct UsageKeys {
    #[serde(default)]
    input: u64,
    #[serde(default)]
    output: u64,
    #[serde(default)]
    cache_read: u64,
    #[serde(default)]
    cache_write: u64,
    #[serde(default)]
    cost: f64,
}

impl UsageKeys {
    fn checked(self) -> Result<Usage, String> {
        if !(0.0..=DEAREST).contains(&self.cost) {
            return Err(format!(
                "`usage.cost` is in dollars, from 0 to {DEAREST}: it can't be {}",
                self.cost
            ));
        }
        Ok(Usage {
            input: self.input,
            output: self.output,
            cache_read: self.cache_read,
            cache_write: self.cache_write,
            cost: Cost((self.cost * 1e6).round() as u64),
            cost_unknown: false,
        })
    }
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct FailKeys {
    kind: KindKey,
    message: Option<String>,
    retry_after_ms: Option<u64>,
    times: Option<u32>,
    #[serde(default)]
    after_pieces: u64,
}

#[derive(serde::Deserialize, Clone, Copy)]
#[serde(rename_all = "snake_case")]
enum KindKey {
    Overloaded,
    RateLimited,
    Auth,
    Quota,
    TooLong,
    Invalid,
    Broken,
    Stalled,
}

impl FailKeys {
    fn checked(self, then: Stop) -> Result<Fail, String> {
        let (kind, words) = match self.kind {
            KindKey::Overloaded => (FailureKind::Overloaded, "the provider is overloaded"),
            KindKey::RateLimited => (FailureKind::RateLimited, "the rate limit is reached"),
            KindKey::Auth => (FailureKind::Auth, "the key is not accepted"),
            KindKey::Quota => (FailureKind::Quota, "no credit is left"),
            KindKey::TooLong => (FailureKind::TooLong, "the conversation is too long"),
            KindKey::Invalid => (FailureKind::Invalid, "the request is not valid"),
            KindKey::Broken => (FailureKind::Broken, "the connection broke"),
            KindKey::Stalled => (FailureKind::Stalled, "nothing came for too long"),
        };
        let retry_after = self
            .retry_after_ms
            .map(|ms| wait("fail.retry_after_ms", ms));
        Ok(Fail {
            kind,
            message: self
                .message
                .unwrap_or_else(|| format!("{words} (as the script says)")),
            retry_after: retry_after.transpose()?,
            times: self.times,
            after_pieces: self.after_pieces,
            then,
        })
    }
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CallKeys {
    tool: String,
    input: Option<Value>,
    input_text: Option<String>,
    call_id: Option<String>,
}

impl TryFrom<CallKeys> for ScriptedCall {
    type Error = String;

    fn try_from(raw: CallKeys) -> Result<ScriptedCall, String> {
        let input = match (raw.input, raw.input_text) {
            (Some(_), Some(_)) => return Err("a call has `input` or `input_text`, not both".into()),
            (None, None) => Input::Json(Value::Object(serde_json::Map::new())),
            (None, Some(text)) => Input::Verbatim(text),
            (Some(Value::Object(map)), None) => Input::Json(Value::Object(map)),
            (Some(_), None) => {
                return Err(
                    "`input` is a map of the tool's fields: use `input_text` for anything else"
                        .into(),
                );
            }
        };
        Ok(ScriptedCall {
            tool: raw.tool,
            input,
            call_id: raw.call_id,
        })
    }
}
