//! What is sent.

use std::sync::Arc;

use greenroom_actors::ports::{Model, ModelFacts, ModelRequest, ToolSpec};
use greenroom_protocol::session::{
    Category, Content, Document, Image, ImageFormat, Mention, ModelChoice, Part, Resource,
};
use serde_json::{Value, json};

use super::{KEY, Rig, config, prompt, providers, request, said};
use crate::mock_model::{Reply, Request, Service};

/// Sends a request and gives what came.
async fn sent(service: Service, request: ModelRequest) -> Request {
    let rig = Rig::new(service).await;
    rig.mock.push(Reply::text("hi"));
    rig.call(request).await.1.unwrap();
    rig.mock.request()
}

fn tool(name: &str, schema: &str) -> ToolSpec {
    ToolSpec {
        name: name.into(),
        description: format!("Does {name}.").into(),
        schema: Document(schema.into()),
        category: Category::Read,
    }
}

fn with_tools() -> ModelRequest {
    ModelRequest {
        system: "You are careful.".into(),
        tools: Arc::from([
            tool("shell", r#"{"type":"object","properties":{"z":{},"a":{}}}"#),
            tool("ask_user", r#"{"type":"object"}"#),
        ]),
        ..request(vec![prompt(1, "hello")])
    }
}

#[tokio::test]
async fn the_head_is_the_service_s() {
    let request = sent(Service::OpenAi, with_tools()).await;
    assert_eq!(
        (&*request.method, &*request.path),
        ("POST", "/v1/chat/completions")
    );
    let bearer = format!("Bearer {KEY}");
    assert_eq!(request.header("authorization"), Some(bearer.as_str()));
    assert_eq!(request.header("x-api-key"), None);
    assert_eq!(request.header("content-type"), Some("application/json"));

    let request = sent(Service::Anthropic, with_tools()).await;
    assert_eq!((&*request.method, &*request.path), ("POST", "/v1/messages"));
    assert_eq!(request.header("x-api-key"), Some(KEY));
    assert_eq!(request.header("authorization"), None);
    assert_eq!(request.header("anthropic-version"), Some("2023-06-01"));
    assert_eq!(request.header("content-type"), Some("application/json"));
}

#[tokio::test]
async fn a_first_request_of_openai_s() {
    let request = sent(Service::OpenAi, with_tools()).await;
    assert_eq!(
        request.body,
        json!({
            "model": "mock-model",
            "stream": true,
            "stream_options": {"include_usage": true},
            "tools": [
                {"type": "function", "function": {
                    "name": "shell", "description": "Does shell.",
                    "parameters": {"type": "object", "properties": {"z": {}, "a": {}}},
                }},
                {"type": "function", "function": {
                    "name": "ask_user", "description": "Does ask_user.",
                    "parameters": {"type": "object"},
                }},
            ],
            "messages": [
                {"role": "system", "content": "You are careful."},
                {"role": "user", "content": "hello"},
            ],
        })
    );
    // Verbatim, so that the provider's cache finds it again.
    assert!(
        request
            .text
            .contains(r#"{"type":"object","properties":{"z":{},"a":{}}}"#)
    );
}

#[tokio::test]
async fn a_first_request_of_anthropic_s() {
    let request = sent(Service::Anthropic, with_tools()).await;
    let cache = json!({"type": "ephemeral"});
    assert_eq!(
        request.body,
        json!({
            "model": "mock-model",
            "max_tokens": 32_000,
            "stream": true,
            "system": [
                {"type": "text", "text": "You are careful.", "cache_control": cache},
            ],
            "tools": [
                {"name": "shell", "description": "Does shell.",
                    "input_schema": {"type": "object", "properties": {"z": {}, "a": {}}}},
                {"name": "ask_user", "description": "Does ask_user.",
                    "input_schema": {"type": "object"}, "cache_control": cache},
            ],
            "messages": [{"role": "user", "content": [
                {"type": "text", "text": "hello", "cache_control": cache},
            ]}],
        })
    );
    assert!(
        request
            .text
            .contains(r#"{"type":"object","properties":{"z":{},"a":{}}}"#)
    );
}

#[tokio::test]
async fn a_request_is_written_the_same_each_time() {
    for service in Service::ALL {
        let one = sent(service, with_tools()).await;
        let other = sent(service, with_tools()).await;
        assert_eq!(one.text, other.text);
    }
}

#[tokio::test]
async fn nothing_is_sent_empty() {
    for service in Service::ALL {
        let body = sent(service, request(vec![prompt(1, "hello")])).await.body;
        let fields = body.as_object().unwrap();
        assert!(!fields.contains_key("tools"), "{service:?} {body}");
        assert!(!fields.contains_key("system"), "{service:?} {body}");
        assert_eq!(
            body["messages"].as_array().unwrap().len(),
            1,
            "{service:?} {body}"
        );
    }
}

#[tokio::test]
async fn the_session_s_model_wins_over_the_configured_one() {
    for service in Service::ALL {
        let mut request = request(vec![prompt(1, "hello")]);
        request.model.model = "other-model".into();
        let body = sent(service, request).await.body;
        assert_eq!(body["model"], "other-model", "{service:?}");
    }
}

#[tokio::test]
async fn configured_headers_are_added_and_win() {
    for service in Service::ALL {
        let rig = Rig::new(service).await;
        let mut config = config(service, rig.mock.url());
        config.headers = vec![
            ("X-Title".into(), "greenroom".into()),
            ("anthropic-version".into(), "2099-01-01".into()),
        ];
        let providers = providers(config);
        rig.mock.push(Reply::text("hi"));
        let (_, answer) = super::call(&providers, request(vec![prompt(1, "hello")])).await;
        answer.unwrap();
        let request = rig.mock.request();
        assert_eq!(request.header("x-title"), Some("greenroom"));
        assert_eq!(request.header("anthropic-version"), Some("2099-01-01"));
    }
}

#[tokio::test]
async fn paths_are_added_to_the_base_address_as_text() {
    for service in Service::ALL {
        let path = match service {
            Service::OpenAi => "chat/completions",
            Service::Anthropic => "messages",
        };
        for (prefix, expected) in [
            ("", format!("/v1/{path}")),
            ("/", format!("/v1/{path}")),
            ("/proxy/x", format!("/v1/proxy/x/{path}")),
        ] {
            let rig = Rig::new(service).await;
            let providers = providers(config(service, rig.mock.url() + prefix));
            rig.mock.push(Reply::text("hi"));
            let (_, answer) = super::call(&providers, request(vec![prompt(1, "hello")])).await;
            answer.unwrap();
            assert_eq!(rig.mock.request().path, expected);
        }
    }
}

/// A prompt of everything that there is.
fn rich_content() -> Content {
    let image = |format, bytes: &[u8]| {
        Part::Image(Image {
            format,
            bytes: bytes.into(),
        })
    };
    Content {
        parts: vec![
            Part::Text("Look:".into()),
            image(ImageFormat::Png, b"\x89PNG\r\n\x1a\n"),
            Part::Text("".into()),
            image(ImageFormat::Webp, b"RIFF....WEBP\xff"),
            Part::Mention(Mention {
                path: "src/main.rs".into(),
                lines: Some((3, 9)),
            }),
            Part::Resource(Resource {
                name: "file:///draft.md".into(),
                text: "A draft.".into(),
            }),
        ],
    }
}

#[tokio::test]
async fn pictures_files_and_texts_are_sent_in_order() {
    let body = sent(Service::OpenAi, request(vec![said(1, rich_content())]))
        .await
        .body;
    let content = body["messages"][0]["content"].as_array().unwrap().clone();
    let image = |url: &str| json!({"type": "image_url", "image_url": {"url": url}});
    assert_eq!(content[0], json!({"type": "text", "text": "Look:"}));
    assert_eq!(content[1], image("data:image/png;base64,iVBORw0KGgo="));
    assert_eq!(
        content[2],
        image("data:image/webp;base64,UklGRi4uLi5XRUJQ/w==")
    );
    check_words(&content[3..]);

    let body = sent(Service::Anthropic, request(vec![said(1, rich_content())]))
        .await
        .body;
    let content = body["messages"][0]["content"].as_array().unwrap().clone();
    let image = |kind: &str, data: &str| {
        json!({"type": "image", "source": {
            "type": "base64", "media_type": kind, "data": data,
        }})
    };
    assert_eq!(content[0], json!({"type": "text", "text": "Look:"}));
    assert_eq!(content[1], image("image/png", "iVBORw0KGgo="));
    assert_eq!(content[2], image("image/webp", "UklGRi4uLi5XRUJQ/w=="));
    check_words(&content[3..]);
}

/// A file that is pointed at is told by its path and lines, a text by its name
/// and words.
fn check_words(pieces: &[Value]) {
    let texts: Vec<&str> = pieces
        .iter()
        .map(|piece| piece["text"].as_str().unwrap())
        .collect();
    let [mention, resource] = texts.as_slice() else {
        panic!("two texts: {pieces:?}");
    };
    for word in ["src/main.rs", "3", "9"] {
        assert!(mention.contains(word), "{mention}");
    }
    for word in ["file:///draft.md", "A draft."] {
        assert!(resource.contains(word), "{resource}");
    }
}

#[tokio::test]
async fn the_scripted_wire_answers_and_knows_its_window() {
    let script = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/examples/scripts/seed_session.yaml"
    );
    let mut config = config(Service::OpenAi, script.into());
    config.wire = greenroom::provider::Wire::Scripted;
    config.model = String::new();
    let providers = providers(config);
    let choice = ModelChoice {
        provider: "mock".into(),
        model: "".into(),
        effort: None,
    };
    let facts = ModelFacts {
        id: "scripted".into(),
        context_window: Some(200_000),
        images: true,
        prices: Some(greenroom_actors::ports::Prices::default()),
    };
    assert_eq!(providers.facts(&choice), Some(facts));
    let (_, answer) = super::call(&providers, request(vec![prompt(1, "run the tests")])).await;
    assert_eq!(&*answer.unwrap().message.calls[0].tool, "shell");
}
