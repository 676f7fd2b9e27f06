use std::sync::Arc;

use super::*;
use crate::provider::HttpSettings;
use crate::provider::testing::{config, peer, serve};

fn http() -> Http {
    let connect = Duration::from_secs(10);
    Http::new(HttpSettings { connect })
}

async fn listed(wire: Wire, body: &str) -> (Result<Vec<ModelListing>, ModelError>, String) {
    let head = "HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n";
    let (base, asked) = serve([head, body].concat()).await;
    let told = live(&http(), wire, &peer("p", wire, &base)).await;
    let asked = asked.await.unwrap();
    (told, asked.lines().next().unwrap_or_default().to_owned())
}

fn shown(models: &[ModelListing]) -> Vec<(&str, Option<&str>, Option<u64>)> {
    let models = models.iter();
    models
        .map(|model| (model.id.as_str(), model.name.as_deref(), model.context))
        .collect()
}

#[tokio::test]
async fn lists_of_each_wire() {
    let (models, asked) = listed(Wire::OpenAiResponses, r#"{"object":"list","data":[{"id":"gpt-5","object":"model","owned_by":"openai"},{"id":"house"}]}"#).await;
    assert_eq!(asked, "GET /v1/models HTTP/1.1");
    assert_eq!(
        shown(&models.unwrap()),
        [("gpt-5", None, Some(400_000)), ("house", None, None)]
    );

    let (models, asked) = listed(Wire::Anthropic, r#"{"data":[{"type":"model","id":"claude-opus-4-5-20251101","display_name":"Claude Opus 4.5"}],"has_more":false,"first_id":"x","last_id":"x"}"#).await;
    assert_eq!(asked, "GET /v1/models?limit=1000 HTTP/1.1");
    assert_eq!(
        shown(&models.unwrap()),
        [(
            "claude-opus-4-5-20251101",
            Some("Claude Opus 4.5"),
            Some(200_000)
        )]
    );

    let (models, asked) = listed(Wire::Gemini, r#"{"models":[{"name":"models/gemini-2.5-pro","displayName":"Gemini 2.5 Pro","inputTokenLimit":7,"outputTokenLimit":5,"supportedGenerationMethods":["generateContent"]},{"name":"models/embedding-001","supportedGenerationMethods":["embedContent"]}]}"#).await;
    assert_eq!(asked, "GET /v1/models?pageSize=1000 HTTP/1.1");
    let models = models.unwrap();
    assert_eq!(
        shown(&models),
        [("gemini-2.5-pro", Some("Gemini 2.5 Pro"), Some(7))]
    );
    assert_eq!(models[0].efforts, ["low", "medium", "high"]);
}

#[tokio::test]
async fn what_is_no_list_is_told() {
    for body in ["<html>", "{}", "[]", r#"{"data":[{"name":"x"}]}"#] {
        let error = listed(Wire::OpenAiChat, body).await.0.unwrap_err();
        assert_eq!(error.kind, FailureKind::Invalid, "{body}");
        assert!(
            error.message.contains("check base_url"),
            "{}",
            error.message
        );
    }
}

#[test]
fn the_next_page_is_asked_for_by_its_name() {
    let next = |wire, json: &str| serde_json::from_str::<Page>(json).unwrap().next(wire);
    let more = r#"{"data":[],"has_more":true,"last_id":"m-9"}"#;
    assert_eq!(next(Wire::Anthropic, more).as_deref(), Some("after_id=m-9"));
    assert_eq!(next(Wire::OpenAiChat, more), None);
    let token = r#"{"models":[],"nextPageToken":"a+b="}"#;
    assert_eq!(
        next(Wire::Gemini, token).as_deref(),
        Some("pageToken=a%2Bb=")
    );
    let wrong = r#"{"models":[],"nextPageToken":"a b&c"}"#;
    assert_eq!(next(Wire::Gemini, wrong), None);
}

#[test]
fn what_is_known_without_asking() {
    let ids = |wire, base: &str| -> Vec<String> {
        let peer = Arc::new(Peer::new(config("p", wire, base)));
        known(wire, &peer)
            .into_iter()
            .map(|model| model.id)
            .collect()
    };
    let anthropic = ids(Wire::Anthropic, "https://api.anthropic.com/v1");
    assert_eq!(anthropic[0], "configured-model");
    assert!(
        anthropic[1..]
            .iter()
            .all(|id| id.starts_with("claude-") && !id.ends_with('*'))
    );
    assert_eq!(
        ids(Wire::OpenAiChat, "http://localhost/v1"),
        ["configured-model"]
    );
}
