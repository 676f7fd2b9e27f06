use super::*;
use crate::provider::testing::{KEY, config, peer};

#[test]
fn addresses_are_joined_as_text() {
    let cases = [
        ("https://h.test/v1", "https://h.test/v1/models"),
        ("https://h.test/a/b/", "https://h.test/a/b/models"),
        ("https://h.test", "https://h.test/models"),
        (
            "https://h.test/v1?api-version=2",
            "https://h.test/v1/models?api-version=2",
        ),
    ];
    for (base, expected) in cases {
        assert_eq!(
            peer("p", Wire::OpenAiChat, base).address("models"),
            expected
        );
    }
    // A path may have a query of its own.
    let peer = peer("p", Wire::Gemini, "https://h.test/v1?k=v");
    assert_eq!(peer.address("m?alt=sse"), "https://h.test/v1/m?alt=sse&k=v");
}

#[test]
fn who_is_local() {
    let cases = [
        ("http://localhost:11434/v1", true),
        ("http://127.0.0.1:8000/v1", true),
        ("http://127.8.8.8/v1", true),
        ("http://[::1]:8000/v1", true),
        ("http://0.0.0.0:11434/v1", true),
        ("http://api.localhost/v1", true),
        ("http://10.0.0.1/v1", false),
        ("https://localhost.example.com/v1", false),
        ("nonsense", false),
    ];
    for (base, local) in cases {
        assert_eq!(
            peer("p", Wire::OpenAiChat, base).is_local(),
            local,
            "{base}"
        );
    }
}

fn sent(config: ProviderConfig) -> Vec<(String, String, bool)> {
    let headers = Peer::new(config).headers().unwrap();
    let mut sent: Vec<_> = headers
        .iter()
        .map(|(name, value)| {
            let text = value.to_str().unwrap().to_owned();
            (name.to_string(), text, value.is_sensitive())
        })
        .filter(|(name, ..)| name != "user-agent")
        .collect();
    sent.sort();
    sent
}

#[test]
fn headers_by_wire() {
    let line = |name: &str, value: &str, sensitive| (name.into(), value.into(), sensitive);
    let base = "https://h.test/v1";
    let anthropic = sent(config("p", Wire::Anthropic, base));
    let expected = [
        line("anthropic-version", "2023-06-01", false),
        line("x-api-key", KEY, true),
    ];
    assert_eq!(anthropic, expected);

    let gemini = sent(config("p", Wire::Gemini, base));
    assert_eq!(gemini, [line("x-goog-api-key", KEY, true)]);

    let mut openai = config("p", Wire::OpenAiChat, base);
    openai.headers = vec![("X-Title".into(), "Greenroom".into())];
    let bearer = format!("Bearer {KEY}");
    let expected = [
        line("authorization", &bearer, true),
        line("x-title", "Greenroom", true),
    ];
    assert_eq!(sent(openai.clone()), expected);

    // What is configured wins, and without a key there is none.
    openai.key = None;
    openai.headers = vec![("Authorization".into(), "Basic abc".into())];
    assert_eq!(sent(openai), [line("authorization", "Basic abc", true)]);
}

#[test]
fn headers_that_cannot_be_sent_are_told_without_their_values() {
    let mut wrong = config("p", Wire::OpenAiChat, "https://h.test/v1");
    wrong.headers = vec![("X-Secret".into(), "line\nbreak-0123456789".into())];
    let error = Peer::new(wrong.clone()).headers().unwrap_err();
    let expected = "provider `p`: headers: `X-Secret` cannot be sent; check its name and value";
    assert_eq!(error.message, expected);

    wrong.key = Some(crate::secret::Secret::new("sk-0123\n".into()));
    let error = Peer::new(wrong).headers().unwrap_err();
    assert_eq!(error.kind, FailureKind::Auth);
    assert!(!error.message.contains("sk-0123"), "{}", error.message);
}

#[test]
fn nothing_shows_the_key() {
    let mut config = config(
        "p",
        Wire::OpenAiChat,
        "https://user:pass@h.test:8443/v1?k=v",
    );
    config.headers = vec![("X-Auth".into(), "another-secret".into())];
    let peer = Peer::new(config);
    let redacted = peer.redact(&format!("a {KEY} b another-secret c"));
    assert_eq!(redacted, "a [redacted] b [redacted] c");
    assert_eq!(peer.shown_url(), "https://h.test:8443/v1");
    assert!(!format!("{:?}", peer.headers().unwrap()).contains(KEY));
}

#[test]
fn where_the_key_is_set() {
    let refused = |name: &str, has_key: bool| {
        let mut config = config(name, Wire::OpenAiChat, "https://h.test/v1");
        config.key = config.key.filter(|_| has_key);
        Peer::new(config).key_refused()
    };
    assert_eq!(
        refused("anthropic", true),
        "the key in ANTHROPIC_API_KEY was not accepted by provider `anthropic`; put a valid one there"
    );
    assert_eq!(
        refused("mine", false),
        "provider `mine` wants a key and none is set; put one in key_env or key_file of provider `mine`"
    );
}
