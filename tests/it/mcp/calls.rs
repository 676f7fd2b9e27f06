//! Calls of a server's tools, whatever it answers.

use std::time::Duration;

use expect_test::expect;
use greenroom::mcp::{
    Callers, LIST_RESOURCES, Launch, READ_RESOURCE, ResourceCall, Status, ToolFilter,
};
use greenroom::secret::Secret;
use greenroom_protocol::session::{Document, ImageFormat, OutputStream};
use serde_json::Value;

use super::stage::{PATIENCE, Stage, call, call_with, hub, said};

#[tokio::test]
async fn tools_are_called_and_say_what_they_say() {
    let stage = Stage::new();
    let servers = stage.ready(&hub(), &stage.server(&[])).await;
    let cases = [
        ("echo", r#"{"text": "hä?"}"#, "hä?", false),
        ("fail", "{}", "it is broken", true),
        ("structured", "{}", "{\n  \"n\": 1\n}", false),
        ("empty", "{}", "[no output]", false),
        ("where", "{}", stage.root().to_str().unwrap(), false),
        (
            "error",
            "{}",
            "the MCP server s refused the call: no such thing, (-32000)",
            true,
        ),
        (
            "nothing",
            "{}",
            "the MCP server s refused the call: no such tool (-32000)",
            true,
        ),
        (
            "echo",
            "[]",
            "nothing was called: the input is no JSON object",
            true,
        ),
        ("junk", "{}", "after junk", false),
    ]
    .map(|(tool, input, text, failed)| (tool, input, (text.to_owned(), failed)));
    for (tool, input, expected) in cases {
        assert_eq!(said(&servers, tool, input).await, expected, "{tool}");
    }
    let input = Document::default();
    let ran = servers
        .call("other", "echo", &input, Callers::default())
        .await;
    assert_eq!(ran.text, "there is no MCP server \"other\"; there are s");
}

#[tokio::test]
async fn content_of_all_kinds_is_put_into_words_or_pictures() {
    let stage = Stage::new();
    let servers = stage.ready(&hub(), &stage.server(&[])).await;
    let ran = call(&servers, "things", "{}").await;
    expect![[r#"
        see
        [resource x://t]
        inside
        [resource x://b: 3 bytes, a/b; no text]
        [sound, audio/wav, 3 bytes: models do not hear it here]
        [resource x://l: more]"#]]
    .assert_eq(&ran.text);
    let ran = call(&servers, "picture", "{}").await;
    // The bytes tell, not what the server says of them.
    let formats: Vec<ImageFormat> = ran.images.iter().map(|image| image.format).collect();
    assert_eq!(formats, [ImageFormat::Png]);
    let none = "[a picture that is none: no PNG, JPEG, GIF or WebP]";
    assert_eq!(ran.text, format!("{none}\n{none}"));
}

#[tokio::test]
async fn much_output_is_cut_and_a_monstrous_message_is_thrown_away() {
    let stage = Stage::new();
    let mut server = stage.server(&[]);
    server.output_bytes = 1 << 10;
    let servers = stage.ready(&hub(), &server).await;
    let ran = call(&servers, "flood", r#"{"bytes": 3000000}"#).await;
    assert!(ran.truncated && !ran.failed);
    assert!(ran.text.len() < 1_100, "{}", ran.text.len());
    assert!(ran.text.starts_with("<xxx") && ran.text.ends_with("xxx>"));
    assert!(
        ran.text.contains("\n[… 2998978 bytes left out here …]\n"),
        "{}",
        ran.text
    );
    let (text, failed) = said(&servers, "big_line", "{}").await;
    let expected = "the MCP server s sent a message of more than 16 MiB, which was thrown away; \
                    ask it for less";
    assert_eq!((text.as_str(), failed), (expected, true));
    assert_eq!(
        said(&servers, "echo", r#"{"text": "on"}"#).await,
        ("on".into(), false)
    );
}

#[tokio::test]
async fn progress_is_passed_on() {
    let stage = Stage::new();
    let servers = stage.ready(&hub(), &stage.server(&[])).await;
    let (output, mut pieces) = tokio::sync::mpsc::channel(16);
    let callers = Callers {
        output: Some(output),
        ask: None,
    };
    assert_eq!(
        call_with(&servers, "progress", "{}", callers).await.text,
        "done"
    );
    let mut told = Vec::new();
    while let Some(piece) = pieces.recv().await {
        told.push(piece);
    }
    let step = |text: &str| (OutputStream::Stdout, text.to_owned());
    // The first may come before anybody is there to hear it.
    assert_eq!(told.last(), Some(&step("step (2 of 2)\n")), "{told:?}");
}

#[tokio::test]
async fn a_hanging_call_ends_by_its_time_and_the_server_is_told() {
    let stage = Stage::new();
    let mut server = stage.server(&[]);
    server.timeout = Duration::from_secs(1);
    let servers = stage.ready(&hub(), &server).await;
    let (text, failed) = said(&servers, "hang", "{}").await;
    let expected = "the MCP server s gave no answer within 1 s; the call was cancelled, and may \
                    have had effects";
    assert_eq!((text.as_str(), failed), (expected, true));
    until_cancelled(&servers, 1).await;
    // It answers a ping, so it stays.
    assert_eq!(servers.statuses()[0].1, Status::Ready);
}

#[tokio::test]
async fn a_dropped_call_is_cancelled() {
    let stage = Stage::new();
    let servers = stage.ready(&hub(), &stage.server(&[])).await;
    let input = Document::default();
    let hanging = servers.call("s", "hang", &input, Callers::default());
    let waited = tokio::time::timeout(Duration::from_millis(300), hanging).await;
    assert!(waited.is_err());
    until_cancelled(&servers, 1).await;
}

async fn until_cancelled(servers: &greenroom::mcp::SessionServers, count: usize) {
    let told = async {
        loop {
            let (text, _) = said(servers, "cancels", "{}").await;
            let cancelled: Vec<Value> = serde_json::from_str(&text).unwrap_or_default();
            if cancelled.len() >= count {
                return;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::time::timeout(PATIENCE, told).await.unwrap();
}

#[tokio::test]
async fn a_server_that_dies_in_a_call_is_started_anew() {
    let stage = Stage::new();
    let servers = stage.ready(&hub(), &stage.server(&[])).await;
    let (text, failed) = said(&servers, "die", "{}").await;
    let expected = "the MCP server s ended during the call, which may have had effects; it is \
                    started anew";
    assert_eq!((text.as_str(), failed), (expected, true));
    let told = async {
        loop {
            let notices = servers.notices().join("\n");
            if notices
                .contains("MCP server s: it ended or hung: exit code 7; it said last: I die now")
                || notices.contains("MCP server s: it ended (exit code 7); it said last: I die now")
            {
                return;
            }
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    };
    tokio::time::timeout(PATIENCE, told).await.unwrap();
    // The tools stay while it is away.
    assert!(servers.find("mcp__s__echo").is_some());
    let again = async {
        while said(&servers, "echo", r#"{"text": "again"}"#).await != ("again".into(), false) {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(PATIENCE, again).await.unwrap();
}

/// Two megabytes that would be a hundred in memory.
#[tokio::test]
async fn a_message_of_too_many_values_ends_the_connection() {
    let stage = Stage::new();
    let servers = stage.ready(&hub(), &stage.server(&[])).await;
    let (text, failed) = said(&servers, "values", "{}").await;
    assert!(failed && text.contains("ended during the call"), "{text}");
    let told = async {
        let expected = "MCP server s: it sent a message of more than 500,000 values";
        while !servers.notices().iter().any(|it| &**it == expected) {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    };
    tokio::time::timeout(PATIENCE, told).await.unwrap();
}

#[tokio::test]
async fn a_server_that_hears_nothing_more_is_started_anew() {
    let stage = Stage::new();
    let mut server = stage.server(&[]);
    server.timeout = Duration::from_secs(2);
    let servers = stage.ready(&hub(), &server).await;
    assert!(said(&servers, "deaf", "{}").await.1);
    let again = async {
        while said(&servers, "echo", r#"{"text": "again"}"#).await != ("again".into(), false) {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(PATIENCE, again).await.unwrap();
    drop(servers);
    stage.nobody_is_left().await;
}

#[tokio::test]
async fn a_flood_of_notices_and_questions_is_survived() {
    let stage = Stage::new();
    let servers = stage.ready(&hub(), &stage.server(&[])).await;
    let spammed = said(&servers, "spam", r#"{"count": 5000}"#).await;
    assert_eq!(spammed, ("spammed".into(), false));
    // Each is declined, or it is cut off and started anew: it takes calls again.
    let _ = said(&servers, "beg", "{}").await;
    let again = async {
        while said(&servers, "echo", r#"{"text": "again"}"#).await != ("again".into(), false) {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(PATIENCE, again).await.unwrap();
    drop(servers);
    stage.nobody_is_left().await;
}

#[tokio::test]
async fn servers_see_no_secret_but_their_own_and_tell_none() {
    let stage = Stage::new();
    let mut server = stage.server(&[]);
    let secret = || Secret::new("t0p-secret-value".into());
    if let Launch::Program(program) = &mut server.launch {
        program.environment = vec![
            ("SERVER_TOKEN".into(), secret()),
            ("PLAIN".into(), Secret::new("plain".into())),
        ];
    }
    server.secrets = vec![secret()];
    let servers = stage.ready(&hub(), &server).await;
    let (text, _) = said(&servers, "environment", "{}").await;
    let environment: serde_json::Map<String, Value> = serde_json::from_str(&text).unwrap();
    assert_eq!(environment["SERVER_TOKEN"], "[redacted: s secret]");
    assert_eq!(environment["PLAIN"], "plain");
    assert_eq!(environment.get("OPENAI_API_KEY"), None);
    let (text, _) = said(&servers, "error", "{}").await;
    assert_eq!(
        text,
        "the MCP server s refused the call: no such thing, [redacted: s secret] (-32000)"
    );
    assert!(!format!("{server:?}").contains("t0p-secret"));
}

#[tokio::test]
async fn tools_that_are_left_out_cannot_be_called() {
    let stage = Stage::new();
    let mut server = stage.server(&[]);
    server.tools = ToolFilter {
        allow: Some(vec!["e*".into()]),
        deny: vec!["en*".into()],
    };
    let servers = stage.ready(&hub(), &server).await;
    let names: Vec<String> = servers
        .specs()
        .iter()
        .map(|it| it.name.to_string())
        .collect();
    assert_eq!(names, ["mcp__s__echo", "mcp__s__empty", "mcp__s__error"]);
    let (text, failed) = said(&servers, "where", "{}").await;
    let expected = "nothing was called: the configuration leaves this tool out";
    assert_eq!((text.as_str(), failed), (expected, true));
}

#[tokio::test]
async fn resources_and_prompts_are_listed_and_read() {
    let stage = Stage::new();
    let servers = stage.ready(&hub(), &stage.server(&[])).await;
    let uris: Vec<String> = (servers.resources(Some("s")).iter())
        .map(|(server, resource)| format!("{server} {}", resource.uri))
        .collect();
    assert_eq!(uris, ["s x://one"]);
    assert!(servers.resources(Some("other")).is_empty());
    let ran = servers.read_resource("s", "x://one").await;
    assert_eq!(ran.text, "[resource x://one]\nwhat it says");
    let names: Vec<String> = (servers.resource_specs().iter())
        .map(|spec| spec.name.to_string())
        .collect();
    assert_eq!(names, [LIST_RESOURCES, READ_RESOURCE]);
    let list = ResourceCall::plan(LIST_RESOURCES, &Document::default());
    let ran = servers.run_resource(list.unwrap().unwrap()).await;
    assert_eq!(ran.text, "s: x://one (one)");
    let (_, prompt) = servers.prompts(None).remove(0);
    assert_eq!(
        (&*prompt.name, prompt.arguments[0].required),
        ("greet", true)
    );
    let filled = servers
        .prompt("s", "greet", vec![("who".into(), "Ada".into())])
        .await;
    assert_eq!(filled, Ok("Greet Ada".to_owned()));
}
