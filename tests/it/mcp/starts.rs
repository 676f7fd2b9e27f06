//! Servers that start badly, and what they say they can do.

use std::time::Duration;

use expect_test::{Expect, expect};
use greenroom::mcp::{Launch, ServerConfig, Status};
use greenroom::secret::Secret;
use greenroom_protocol::session::Millis;

use super::stage::{PATIENCE, Stage, hub, said};

/// Why a server does not start.
async fn reason(stage: &Stage, server: &ServerConfig) -> String {
    let servers = hub().open(std::slice::from_ref(server), &stage.root());
    servers.settled(PATIENCE).await;
    let (_, status) = servers.statuses().remove(0);
    let Status::Failed { reason, since } = status else {
        panic!("it is {status:?}");
    };
    assert_eq!(since, Millis(1_000));
    assert_eq!(
        servers.notices(),
        [format!("MCP server s: {reason}").into()]
    );
    let (text, failed) = said(&servers, "echo", "{}").await;
    assert!(
        failed && text.starts_with("nothing was called: the MCP server s "),
        "{text}"
    );
    drop(servers);
    stage.nobody_is_left().await;
    reason.replace(stage.root().to_str().unwrap(), "@")
}

fn check(reason: &str, expected: Expect) {
    expected.assert_eq(reason);
}

#[tokio::test]
async fn why_a_server_does_not_start_is_told_with_the_next_step() {
    let stage = Stage::new();
    let mut silent = stage.server(&["--start", "silent"]);
    silent.start_timeout = Duration::from_secs(1);
    check(
        &reason(&stage, &silent).await,
        expect![
            "it was not ready within 1 s; see what holds it up, or raise start_timeout_seconds"
        ],
    );
    check(
        &reason(&stage, &stage.server(&["--start", "refuse"])).await,
        expect!["it does not speak MCP: it refused to initialize: not you"],
    );
    check(
        &reason(&stage, &stage.server(&["--start", "junk"])).await,
        expect!["it does not speak MCP: its answer to initialize is none"],
    );
    let mut crash = stage.server(&["--start", "crash"]);
    let secret = || Secret::new("t0p-secret-value".into());
    if let Launch::Program(program) = &mut crash.launch {
        program.environment = vec![("SERVER_TOKEN".into(), secret())];
    }
    crash.secrets = vec![secret()];
    check(
        &reason(&stage, &crash).await,
        expect![
            "it ended at its start (exit code 3); it said last: no token: [redacted: s secret]"
        ],
    );
    let with_program = |change: fn(&mut greenroom::mcp::Program)| {
        let mut server = stage.server(&[]);
        if let Launch::Program(program) = &mut server.launch {
            change(program);
        }
        server
    };
    let absent = with_program(|program| program.command = "no-such-program".into());
    check(
        &reason(&stage, &absent).await,
        expect![
            "no-such-program is not in $PATH; install it, or write its whole path as `command`"
        ],
    );
    let no_path = with_program(|program| program.command = "./server".into());
    check(
        &reason(&stage, &no_path).await,
        expect!["@/./server is no program; install it, or correct `command`"],
    );
    let nowhere = with_program(|program| program.folder = Some("nowhere".into()));
    check(
        &reason(&stage, &nowhere).await,
        expect!["cwd: @/nowhere is no folder; make it or name another"],
    );
}

#[tokio::test]
async fn opening_waits_for_no_server() {
    let stage = Stage::new();
    let server = stage.server(&["--start", "slow"]);
    let servers = hub().open(&[server], &stage.root());
    assert_eq!(servers.statuses(), [("s".into(), Status::Connecting)]);
    assert!(servers.specs().is_empty());
    let mut changed = servers.changed();
    std::fs::write(stage.root().join("go"), "").unwrap();
    tokio::time::timeout(PATIENCE, changed.changed())
        .await
        .unwrap()
        .unwrap();
    assert!(servers.find("mcp__s__echo").is_some());
}

#[tokio::test]
async fn a_disabled_server_is_there_and_not_started() {
    let stage = Stage::new();
    let mut server = stage.server(&[]);
    server.disabled = true;
    let hub = hub();
    let servers = hub.open(&[server], &stage.root());
    assert_eq!(servers.statuses(), [("s".into(), Status::Stopped)]);
    assert_eq!(hub.connections(), 0);
    assert_eq!(
        said(&servers, "echo", "{}").await.0,
        "the MCP server s is disabled"
    );
}

#[tokio::test]
async fn lies_about_schemas_cost_only_the_tool_that_lies() {
    let stage = Stage::new();
    let servers = stage.ready(&hub(), &stage.server(&[])).await;
    let specs = servers.specs();
    assert!(
        specs.iter().all(|spec| !spec.name.contains("lie")),
        "{specs:?}"
    );
    assert_eq!(specs.len(), 25);
    let mut names: Vec<_> = specs.iter().map(|spec| spec.name.clone()).collect();
    names.sort();
    assert!(
        names.iter().eq(specs.iter().map(|spec| &spec.name)),
        "the order is stable"
    );
    let notices: Vec<String> = servers.notices().iter().map(|it| it.to_string()).collect();
    expect![[r#"
        MCP server s: the tool "lie_list" is left out: its schema is no object
        MCP server s: the tool "lie_text" is left out: its schema is no object
        MCP server s: the tool "lie_array" is left out: its schema is not that of an object
        MCP server s: the tool "lie_deep" is left out: its schema is more than 32 levels deep
        MCP server s: the tool "lie_big" is left out: its schema is longer than 65536 bytes
        MCP server s: the tool "lie_circle" is left out: its schema refers to itself in a circle
        MCP server s: the tool "lie_away" is left out: its schema refers to what is not in it
        MCP server s: the tool "lie_name" is left out: a property of its schema has a name that providers refuse (a-z, A-Z, 0-9, _, - and . up to 64)
        MCP server s: a tool without a usable name is left out
        MCP server s: a tool without a usable name is left out
        MCP server s: a tool without a usable name is left out"#]]
    .assert_eq(&notices.join("\n"));
}

#[tokio::test]
async fn a_list_without_an_end_is_cut() {
    let stage = Stage::new();
    let servers = stage
        .ready(&hub(), &stage.server(&["--start", "pages"]))
        .await;
    // 64 pages of five.
    assert_eq!(servers.specs().len(), 320);
    let notices = servers.notices();
    assert_eq!(notices, ["MCP server s: it has more than 512 tools, or more than 64 pages of them; the rest is left out".into()]);
}

#[tokio::test]
async fn a_list_that_changes_is_read_anew_and_told() {
    let stage = Stage::new();
    let servers = stage.ready(&hub(), &stage.server(&[])).await;
    let mut changed = servers.changed();
    changed.mark_unchanged();
    assert_eq!(said(&servers, "grow", "{}").await.0, "grown");
    tokio::time::timeout(PATIENCE, changed.changed())
        .await
        .unwrap()
        .unwrap();
    let found = servers.find("mcp__s__grown0");
    assert_eq!(found, Some(("s".into(), "grown0".into())));
}
