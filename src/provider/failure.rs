//! What a provider's refusal means: status, headers and body become a
//! [`ModelError`] whose kind the turn acts on and whose message tells a person
//! what to do next.
//!
//! Pure. Knows the words of all providers at once, because compatible servers
//! mix them. Must never let a key through: see [`Peer::redact`].

mod details;

use std::time::Duration;

use greenroom_actors::ports::ModelError;
use greenroom_protocol::session::FailureKind;
use reqwest::header::HeaderMap;
use serde_json::Value;

use super::peer::Peer;
use details::Details;

/// The longest piece of a provider's own words in a message, in characters.
const QUOTE: usize = 600;

/// An answer that is no answer.
#[derive(Debug, Clone, Copy)]
pub struct Refused<'a> {
    /// The HTTP status, or the one that stands for an error within a stream.
    pub status: u16,
    /// The answer's headers; empty for an error within a stream.
    pub headers: &'a HeaderMap,
    /// The body, as far as it was read.
    pub body: &'a [u8],
}

/// Tells what a refusal means.
pub fn classify(refused: Refused<'_>, peer: &Peer) -> ModelError {
    let words = Words::read(refused.body);
    let kind = kind(refused.status, &words);
    let hint = refused
        .headers
        .get("x-should-retry")
        .and_then(|value| value.to_str().ok());
    let retryable = match hint {
        Some("true") => true,
        Some("false") => false,
        _ => is_passing(refused.status, kind),
    };
    let message = message(refused, kind, &words, peer);
    ModelError {
        kind,
        message: peer.redact(&message),
        retry_after: retryable
            .then(|| retry_after(refused.headers).or(words.google.retry_delay))
            .flatten(),
        retryable,
        usage: None,
    }
}

/// An error object within a stream: `{"type":…,"message":…,"code":…}`, alone or
/// under `error`.
pub fn classify_event(json: &str, peer: &Peer) -> ModelError {
    let words = Words::read(json.as_bytes());
    let refused = Refused {
        status: words.status(),
        headers: &HeaderMap::new(),
        body: json.as_bytes(),
    };
    classify(refused, peer)
}

/// A provider's own words for what is wrong.
#[derive(Debug, Default)]
struct Words {
    kind: String,
    code: String,
    message: String,
    google: Details,
}

impl Words {
    fn read(body: &[u8]) -> Words {
        let Ok(json) = serde_json::from_slice::<Value>(body) else {
            return Words {
                message: plain_text(body),
                ..Words::default()
            };
        };
        // Some servers wrap the object in a list.
        let json = match &json {
            Value::Array(list) => list.first().unwrap_or(&Value::Null),
            other => other,
        };
        let error = match json.get("error") {
            Some(error) => error,
            None => json,
        };
        let field = |name: &str| match error.get(name).or_else(|| json.get(name)) {
            Some(Value::String(text)) => text.clone(),
            Some(Value::Number(number)) => number.to_string(),
            _ => String::new(),
        };
        let message = match error {
            Value::String(text) => text.clone(),
            _ => [field("message"), field("detail")].concat(),
        };
        Words {
            kind: field("type"),
            code: field("code"),
            message,
            google: Details::read(error),
        }
    }

    fn says(&self, word: &str) -> bool {
        self.kind == word || self.code == word
    }

    fn mentions(&self, phrases: &[&str]) -> bool {
        let message = self.message.to_ascii_lowercase();
        phrases.iter().any(|phrase| message.contains(phrase))
    }

    fn out_of_credit(&self) -> bool {
        const CODES: [&str; 4] = [
            "insufficient_quota",
            "billing_hard_limit_reached",
            "billing_not_active",
            "billing_error",
        ];
        CODES.iter().any(|code| self.says(code))
            || self.mentions(&[
                "credit balance is too low",
                "insufficient credits",
                "insufficient balance",
                "credits are depleted",
            ])
            // Google says so of each minute's share too, with a time to wait.
            || (self.mentions(&["exceeded your current quota, please check your plan"])
                && (self.google.retry_delay.is_none() || self.google.is_daily))
    }

    fn too_long(&self) -> bool {
        const CODES: [&str; 4] = [
            "context_length_exceeded",
            "request_too_large",
            "string_above_max_length",
            "exceed_context_size_error",
        ];
        CODES.iter().any(|code| self.says(code))
            || self.mentions(&[
                "prompt is too long",
                "exceeds the maximum number of tokens allowed",
                "maximum context length",
                "context length exceeded",
                "exceeds the context window",
                "exceed context limit",
                "available context size",
                "reduce the length of the messages",
            ])
    }

    /// The HTTP status that says the same as an error within a stream.
    fn status(&self) -> u16 {
        if let Ok(status @ 400..=599) = self.code.parse() {
            return status;
        }
        match self.code.as_str() {
            "context_length_exceeded" | "invalid_prompt" => return 400,
            "rate_limit_exceeded" => return 429,
            "server_is_overloaded" | "slow_down" => return 503,
            _ => {}
        }
        match self.kind.as_str() {
            "invalid_request_error" => 400,
            "authentication_error" => 401,
            "billing_error" => 402,
            "permission_error" => 403,
            "not_found_error" => 404,
            "request_too_large" => 413,
            "rate_limit_error" | "rate_limit_exceeded" => 429,
            "timeout_error" => 504,
            "overloaded_error" => 529,
            _ => 500,
        }
    }
}

fn kind(status: u16, words: &Words) -> FailureKind {
    if status == 402 || words.out_of_credit() {
        return FailureKind::Quota;
    }
    if words.google.is_key_invalid {
        return FailureKind::Auth;
    }
    if status < 429 && words.too_long() {
        return FailureKind::TooLong;
    }
    match status {
        401 | 403 => FailureKind::Auth,
        429 => FailureKind::RateLimited,
        503 | 529 => FailureKind::Overloaded,
        _ if words.says("overloaded_error") => FailureKind::Overloaded,
        408 | 409 | 425 | 500.. => FailureKind::Broken,
        _ => FailureKind::Invalid,
    }
}

fn is_passing(status: u16, kind: FailureKind) -> bool {
    use FailureKind::{Auth, Invalid, Quota, TooLong};
    !matches!(kind, Auth | Quota | TooLong | Invalid) && !matches!(status, 501 | 505)
}

/// When the provider wants to be asked again: `retry-after-ms`, or
/// `retry-after` as seconds or as a date. A date is measured against the
/// answer's own `date`, so that our clock doesn't matter.
fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    const LONGEST: f64 = 24.0 * 3600.0;
    let text = |name: &str| Some(headers.get(name)?.to_str().ok()?.trim());
    let number = |name: &str| text(name)?.parse::<f64>().ok().filter(|n| n.is_finite());
    if let Some(ms) = number("retry-after-ms") {
        return Some(Duration::from_secs_f64((ms / 1000.0).clamp(0.0, LONGEST)));
    }
    if let Some(seconds) = number("retry-after") {
        return Some(Duration::from_secs_f64(seconds.clamp(0.0, LONGEST)));
    }
    let date = |name: &str| jiff::fmt::rfc2822::parse(text(name)?).ok();
    let (then, now) = (date("retry-after")?, date("date")?);
    let seconds = then.timestamp().as_second() - now.timestamp().as_second();
    Some(Duration::from_secs_f64(
        (seconds as f64).clamp(0.0, LONGEST),
    ))
}

fn message(refused: Refused<'_>, kind: FailureKind, words: &Words, peer: &Peer) -> String {
    let name = peer.name();
    let status = refused.status;
    // Before it is cut: half a key would not be known for one.
    let quote = match shortened(&peer.redact(&words.message)) {
        text if text.is_empty() => String::new(),
        text => format!(": {text}"),
    };
    match (kind, status) {
        // What a provider says of a key may hold a part of it: not quoted.
        (FailureKind::Auth, 401) => peer.key_refused(),
        (FailureKind::Auth, _) if words.google.is_key_invalid => peer.key_refused(),
        (FailureKind::Auth, _) => format!(
            "provider `{name}` does not allow this (HTTP {status}){quote}; check what the key may do and that the account may use the model"
        ),
        (FailureKind::Quota, _) => format!(
            "the account at provider `{name}` has no credit left (HTTP {status}){quote}; add credit there or choose another provider"
        ),
        (FailureKind::TooLong, _) => format!(
            "the conversation is too long for the model (HTTP {status}){quote}; compact it or start a new one"
        ),
        (FailureKind::RateLimited, _) => {
            format!("provider `{name}` asks to slow down (HTTP {status}){quote}")
        }
        (FailureKind::Overloaded, _) => {
            format!("provider `{name}` has no capacity right now (HTTP {status}){quote}")
        }
        (FailureKind::Invalid, 300..=399) => format!(
            "provider `{name}` answers with a redirect (HTTP {status}){}; put the final address into its base_url",
            location(refused.headers)
        ),
        (FailureKind::Invalid, 404 | 405) => format!(
            "provider `{name}` knows no such model or address (HTTP {status}){quote}; check the model's name and the base_url {}",
            peer.shown_url()
        ),
        (FailureKind::Invalid, _) => {
            format!("provider `{name}` found the request wrong (HTTP {status}){quote}")
        }
        _ => format!("provider `{name}` failed (HTTP {status}){quote}"),
    }
}

fn location(headers: &HeaderMap) -> String {
    let target = headers
        .get("location")
        .and_then(|value| value.to_str().ok());
    target.map(|to| format!(" to {to}")).unwrap_or_default()
}

/// A body that is no JSON: plain words are worth quoting, a web page is not.
fn plain_text(body: &[u8]) -> String {
    let text = String::from_utf8_lossy(body);
    if text.trim_start().starts_with('<') {
        return String::new();
    }
    text.into_owned()
}

/// One line, not endless, without control characters.
fn shortened(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let line = words.join(" ");
    let mut kept: String = line
        .chars()
        .filter(|c| !c.is_control())
        .take(QUOTE)
        .collect();
    if kept.len() < line.len() {
        kept.push('…');
    }
    kept
}

#[cfg(test)]
mod tests;
