use greenroom_actors::ports::Chunk;
use greenroom_protocol::session::{Cost, Stop};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::sync::mpsc;

use super::*;
use crate::provider::testing::{config, request, serve, serve_with, text, user};

fn providers(configs: Vec<ProviderConfig>) -> Providers {
    let connect = std::time::Duration::from_secs(10);
    Providers::new(configs, HttpSettings { connect })
}

fn choice(provider: &str, model: &str) -> ModelChoice {
    ModelChoice {
        provider: provider.into(),
        model: model.into(),
        effort: None,
    }
}

#[test]
fn facts_and_names() {
    let mut first = config("anthropic", Wire::Anthropic, "https://h.test/v1");
    first.model = "claude-sonnet-4-5".into();
    let second = config("local", Wire::OpenAiChat, "http://localhost/v1");
    let providers = providers(vec![first, second]);
    assert_eq!(providers.names(), ["anthropic", "local"]);
    let facts = |id: &str, context_window, images, prices: [u64; 3]| {
        let [input, output, cached] = prices;
        Some(ModelFacts {
            id: id.into(),
            context_window,
            images,
            prices: Some(Prices {
                input,
                output,
                cached,
            }),
        })
    };
    let told = |provider, model| providers.facts(&choice(provider, model));
    assert_eq!(
        told("anthropic", ""),
        facts(
            "claude-sonnet-4-5",
            Some(200_000),
            true,
            [3_000_000, 15_000_000, 300_000]
        )
    );
    assert_eq!(
        told("anthropic", "claude-opus-5-5"),
        facts(
            "claude-opus-5-5",
            Some(1_000_000),
            true,
            [4_000_000, 20_000_000, 200_000]
        )
    );
    assert_eq!(
        told("local", ""),
        facts("configured-model", None, true, [0; 3])
    );
    assert_eq!(
        told("local", "o3-mini"),
        facts("o3-mini", Some(200_000), false, [0; 3])
    );
    assert_eq!(told("nobody", ""), None);
}

async fn call(providers: &Providers, provider: &str) -> Result<ModelAnswer, ModelError> {
    let mut request = request("", None, vec![user(1, vec![text("Hi")])]);
    request.model.provider = provider.into();
    let (sink, _chunks) = mpsc::channel(16);
    providers.call(request, sink).await
}

#[tokio::test]
async fn who_is_not_configured_is_told() {
    let mut nameless = config("b", Wire::OpenAiChat, "http://localhost/v1");
    nameless.model = String::new();
    let providers = providers(vec![config("a", Wire::Anthropic, ""), nameless]);
    let error = call(&providers, "c").await.unwrap_err();
    assert_eq!(
        error.message,
        "no provider `c` is configured; there are: a, b"
    );
    let error = call(&providers, "b").await.unwrap_err();
    let expected = "provider `b` has no model: set one for the session or in the configuration";
    assert_eq!(error.message, expected);
    assert!(providers.reachable("c").await.is_err());
}

/// The head of an answer that is a stream.
const HEAD: &str =
    "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";

const ANTHROPIC: &str = "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"usage\":{\"input_tokens\":5,\"output_tokens\":1}}}\n\ndata: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"Hello\"}}\n\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"},\"usage\":{\"output_tokens\":2}}\n\ndata: {\"type\":\"message_stop\"}\n\n";
const OPENAI: &str = "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Hello\"},\"finish_reason\":\"stop\"}]}\n\ndata: {\"choices\":[],\"usage\":{\"prompt_tokens\":5,\"completion_tokens\":2}}\n\ndata: [DONE]\n\n";
const GEMINI: &str = "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"Hello\"}],\"role\":\"model\"},\"finishReason\":\"STOP\"}],\"usageMetadata\":{\"promptTokenCount\":5,\"candidatesTokenCount\":2}}\r\n\r\n";
const RESPONSES: &str = "event: response.output_text.delta\ndata: {\"type\":\"response.output_text.delta\",\"output_index\":0,\"delta\":\"Hello\"}\n\nevent: response.completed\ndata: {\"type\":\"response.completed\",\"response\":{\"status\":\"completed\",\"usage\":{\"input_tokens\":5,\"output_tokens\":2}}}\n\n";

#[tokio::test]
async fn a_call_over_each_wire() {
    for (wire, events, path) in [
        (Wire::Anthropic, ANTHROPIC, "POST /v1/messages "),
        (Wire::OpenAiChat, OPENAI, "POST /v1/chat/completions "),
        (Wire::OpenAiResponses, RESPONSES, "POST /v1/responses "),
        (
            Wire::Gemini,
            GEMINI,
            "POST /v1/models/configured-model:streamGenerateContent?alt=sse ",
        ),
    ] {
        let (base, asked) = serve([HEAD, events].concat()).await;
        let providers = providers(vec![config("p", wire, &base)]);
        let (sink, mut chunks) = mpsc::channel(16);
        let request = request("", None, vec![user(1, vec![text("Hi")])]);
        let answer = providers.call(request, sink).await.unwrap();
        assert_eq!(
            (&*answer.message.text, answer.message.stop),
            ("Hello", Stop::End)
        );
        let usage = answer.usage.unwrap();
        assert_eq!((usage.input, usage.output), (5, 2));
        assert_eq!((usage.cost, usage.cost_unknown), (Cost(0), false));
        let mut told = Vec::new();
        while let Some(chunk) = chunks.recv().await {
            told.push(chunk);
        }
        told.retain(|chunk| *chunk != Chunk::Alive);
        assert_eq!(told, [Chunk::Text("Hello".into())]);
        let asked = asked.await.unwrap();
        assert!(asked.starts_with(path), "{asked}");
        assert!(asked.contains("configured-model"), "{asked}");
    }
}

#[tokio::test]
async fn a_call_that_nobody_listens_to_ends() {
    for wire in [
        Wire::Anthropic,
        Wire::OpenAiChat,
        Wire::OpenAiResponses,
        Wire::Gemini,
    ] {
        nobody_listens(wire).await;
    }
}

async fn nobody_listens(wire: Wire) {
    // The stream says nothing more, and stays open until the client hangs up.
    let (base, server) = serve_with(|mut socket| async move {
        let answer = [HEAD, ": hi\n\n"].concat();
        socket.write_all(answer.as_bytes()).await.unwrap();
        let _ = socket.read_u8().await;
    })
    .await;
    let providers = providers(vec![config("p", wire, &base)]);
    let (sink, mut chunks) = mpsc::channel(16);
    let request = request("", None, vec![user(1, vec![text("Hi")])]);
    let call = tokio::spawn(providers.call(request, sink));
    assert_eq!(chunks.recv().await, Some(Chunk::Alive));
    drop(chunks);
    let error = call.await.unwrap().unwrap_err();
    assert_eq!((error.kind, error.retryable), (FailureKind::Broken, false));
    server.await.unwrap();
}

#[tokio::test]
async fn a_connection_that_breaks_within_an_answer_is_told() {
    for (wire, events) in [(Wire::OpenAiResponses, RESPONSES), (Wire::Gemini, GEMINI)] {
        for share in [3, 2] {
            let events = &events.as_bytes()[..events.len() / share];
            let (base, server) = serve([HEAD.as_bytes(), events].concat()).await;
            let providers = providers(vec![config("p", wire, &base)]);
            let error = call(&providers, "p").await.unwrap_err();
            assert_eq!((error.kind, error.retryable), (FailureKind::Broken, true));
            server.await.unwrap();
        }
    }
}

/// What the services answer instead of a stream.
#[tokio::test]
async fn refusals_of_the_services() {
    let openai = r#"{"error":{"message":"Rate limit reached for gpt-5 in organization org-x on tokens per min (TPM): Limit 30000, Used 29000, Requested 2000. Please try again in 2s.","type":"tokens","param":null,"code":"rate_limit_exceeded"}}"#;
    let gemini = r#"{"error":{"code":503,"message":"The model is overloaded. Please try again later.","status":"UNAVAILABLE","details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"2s"}]}}"#;
    for (wire, status, more, body, kind) in [
        (
            Wire::OpenAiResponses,
            "429 Too Many Requests",
            "retry-after: 2\r\n",
            openai,
            FailureKind::RateLimited,
        ),
        (
            Wire::Gemini,
            "503 Service Unavailable",
            "",
            gemini,
            FailureKind::Overloaded,
        ),
    ] {
        let length = body.len();
        let answer = format!(
            "HTTP/1.1 {status}\r\ncontent-type: application/json\r\n{more}content-length: {length}\r\n\r\n{body}"
        );
        let (base, server) = serve(answer).await;
        let error = call(&providers(vec![config("p", wire, &base)]), "p")
            .await
            .unwrap_err();
        let two_seconds = Some(std::time::Duration::from_secs(2));
        assert_eq!(
            (error.kind, error.retryable, error.retry_after),
            (kind, true, two_seconds)
        );
        server.await.unwrap();
    }
}

#[tokio::test]
async fn an_answer_without_end_is_cut_off() {
    let (base, server) = serve_with(|mut socket| async move {
        socket.write_all(HEAD.as_bytes()).await.unwrap();
        let comment = format!(": {}\n", "x".repeat(1024 * 1024));
        // Until the client hangs up.
        while socket.write_all(comment.as_bytes()).await.is_ok() {}
    })
    .await;
    let providers = providers(vec![config("p", Wire::OpenAiChat, &base)]);
    let (sink, mut chunks) = mpsc::channel(16);
    let request = request("", None, vec![user(1, vec![text("Hi")])]);
    let call = tokio::spawn(providers.call(request, sink));
    while chunks.recv().await.is_some() {}
    let error = call.await.unwrap().unwrap_err();
    assert_eq!((error.kind, error.retryable), (FailureKind::Broken, false));
    assert!(
        error.message.contains("longer than 64 MiB"),
        "{}",
        error.message
    );
    server.await.unwrap();
}

/// A document where a stream should be.
#[tokio::test]
async fn an_answer_that_is_no_stream_is_told() {
    let cases = [
        (
            "text/html",
            "<html>",
            FailureKind::Invalid,
            "answers with a web page",
        ),
        (
            "application/json",
            "{\"choices\":[]}",
            FailureKind::Invalid,
            "instead of a stream",
        ),
        (
            "application/json; charset=utf-8",
            "{\"error\":{\"type\":\"overloaded_error\",\"message\":\"busy\"}}",
            FailureKind::Overloaded,
            "has no capacity",
        ),
    ];
    for (kind, document, failure, words) in cases {
        let length = document.len();
        let answer = format!(
            "HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\ncontent-length: {length}\r\n\r\n{document}"
        );
        let (base, server) = serve(answer).await;
        let providers = providers(vec![config("p", Wire::Anthropic, &base)]);
        let error = call(&providers, "p").await.unwrap_err();
        assert_eq!(error.kind, failure, "{document}");
        assert!(error.message.contains(words), "{}", error.message);
        server.await.unwrap();
    }
}

async fn doctor(answer: &'static str) -> Result<String, String> {
    let (base, server) = serve(answer).await;
    let said = providers(vec![config("openai", Wire::OpenAiChat, &base)])
        .reachable("openai")
        .await;
    assert!(server.await.unwrap().starts_with("GET /v1/models "));
    said
}

#[tokio::test]
async fn what_the_doctor_says() {
    let good = "HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n{\"data\":[{\"id\":\"configured-model\"},{\"id\":\"b\"}]}";
    assert_eq!(
        doctor(good).await.unwrap(),
        "answers, and has model `configured-model`"
    );
    let other = "HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n{\"data\":[{\"id\":\"b\"}]}";
    assert_eq!(
        doctor(other).await.unwrap(),
        "answers, with 1 models; `configured-model` is not in its list, check the name if calls fail"
    );
    let page = "HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n<html>";
    assert!(doctor(page).await.unwrap_err().contains("check base_url"));
    let refused = "HTTP/1.1 401 Unauthorized\r\ncontent-length: 0\r\n\r\n";
    assert_eq!(
        doctor(refused).await.unwrap_err(),
        "the key in OPENAI_API_KEY was not accepted by provider `openai`; put a valid one there"
    );
}
