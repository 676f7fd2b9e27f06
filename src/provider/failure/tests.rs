use std::time::Duration;

use greenroom_actors::ports::ModelError;
use greenroom_protocol::session::FailureKind::{self, *};
use reqwest::header::{HeaderMap, HeaderName};

use super::{Refused, classify, classify_event, retry_after};
use crate::provider::Wire;
use crate::provider::testing::{KEY, peer};

fn headers(pairs: &[(&str, &str)]) -> HeaderMap {
    let pair = |(name, value): &(&str, &str)| {
        (name.parse::<HeaderName>().unwrap(), value.parse().unwrap())
    };
    pairs.iter().map(pair).collect()
}

fn refused(status: u16, pairs: &[(&str, &str)], body: &str) -> ModelError {
    let peer = peer(
        "openai",
        Wire::OpenAiChat,
        "https://u:p@api.openai.com/v1?k=v",
    );
    let refused = Refused {
        status,
        headers: &headers(pairs),
        body: body.as_bytes(),
    };
    classify(refused, &peer)
}

/// What Gemini's free tier answers.
fn google_quota(period: &str) -> String {
    format!(
        r#"{{"error":{{"code":429,"message":"You exceeded your current quota, please check your plan and billing details.","status":"RESOURCE_EXHAUSTED","details":[{{"@type":"type.googleapis.com/google.rpc.QuotaFailure","violations":[{{"quotaMetric":"m","quotaId":"GenerateRequests{period}PerProjectPerModel-FreeTier"}}]}},{{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"37s"}}]}}}}"#
    )
}

#[test]
fn a_body_may_say_when_to_come_back() {
    let error = refused(429, &[], &google_quota("PerMinute"));
    assert_eq!(error.retry_after, Some(Duration::from_secs(37)));
    let headers = refused(429, &[("retry-after", "5")], &google_quota("PerMinute"));
    assert_eq!(headers.retry_after, Some(Duration::from_secs(5)));
}

#[test]
fn kinds() {
    let openai = |code: &str, message: &str| {
        format!(
            r#"{{"error":{{"message":"{message}","type":"invalid_request_error","param":null,"code":"{code}"}}}}"#
        )
    };
    let anthropic = |kind: &str, message: &str| {
        format!(
            r#"{{"type":"error","error":{{"type":"{kind}","message":"{message}"}},"request_id":"req_1"}}"#
        )
    };
    let cases: Vec<(u16, String, FailureKind, bool)> = vec![
        (400, openai("", "wrong"), Invalid, false),
        (400, openai("context_length_exceeded", "This model's maximum context length is 128000 tokens"), TooLong, false),
        (400, anthropic("invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum"), TooLong, false),
        (400, anthropic("invalid_request_error", "input length and `max_tokens` exceed context limit: 190000 + 32000 > 200000"), TooLong, false),
        (400, anthropic("invalid_request_error", "Your credit balance is too low to access the Anthropic API."), Quota, false),
        (400, r#"{"error":{"code":400,"message":"the request exceeds the available context size","type":"exceed_context_size_error"}}"#.into(), TooLong, false),
        (400, r#"{"object":"error","message":"This model's maximum context length is 4096 tokens","code":400}"#.into(), TooLong, false),
        (401, anthropic("authentication_error", "invalid x-api-key"), Auth, false),
        (401, openai("invalid_api_key", "Incorrect API key provided: sk-te**6789"), Auth, false),
        (402, r#"{"error":{"message":"Insufficient credits","code":402}}"#.into(), Quota, false),
        (403, anthropic("permission_error", "no"), Auth, false),
        (404, anthropic("not_found_error", "model: claude-x"), Invalid, false),
        (404, "<html>nginx</html>".into(), Invalid, false),
        (408, String::new(), Broken, true),
        (409, String::new(), Broken, true),
        (413, anthropic("request_too_large", "Request exceeds the maximum size"), TooLong, false),
        (413, "<html>Request Entity Too Large</html>".into(), Invalid, false),
        (422, r#"{"detail":[{"loc":["body"],"msg":"x"}]}"#.into(), Invalid, false),
        (429, openai("rate_limit_exceeded", "Rate limit reached"), RateLimited, true),
        (429, openai("insufficient_quota", "You exceeded your current quota, please check your plan and billing details."), Quota, false),
        (429, anthropic("rate_limit_error", "too many"), RateLimited, true),
        (429, anthropic("rate_limit_error", "prompt is too long for your tier"), RateLimited, true),
        (500, anthropic("api_error", "Internal server error"), Broken, true),
        (501, String::new(), Broken, false),
        (502, "Bad Gateway".into(), Broken, true),
        (503, String::new(), Overloaded, true),
        (504, String::new(), Broken, true),
        (529, anthropic("overloaded_error", "Overloaded"), Overloaded, true),
        (500, anthropic("overloaded_error", "Overloaded"), Overloaded, true),
        (302, String::new(), Invalid, false),
        (400, r#"{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"API_KEY_INVALID","domain":"googleapis.com"}]}}"#.into(), Auth, false),
        (400, r#"{"error":{"code":400,"message":"The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).","status":"INVALID_ARGUMENT"}}"#.into(), TooLong, false),
        (403, r#"{"error":{"code":403,"message":"Method doesn't allow unregistered callers","status":"PERMISSION_DENIED"}}"#.into(), Auth, false),
        (429, google_quota("PerMinute"), RateLimited, true),
        (429, google_quota("PerDay"), Quota, false),
        (503, r#"[{"error":{"code":503,"message":"The model is overloaded. Please try again later.","status":"UNAVAILABLE"}}]"#.into(), Overloaded, true),
    ];
    for (status, body, kind, retryable) in cases {
        let error = refused(status, &[], &body);
        assert_eq!(
            (error.kind, error.retryable),
            (kind, retryable),
            "{status} {body}"
        );
    }
}

#[test]
fn errors_within_a_stream() {
    let peer = peer("p", Wire::Anthropic, "https://p.test/v1");
    let cases = [
        ("overloaded_error", Overloaded, true),
        ("rate_limit_error", RateLimited, true),
        ("api_error", Broken, true),
        ("timeout_error", Broken, true),
        ("invalid_request_error", Invalid, false),
        ("authentication_error", Auth, false),
        ("permission_error", Auth, false),
        ("not_found_error", Invalid, false),
        ("request_too_large", TooLong, false),
        ("billing_error", Quota, false),
        ("an_error_of_tomorrow", Broken, true),
    ];
    for (name, kind, retryable) in cases {
        let json = format!(r#"{{"type":"error","error":{{"type":"{name}","message":"m"}}}}"#);
        let error = classify_event(&json, &peer);
        assert_eq!((error.kind, error.retryable), (kind, retryable), "{name}");
    }
}

#[test]
fn when_to_ask_again() {
    let after = |pairs: &[(&str, &str)]| retry_after(&headers(pairs));
    let seconds = |seconds| Some(Duration::from_secs(seconds));
    assert_eq!(after(&[]), None);
    assert_eq!(after(&[("retry-after", "7")]), seconds(7));
    assert_eq!(
        after(&[("retry-after", "0.5")]),
        Some(Duration::from_millis(500))
    );
    assert_eq!(
        after(&[("retry-after-ms", "250"), ("retry-after", "7")]),
        Some(Duration::from_millis(250))
    );
    assert_eq!(after(&[("retry-after", "-3")]), seconds(0));
    assert_eq!(after(&[("retry-after", "inf")]), None);
    assert_eq!(after(&[("retry-after", "1e300")]), seconds(24 * 3600));
    let date = ("date", "Wed, 21 Oct 2026 07:28:00 GMT");
    assert_eq!(
        after(&[("retry-after", "Wed, 21 Oct 2026 07:28:30 GMT"), date]),
        seconds(30)
    );
    assert_eq!(
        after(&[("retry-after", "Wed, 21 Oct 2026 07:27:00 GMT"), date]),
        seconds(0)
    );
    assert_eq!(
        after(&[("retry-after", "Wed, 21 Oct 2026 07:28:30 GMT")]),
        None
    );
    assert_eq!(after(&[("retry-after", "soon"), date]), None);
}

#[test]
fn what_the_provider_says_of_a_second_try_counts() {
    let again = refused(
        429,
        &[("x-should-retry", "false"), ("retry-after", "7")],
        "",
    );
    assert_eq!((again.retryable, again.retry_after), (false, None));
    let again = refused(400, &[("x-should-retry", "true"), ("retry-after", "7")], "");
    assert_eq!(
        (again.retryable, again.retry_after),
        (true, Some(Duration::from_secs(7)))
    );
    let again = refused(529, &[("x-should-retry", "perhaps")], "");
    assert!(again.retryable);
}

#[test]
fn messages_tell_the_next_step_and_no_secret() {
    let body = |message: &str| format!(r#"{{"error":{{"message":"{message}"}}}}"#);
    let cases = [
        (
            401,
            body("Incorrect API key provided: sk-te**6789"),
            "the key in OPENAI_API_KEY was not accepted by provider `openai`; put a valid one there",
        ),
        (
            403,
            body("no"),
            "provider `openai` does not allow this (HTTP 403): no; check what the key may do and that the account may use the model",
        ),
        (
            402,
            body("no"),
            "the account at provider `openai` has no credit left (HTTP 402): no; add credit there or choose another provider",
        ),
        (
            404,
            body("The model `x`\\n does not exist"),
            "provider `openai` knows no such model or address (HTTP 404): The model `x` does not exist; check the model's name and the base_url https://api.openai.com/v1",
        ),
        (
            400,
            body("prompt is too long"),
            "the conversation is too long for the model (HTTP 400): prompt is too long; compact it or start a new one",
        ),
        (
            400,
            body(&format!("you sent {KEY}")),
            "provider `openai` found the request wrong (HTTP 400): you sent [redacted]",
        ),
        (
            429,
            String::new(),
            "provider `openai` asks to slow down (HTTP 429)",
        ),
        (
            503,
            "<html>busy</html>".into(),
            "provider `openai` has no capacity right now (HTTP 503)",
        ),
        (
            500,
            "oops".into(),
            "provider `openai` failed (HTTP 500): oops",
        ),
    ];
    for (status, body, message) in cases {
        assert_eq!(refused(status, &[], &body).message, message);
    }
    let moved = refused(308, &[("location", "https://b.test/v1/")], "").message;
    let expected = "provider `openai` answers with a redirect (HTTP 308) to https://b.test/v1/; put the final address into its base_url";
    assert_eq!(moved, expected);
    let long = refused(400, &[], &body(&"wörd ".repeat(5000))).message;
    assert!(long.chars().count() < 700, "{long}");
}

#[test]
fn a_body_of_any_shape_is_taken() {
    for body in [
        "",
        "null",
        "[]",
        "[1]",
        "\"x\"",
        "{\"error\":null}",
        "{\"error\":[]}",
        "\u{0}",
    ] {
        assert_eq!(refused(400, &[], body).kind, Invalid, "{body:?}");
    }
    let listed = refused(
        400,
        &[],
        r#"[{"error":{"code":400,"message":"API key not valid"}}]"#,
    );
    assert!(
        listed.message.ends_with(": API key not valid"),
        "{}",
        listed.message
    );
}
