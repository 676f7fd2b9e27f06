//! Refusals: what kind each is, whether it may pass, and what is said.

use std::time::Duration;

use greenroom_protocol::session::FailureKind::{self, *};

use super::{KEY, Rig, joined, text};
use crate::mock_model::{Answer, Reply, Service, Trouble};

/// The kind; whether it may pass; when to ask again, in milliseconds.
type Meaning = (FailureKind, bool, Option<u64>);

fn meaning(service: Service, trouble: Trouble) -> Meaning {
    match trouble {
        Trouble::BadRequest | Trouble::NoSuchModel => (Invalid, false, None),
        Trouble::TooLong => (TooLong, false, None),
        Trouble::WrongKey | Trouble::Forbidden => (Auth, false, None),
        Trouble::NoCredit | Trouble::NoQuota => (Quota, false, None),
        Trouble::TimedOut | Trouble::ServerError | Trouble::BadGateway => (Broken, true, None),
        Trouble::Unavailable => (Overloaded, true, Some(30_000)),
        Trouble::Overloaded => (Overloaded, true, None),
        Trouble::RateLimited => match service {
            Service::OpenAi => (RateLimited, true, Some(3_106)),
            Service::Anthropic => (RateLimited, true, Some(17_000)),
        },
        // Anthropic's word says that the conversation is what is too large.
        Trouble::TooLarge => match service {
            Service::OpenAi => (Invalid, false, None),
            Service::Anthropic => (TooLong, false, None),
        },
    }
}

#[tokio::test]
async fn each_refusal_has_its_meaning_and_is_asked_once() {
    for service in Service::ALL {
        for trouble in Trouble::ALL {
            let rig = Rig::new(service).await;
            rig.mock.push(Reply::trouble(trouble));
            let (chunks, answer) = rig.ask().await;
            let error = answer.unwrap_err();
            let (kind, retryable, retry_after) = meaning(service, trouble);
            let case = format!("{service:?} {trouble:?}: {error:?}");
            assert_eq!(chunks, [], "{case}");
            assert_eq!((error.kind, error.retryable), (kind, retryable), "{case}");
            assert_eq!(
                error.retry_after,
                retry_after.map(Duration::from_millis),
                "{case}"
            );
            assert!(!error.message.contains(KEY), "{case}");
            assert!(!error.message.contains('<'), "{case} quotes no web page");
            assert!(
                error.message.starts_with(|c: char| !c.is_uppercase()),
                "{case}"
            );
            let names_it = kind == TooLong || error.message.contains("`mock`");
            assert!(names_it, "{case} names the provider");
            assert_eq!(rig.mock.requests().len(), 1, "{case}");
        }
    }
}

#[tokio::test]
async fn a_wrong_key_is_told_with_the_place_to_mend_it() {
    for service in Service::ALL {
        let rig = Rig::new(service).await;
        rig.mock.push(Reply::trouble(Trouble::WrongKey));
        let (_, answer) = rig.ask().await;
        assert_eq!(
            answer.unwrap_err().message,
            "the key in key_env or key_file of provider `mock` was not accepted by provider \
             `mock`; put a valid one there",
            "{service:?}"
        );
    }
}

#[tokio::test]
async fn headers_say_when_to_ask_again() {
    let cases = [
        (("retry-after", "0"), Some(0)),
        (("retry-after", "1.5"), Some(1_500)),
        (
            ("retry-after", "Tue, 01 Dec 2026 09:01:00 GMT"),
            Some(60_000),
        ),
        // A date that is past means now.
        (("retry-after", "Tue, 01 Dec 2026 08:00:00 GMT"), Some(0)),
        (("retry-after", "soon"), None),
        (("retry-after", "-5"), Some(0)),
        (("retry-after", "NaN"), None),
        (("retry-after-ms", "250"), Some(250)),
    ];
    for service in Service::ALL {
        for ((name, value), expected) in cases {
            let rig = Rig::new(service).await;
            rig.mock
                .push(Reply::trouble(Trouble::Overloaded).header(name, value));
            let (_, answer) = rig.ask().await;
            let told = answer.unwrap_err().retry_after;
            assert_eq!(
                told,
                expected.map(Duration::from_millis),
                "{service:?} {value}"
            );
        }
    }
}

#[tokio::test]
async fn the_service_may_say_itself_whether_to_ask_again() {
    for service in Service::ALL {
        for (trouble, hint) in [
            (Trouble::Overloaded, "false"),
            (Trouble::BadRequest, "true"),
        ] {
            let rig = Rig::new(service).await;
            rig.mock
                .push(Reply::trouble(trouble).header("x-should-retry", hint));
            let (_, answer) = rig.ask().await;
            assert_eq!(
                answer.unwrap_err().retryable,
                hint == "true",
                "{service:?} {trouble:?}"
            );
        }
    }
}

#[tokio::test]
async fn errors_within_a_stream_have_the_same_meanings() {
    let cases = [
        (
            Service::Anthropic,
            "event: error\ndata: {\"type\":\"error\",\"error\":{\"details\":null,\
             \"type\":\"overloaded_error\",\"message\":\"Overloaded\"},\"request_id\":null}\n\n",
            (Overloaded, true),
        ),
        (
            Service::Anthropic,
            "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"api_error\",\
             \"message\":\"Internal server error\"}}\n\n",
            (Broken, true),
        ),
        (
            Service::Anthropic,
            "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"rate_limit_error\",\
             \"message\":\"slow down\"}}\n\n",
            (RateLimited, true),
        ),
        (
            Service::Anthropic,
            "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\
             \"invalid_request_error\",\"message\":\"prompt is too long: 9 tokens > 8\"}}\n\n",
            (TooLong, false),
        ),
        (
            Service::OpenAi,
            "data: {\"error\":{\"message\":\"The server had an error while processing your \
             request. Sorry about that!\",\"type\":\"server_error\",\"param\":null,\
             \"code\":null}}\n\n",
            (Broken, true),
        ),
        // OpenRouter's form.
        (
            Service::OpenAi,
            "data: {\"id\":\"gen-1\",\"object\":\"chat.completion.chunk\",\"created\":1,\
             \"model\":\"m\",\"provider\":\"p\",\"error\":{\"code\":502,\"message\":\"Provider \
             returned error\"},\"choices\":[{\"index\":0,\"delta\":{\"content\":\"\"},\
             \"finish_reason\":\"error\"}]}\n\n",
            (Broken, true),
        ),
        (
            Service::OpenAi,
            "data: {\"error\":{\"code\":429,\"message\":\"Rate limit exceeded\"}}\n\n",
            (RateLimited, true),
        ),
    ];
    for (service, event, expected) in cases {
        let rig = Rig::new(service).await;
        let whole = String::from_utf8(service.stream(&Answer::new().say(&["so far"]))).unwrap();
        let said = whole.find("so far").unwrap();
        let end = said + whole[said..].find("\n\n").unwrap() + 2;
        rig.mock
            .push(Reply::stream(format!("{}{event}", &whole[..end])));
        let (chunks, answer) = rig.ask().await;
        let error = answer.unwrap_err();
        assert_eq!(joined(&chunks), [text("so far")], "{event}");
        assert_eq!((error.kind, error.retryable), expected, "{event}: {error}");
    }
}

#[tokio::test]
async fn a_redirect_is_not_followed() {
    for service in Service::ALL {
        let rig = Rig::new(service).await;
        let target = format!("{}/elsewhere", rig.mock.url());
        rig.mock
            .push(Reply::stream("").status(307).header("location", &target));
        let (_, answer) = rig.ask().await;
        let error = answer.unwrap_err();
        assert_eq!((error.kind, error.retryable), (Invalid, false), "{error}");
        assert!(error.message.contains("base_url"), "{error}");
        assert_eq!(rig.mock.requests().len(), 1, "{service:?}");
    }
}
