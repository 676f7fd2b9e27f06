//! What Google adds to an error (`google.rpc.Status`): when to come back, which
//! quota was used up, that the key is none.

use std::time::Duration;

use serde_json::Value;

/// The longest time to come back after that is believed.
const LONGEST: Duration = Duration::from_secs(24 * 3600);

/// As far as they matter; all nothing in other providers' errors.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Details {
    /// `RetryInfo`
    pub retry_delay: Option<Duration>,
    /// `QuotaFailure` of a quota that comes back only the next day.
    pub is_daily: bool,
    /// `ErrorInfo` that says so; the status is 400.
    pub is_key_invalid: bool,
}

impl Details {
    /// Reads the details of an error object.
    pub fn read(error: &Value) -> Details {
        let mut details = Details::default();
        let list = error.get("details").and_then(Value::as_array);
        for detail in list.into_iter().flatten() {
            let text = |name: &str| detail.get(name).and_then(Value::as_str).unwrap_or("");
            let kind = text("@type").rsplit('.').next().unwrap_or("");
            match kind {
                "RetryInfo" => details.retry_delay = duration(text("retryDelay")),
                "QuotaFailure" => details.is_daily |= is_daily(detail),
                "ErrorInfo" => details.is_key_invalid |= text("reason") == "API_KEY_INVALID",
                _ => {}
            }
        }
        details
    }
}

fn is_daily(failure: &Value) -> bool {
    let violations = failure.get("violations").and_then(Value::as_array);
    violations.into_iter().flatten().any(|violation| {
        let id = violation.get("quotaId").and_then(Value::as_str);
        id.is_some_and(|id| id.contains("PerDay"))
    })
}

/// `37s`, `1.5s`
fn duration(text: &str) -> Option<Duration> {
    let seconds: f64 = text.strip_suffix('s')?.parse().ok()?;
    let duration = Duration::try_from_secs_f64(seconds).ok()?;
    Some(duration.min(LONGEST))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn details_are_read_and_nonsense_is_not() {
        let retry = |delay: &str| {
            let detail =
                json!({"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": delay});
            Details::read(&json!({"details": [detail]})).retry_delay
        };
        assert_eq!(retry("37s"), Some(Duration::from_secs(37)));
        assert_eq!(retry("1.5s"), Some(Duration::from_millis(1500)));
        assert_eq!(retry("99999999999s"), Some(LONGEST));
        for nonsense in ["", "s", "-1s", "NaNs", "1e999s", "5"] {
            assert_eq!(retry(nonsense), None, "{nonsense}");
        }
        for error in [
            json!({}),
            json!({"details": 1}),
            json!({"details": [1, {}]}),
        ] {
            assert_eq!(Details::read(&error), Details::default());
        }
    }
}
