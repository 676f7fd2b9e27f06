//! How long servers live: as long as somebody holds them, and no longer,
//! whatever ends the holder.

use std::process::{Child, Command, Stdio};
use std::sync::Arc;

use greenroom::mcp::{Hub, SessionServers, Status};
use greenroom::tool::{ToolSettings, Toolbox};
use greenroom_actors::ports::{ToolContext, Tools};
use greenroom_protocol::session::{CallId, Document, Mode, SessionId};
use rustix::process::{Pid, Signal, kill_process};

use super::stage::{PATIENCE, Stage, hub, said};
use crate::support::processes;

/// Tells a copy of this test program that it is to hold a server until it dies.
const HOLD: &str = "GREENROOM_TEST_HOLDS_MCP";
/// Tells it that it is to run a command beside the server, first.
const RUN: &str = "GREENROOM_TEST_RUNS_BESIDE_MCP";

#[tokio::test]
async fn sessions_that_name_the_same_server_share_one_process() {
    let stage = Stage::new();
    let (hub, server) = (hub(), stage.server(&[]));
    let mut sessions: Vec<SessionServers> = (0..50)
        .map(|_| hub.open(std::slice::from_ref(&server), &stage.root()))
        .collect();
    for session in &sessions {
        session.settled(PATIENCE).await;
        assert_eq!(session.statuses(), [("s".into(), Status::Ready)]);
    }
    assert_eq!((hub.connections(), stage.servers_running()), (1, 1));
    // All of them call it at once.
    let mut calls = tokio::task::JoinSet::new();
    for (number, session) in sessions.iter().enumerate() {
        let input = format!(r#"{{"text": "{number}"}}"#);
        let input = Document(input.into());
        let call = session.call("s", "echo", &input, Default::default());
        calls.spawn(async move { (number.to_string(), call.await.text) });
    }
    while let Some(answer) = calls.join_next().await {
        let (sent, came) = answer.unwrap();
        assert_eq!(sent, came);
    }
    // All but the last leave, and it stays.
    sessions.truncate(1);
    assert_eq!(said(&sessions[0], "echo", r#"{"text": "x"}"#).await.0, "x");
    assert_eq!(stage.servers_running(), 1);
    drop(sessions);
    stage.nobody_is_left().await;
    assert_eq!(hub.connections(), 0);
}

#[tokio::test]
async fn another_value_or_another_workspace_is_another_process() {
    let stage = Stage::new();
    let (hub, server) = (hub(), stage.server(&[]));
    let one = stage.ready(&hub, &server).await;
    let mut other = server.clone();
    other.output_bytes += 1;
    let two = stage.ready(&hub, &other).await;
    let elsewhere = Stage::new();
    let three = elsewhere.ready(&hub, &server).await;
    assert_eq!((hub.connections(), stage.servers_running()), (3, 3));
    assert_eq!(
        said(&three, "where", "{}").await.0,
        elsewhere.root().to_str().unwrap()
    );
    drop((one, two, three));
    stage.nobody_is_left().await;
}

#[tokio::test]
async fn a_server_that_refuses_to_end_is_ended_with_all_that_it_started() {
    let stage = Stage::new();
    let servers = stage
        .ready(&hub(), &stage.server(&["--ignore-term", "--child"]))
        .await;
    // The server, and the process that left its group and its environment.
    assert_eq!(stage.servers_running(), 2);
    drop(servers);
    stage.nobody_is_left().await;
}

#[tokio::test]
async fn a_server_whose_keeper_is_killed_is_ended_and_started_anew() {
    let stage = Stage::new();
    let servers = stage.ready(&hub(), &stage.server(&["--ignore-term"])).await;
    let old = processes::with_word(&stage.word);
    for pid in &old {
        let line = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap();
        if line.starts_with(crate::started::GREENROOM.as_bytes()) {
            kill(*pid);
        }
    }
    let word = stage.word.clone();
    let gone = move || {
        processes::wait_until("the old ones are gone", || {
            let now = processes::with_word(&word);
            old.iter().all(|pid| !now.contains(pid))
        });
    };
    tokio::task::spawn_blocking(gone).await.unwrap();
    let again = async {
        while said(&servers, "echo", r#"{"text": "x"}"#).await != ("x".into(), false) {
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(PATIENCE, again).await.unwrap();
    drop(servers);
    stage.nobody_is_left().await;
}

/// The holder is this very program, told to hold a server and do nothing else.
fn holder(stage: &Stage, run: Option<&str>) -> Child {
    let root = stage.root();
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args([
            "--exact",
            "mcp::lives::holds_a_server_when_told",
            "--nocapture",
        ])
        .env(HOLD, format!("{}\n{}", stage.word, root.display()))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    if let Some(run) = run {
        command.env(RUN, run);
    }
    let holder = command.spawn().unwrap();
    processes::wait_until("the server is ready", || root.join("ready").exists());
    holder
}

#[test]
fn kill_9_of_the_holder_leaves_no_server() {
    let stage = Stage::new();
    let mut holder = holder(&stage, None);
    // The server and the process that left everything behind.
    assert_eq!(stage.servers_running(), 2);
    kill(holder.id());
    holder.wait().unwrap();
    processes::wait_until("all servers are gone", || {
        processes::with_word(&stage.word).is_empty()
    });
}

/// A server is held for long: no command's orphans must wait for its end, and it
/// must not be taken for one.
#[test]
fn what_a_command_leaves_behind_ends_with_it_beside_a_server() {
    let stage = Stage::new();
    let orphan = format!("4447.0{}", std::process::id());
    let left = format!("env -i setsid sleep {orphan} >/dev/null 2>&1 & sleep 0.1");
    let mut holder = holder(&stage, Some(&left));
    processes::wait_until("the orphan is gone", || {
        processes::with_word(&orphan).is_empty()
    });
    assert_eq!(stage.servers_running(), 2);
    kill(holder.id());
    holder.wait().unwrap();
    processes::wait_until("all servers are gone", || {
        processes::with_word(&stage.word).is_empty()
    });
}

#[tokio::test]
async fn holds_a_server_when_told() {
    let Ok(told) = std::env::var(HOLD) else {
        return;
    };
    let (word, root) = told.split_once('\n').unwrap();
    let mut stage = Stage::new();
    stage.word = word.to_owned();
    if std::env::var_os(RUN).is_some() {
        greenroom::tool::become_subreaper().unwrap();
    }
    let hub: Hub = hub();
    let servers = stage
        .ready(&hub, &stage.server(&["--ignore-term", "--child"]))
        .await;
    // Not in a half-written state.
    assert_eq!(said(&servers, "echo", r#"{"text": "x"}"#).await.0, "x");
    if let Ok(command) = std::env::var(RUN) {
        let before = processes::with_word(word);
        run(&stage, &command).await;
        processes::wait_until("what was left is stopped", || !is_reaping());
        assert_eq!(processes::with_word(word), before);
    }
    std::fs::write(format!("{root}/ready"), "").unwrap();
    std::future::pending().await
}

/// Whether a thread of this process stops what a command has left.
fn is_reaping() -> bool {
    let threads = std::fs::read_dir("/proc/self/task").unwrap();
    let mut names = threads
        .flatten()
        .map(|it| std::fs::read_to_string(it.path().join("comm")));
    names.any(|name| name.is_ok_and(|name| name.starts_with("greenroom-reap")))
}

/// Runs a command with the shell tool.
async fn run(stage: &Stage, command: &str) {
    let toolbox = Toolbox::new(ToolSettings::default());
    let context = ToolContext {
        session: SessionId::new("s"),
        root: Arc::new(stage.root()),
        mode: Mode::Full,
    };
    let input = Document(serde_json::json!({"command": command}).to_string().into());
    let planned = toolbox.plan("shell", &input, &context).await.unwrap();
    let (output, _heard) = tokio::sync::mpsc::channel(64);
    let ran = toolbox
        .run(CallId::new("c"), planned, None, context, output)
        .await;
    assert!(!ran.failed, "{}", ran.text);
}

fn kill(pid: u32) {
    let pid = Pid::from_raw(pid.cast_signed()).unwrap();
    kill_process(pid, Signal::KILL).unwrap();
}
