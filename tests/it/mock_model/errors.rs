//! The services' refusals: status, headers and body as they send them.

use serde_json::{Value, json};

use super::Service;

/// What goes wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trouble {
    BadRequest,
    TooLong,
    WrongKey,
    /// By OpenRouter's or Anthropic's status 402.
    NoCredit,
    /// As the services themselves say it: OpenAI with 429, Anthropic with 400.
    NoQuota,
    Forbidden,
    NoSuchModel,
    TimedOut,
    TooLarge,
    RateLimited,
    ServerError,
    /// A proxy's page.
    BadGateway,
    Unavailable,
    /// Anthropic's status 529; OpenAI's compatible servers send it too.
    Overloaded,
}

/// A refusal, ready to send.
pub(super) struct Refusal {
    pub status: u16,
    pub headers: Vec<(&'static str, &'static str)>,
    pub body: String,
}

impl Trouble {
    pub const ALL: [Trouble; 14] = [
        Trouble::BadRequest,
        Trouble::TooLong,
        Trouble::WrongKey,
        Trouble::NoCredit,
        Trouble::NoQuota,
        Trouble::Forbidden,
        Trouble::NoSuchModel,
        Trouble::TimedOut,
        Trouble::TooLarge,
        Trouble::RateLimited,
        Trouble::ServerError,
        Trouble::BadGateway,
        Trouble::Unavailable,
        Trouble::Overloaded,
    ];

    /// `key` is what the client sent: OpenAI quotes it, mostly starred out, and
    /// careless compatible servers quote it whole.
    pub(super) fn refusal(self, service: Service, key: &str) -> Refusal {
        if self == Trouble::BadGateway {
            return bad_gateway();
        }
        match service {
            Service::OpenAi => openai(self, key),
            Service::Anthropic => anthropic(self, key),
        }
    }
}

fn openai(trouble: Trouble, key: &str) -> Refusal {
    let error = |message: &str, kind: &str, param: Value, code: Value| json!({"error": {"message": message, "type": kind, "param": param, "code": code}});
    let no = Value::Null;
    let wrong_key = format!(
        "Incorrect API key provided: {key}. You can find your API key at \
         https://platform.openai.com/account/api-keys."
    );
    let (status, body) = match trouble {
        Trouble::BadRequest => (
            400,
            error(
                "Invalid value: 'developr'. Supported values are: 'system', 'assistant', 'user'.",
                "invalid_request_error",
                json!("messages[0].role"),
                json!("invalid_value"),
            ),
        ),
        Trouble::TooLong => (
            400,
            error(
                "This model's maximum context length is 128000 tokens. However, your messages \
             resulted in 130204 tokens. Please reduce the length of the messages.",
                "invalid_request_error",
                json!("messages"),
                json!("context_length_exceeded"),
            ),
        ),
        Trouble::WrongKey => (
            401,
            error(
                &wrong_key,
                "invalid_request_error",
                no,
                json!("invalid_api_key"),
            ),
        ),
        Trouble::NoCredit => (
            402,
            json!({
            "error": {"message": "Insufficient credits. Add more at https://openrouter.ai/credits",
                "code": 402}, "user_id": "user_mock"}),
        ),
        Trouble::NoQuota => (
            429,
            error(
                "You exceeded your current quota, please check your plan and billing details.",
                "insufficient_quota",
                no,
                json!("insufficient_quota"),
            ),
        ),
        Trouble::Forbidden => (
            403,
            error(
                "Country, region, or territory not supported",
                "request_forbidden",
                no,
                json!("unsupported_country_region_territory"),
            ),
        ),
        Trouble::NoSuchModel => (
            404,
            error(
                "The model `mock` does not exist or you do not have access to it.",
                "invalid_request_error",
                no,
                json!("model_not_found"),
            ),
        ),
        Trouble::TimedOut => (
            408,
            json!({"error": {"message": "Request timed out", "code": 408}}),
        ),
        Trouble::TooLarge => (
            413,
            error(
                "Request body is too large.",
                "invalid_request_error",
                no,
                Value::Null,
            ),
        ),
        Trouble::RateLimited => (
            429,
            error(
                "Rate limit reached for mock in organization org-mock on tokens per min (TPM): Limit \
             30000, Used 29341, Requested 2212. Please try again in 3.106s.",
                "tokens",
                no,
                json!("rate_limit_exceeded"),
            ),
        ),
        Trouble::ServerError => (
            500,
            error(
                "The server had an error while processing your request. Sorry about that!",
                "server_error",
                no,
                Value::Null,
            ),
        ),
        Trouble::Unavailable => (
            503,
            error(
                "That model is currently overloaded with other requests. You can retry your request.",
                "server_error",
                no,
                Value::Null,
            ),
        ),
        Trouble::Overloaded => (
            529,
            json!({"error": {"message": "Overloaded", "code": 529}}),
        ),
        Trouble::BadGateway => unreachable!("a proxy's"),
    };
    let mut headers = vec![
        ("content-type", "application/json; charset=utf-8"),
        ("date", "Tue, 01 Dec 2026 09:00:00 GMT"),
        ("openai-version", "2020-10-01"),
        ("x-request-id", "req_6f1e2d3c4b5a69788796a5b4c3d2e1f0"),
        ("vary", "Origin"),
        ("server", "cloudflare"),
    ];
    match trouble {
        Trouble::RateLimited => headers.extend([
            ("retry-after", "4"),
            ("retry-after-ms", "3106"),
            ("x-ratelimit-remaining-tokens", "659"),
            ("x-ratelimit-reset-tokens", "3.106s"),
        ]),
        Trouble::Unavailable => headers.push(("retry-after", "Tue, 01 Dec 2026 09:00:30 GMT")),
        _ => {}
    }
    Refusal {
        status,
        headers,
        body: serde_json::to_string_pretty(&body).unwrap(),
    }
}

fn anthropic(trouble: Trouble, key: &str) -> Refusal {
    let careless = format!("invalid x-api-key: {key}");
    let (status, kind, message) = match trouble {
        Trouble::BadRequest => (
            400,
            "invalid_request_error",
            "messages.0.role: Input should be 'user' or 'assistant'",
        ),
        Trouble::TooLong => (
            400,
            "invalid_request_error",
            "prompt is too long: 208310 tokens > 200000 maximum",
        ),
        Trouble::WrongKey => (401, "authentication_error", careless.as_str()),
        Trouble::NoCredit => (
            402,
            "billing_error",
            "There's an issue with your billing or payment information.",
        ),
        Trouble::NoQuota => (
            400,
            "invalid_request_error",
            "Your credit balance is too low to access the Anthropic API. Please go to Plans & \
             Billing to upgrade or purchase credits.",
        ),
        Trouble::Forbidden => (
            403,
            "permission_error",
            "Your API key does not have permission to use the specified resource.",
        ),
        Trouble::NoSuchModel => (404, "not_found_error", "model: mock"),
        Trouble::TimedOut => (408, "timeout_error", "Request timed out"),
        Trouble::TooLarge => (
            413,
            "request_too_large",
            "Request exceeds the maximum allowed number of bytes.",
        ),
        Trouble::RateLimited => (
            429,
            "rate_limit_error",
            "This request would exceed your organization's rate limit of 40,000 input tokens per \
             minute.",
        ),
        Trouble::ServerError => (500, "api_error", "Internal server error"),
        Trouble::Unavailable => (503, "api_error", "Service Unavailable"),
        Trouble::Overloaded => (529, "overloaded_error", "Overloaded"),
        Trouble::BadGateway => unreachable!("a proxy's"),
    };
    let body = json!({
        "type": "error",
        "error": {"type": kind, "message": message},
        "request_id": "req_011CMockMockMockMockMock",
    });
    let mut headers = vec![
        ("content-type", "application/json"),
        ("date", "Tue, 01 Dec 2026 09:00:00 GMT"),
        ("request-id", "req_011CMockMockMockMockMock"),
        ("via", "1.1 google"),
        ("server", "cloudflare"),
    ];
    headers.push(match status {
        408 | 429 | 500.. => ("x-should-retry", "true"),
        _ => ("x-should-retry", "false"),
    });
    match trouble {
        Trouble::RateLimited => headers.extend([
            ("retry-after", "17"),
            ("anthropic-ratelimit-input-tokens-remaining", "0"),
        ]),
        Trouble::Unavailable => headers.push(("retry-after", "Tue, 01 Dec 2026 09:00:30 GMT")),
        _ => {}
    }
    Refusal {
        status,
        headers,
        body: body.to_string(),
    }
}

fn bad_gateway() -> Refusal {
    Refusal {
        status: 502,
        headers: vec![("content-type", "text/html"), ("server", "cloudflare")],
        body: "<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body>\r\n\
               <center><h1>502 Bad Gateway</h1></center>\r\n<hr><center>cloudflare</center>\r\n\
               </body>\r\n</html>\r\n"
            .into(),
    }
}
