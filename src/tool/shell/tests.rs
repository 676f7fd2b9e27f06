//! Real commands. Waits have wide deadlines: the machine may be busy.

use std::path::Path;
use std::time::Duration;

use greenroom_actors::ports::{OutputSink, Ran, Tools};
use greenroom_protocol::session::{CallId, OutputStream};
use serde_json::json;
use tokio::sync::mpsc;
use tokio::time::{Instant, timeout};

use super::super::testing::Bench;
use super::super::{Environment, ToolSettings};
use super::leash::adopt_orphans;
use super::wait_for_stops;

const PATIENCE: Duration = Duration::from_secs(60);

fn bench() -> Bench {
    bench_with(ToolSettings::default())
}

fn bench_with(mut settings: ToolSettings) -> Bench {
    adopt_orphans().unwrap();
    let path = std::env::var_os("PATH").unwrap();
    settings.environment.0.push(("PATH".into(), path));
    Bench::with(settings)
}

fn ran(text: &str, exit_code: i32) -> Ran {
    Ran {
        text: text.into(),
        failed: exit_code != 0,
        exit_code: Some(exit_code),
        ..Ran::default()
    }
}

fn joined(heard: &[(OutputStream, String)], stream: OutputStream) -> String {
    let of_stream = heard.iter().filter(|(from, _)| *from == stream);
    of_stream.map(|(_, piece)| piece.as_str()).collect()
}

/// The numbers that a command printed so far, one a line, from its sink.
async fn numbers(source: &mut mpsc::Receiver<(OutputStream, String)>, count: usize) -> Vec<i32> {
    let mut text = String::new();
    while text.matches('\n').count() < count {
        let piece = timeout(PATIENCE, source.recv()).await;
        text.push_str(&piece.expect("the command prints in time").unwrap().1);
    }
    text.lines()
        .map(|line| line.trim().parse().unwrap())
        .collect()
}

/// Waits until no such process is there, not even as a zombie.
async fn gone(pids: &[i32]) {
    let deadline = Instant::now() + PATIENCE;
    for pid in pids {
        while Path::new(&format!("/proc/{pid}")).exists() {
            assert!(Instant::now() < deadline, "process {pid} is still there");
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }
}

#[tokio::test]
async fn gives_output_exit_code_and_streams() {
    let bench = bench();
    let command = "echo out; echo err >&2; exit 3";
    let planned = bench
        .plan("shell", json!({ "command": command }))
        .await
        .unwrap();
    assert_eq!(planned.command.as_deref(), Some(command));
    let (result, heard) = bench.run_and_hear(planned, None).await;
    assert_eq!((result.exit_code, result.failed), (Some(3), true));
    assert!(result.text.ends_with("[exit code 3]"), "{}", result.text);
    assert_eq!(joined(&heard, OutputStream::Stdout), "out\n");
    assert_eq!(joined(&heard, OutputStream::Stderr), "err\n");
}

#[tokio::test]
async fn a_silent_success_says_so() {
    let ran_true = bench().call("shell", json!({ "command": "true" })).await;
    assert_eq!(ran_true, ran("[no output; exit code 0]", 0));
}

#[tokio::test]
async fn a_command_may_begin_with_a_dash_and_stdin_is_empty() {
    let bench = bench();
    let dashed = bench
        .call("shell", json!({ "command": "-x; cat; echo end" }))
        .await;
    assert!(
        dashed.text.contains("-x: command not found"),
        "{}",
        dashed.text
    );
    assert!(dashed.text.ends_with("end\n"), "{}", dashed.text);
    assert_eq!(dashed.exit_code, Some(0));
}

#[tokio::test]
async fn the_environment_is_scrubbed() {
    let settings = ToolSettings {
        environment: Environment(vec![
            ("OPENAI_API_KEY".into(), "sk-very-secret".into()),
            ("HOME".into(), "/home/me".into()),
        ]),
        ..ToolSettings::default()
    };
    assert!(!format!("{settings:?}").contains("sk-very-secret"));
    let told = bench_with(settings)
        .call("shell", json!({ "command": "env" }))
        .await;
    assert!(!told.text.contains("sk-very-secret"), "{}", told.text);
    assert!(told.text.contains("HOME=/home/me\n"), "{}", told.text);
    assert!(told.text.contains("TERM=dumb\n"), "{}", told.text);
}

/// What the agent writes in the workspace does not run under the name of a
/// program that rules allow.
#[tokio::test]
async fn programs_of_the_workspace_are_not_found_by_name() {
    let outer = tempfile::tempdir().unwrap();
    let folder = outer.path().canonicalize().unwrap();
    let link = folder.join("link");
    std::os::unix::fs::symlink(folder.join("w/bin"), &link).unwrap();
    std::fs::create_dir_all(folder.join("w/bin")).unwrap();
    let path = format!("{0}/w/bin:{0}/link:/usr/bin:/bin", folder.display());
    let settings = ToolSettings {
        environment: Environment(vec![("PATH".into(), path.into())]),
        ..ToolSettings::default()
    };
    let mut bench = Bench::with(settings);
    bench.context.root = std::sync::Arc::new(folder.join("w"));
    let planted = bench.put("bin/uname", "#!/bin/sh\necho planted\n");
    std::fs::set_permissions(
        &planted,
        std::os::unix::fs::PermissionsExt::from_mode(0o755),
    )
    .unwrap();
    let told = bench
        .call("shell", json!({ "command": "echo $PATH; uname" }))
        .await;
    assert_eq!(told, ran("/usr/bin:/bin\nLinux\n", 0));
}

#[tokio::test]
async fn a_signal_is_told() {
    let killed = bench()
        .call("shell", json!({ "command": "echo a; kill -9 $$" }))
        .await;
    let expected = Ran {
        text: "a\n[killed by signal 9 (SIGKILL)]".into(),
        failed: true,
        ..Ran::default()
    };
    assert_eq!(killed, expected);
}

#[tokio::test]
async fn time_ends_and_what_was_written_stays() {
    let input = json!({ "command": "echo begun; sleep 300", "timeout_ms": 1500 });
    let late = bench().call("shell", input).await;
    let expected = Ran {
        text:
            "begun\n[timed out after 1500 ms and was stopped; what it had started was stopped too]"
                .into(),
        failed: true,
        ..Ran::default()
    };
    assert_eq!(late, expected);
}

#[tokio::test]
async fn long_output_keeps_head_and_tail() {
    let settings = ToolSettings {
        output_bytes: 200,
        stream_bytes: 1_000,
        ..ToolSettings::default()
    };
    let bench = bench_with(settings);
    let planned = bench
        .plan("shell", json!({ "command": "seq 1 5000" }))
        .await
        .unwrap();
    let (result, heard) = bench.run_and_hear(planned, None).await;
    assert!(result.truncated);
    assert!(result.text.starts_with("1\n2\n3\n"), "{}", result.text);
    assert!(result.text.ends_with("4999\n5000\n"), "{}", result.text);
    // 23,893 bytes were written, 200 of them are kept.
    assert!(
        result.text.contains("[… 23693 bytes left out here …]"),
        "{}",
        result.text
    );
    let streamed = joined(&heard, OutputStream::Stdout);
    assert!(streamed.ends_with("[output goes on, but is shown no further]\n"));
    assert!(streamed.len() < 1_100);
}

#[tokio::test]
async fn a_character_may_come_in_two_pieces() {
    let bench = bench();
    let command = r"printf '\xc3'; sleep 0.2; printf '\xa9 \xff.'";
    let planned = bench
        .plan("shell", json!({ "command": command }))
        .await
        .unwrap();
    let (result, heard) = bench.run_and_hear(planned, None).await;
    assert_eq!(result, ran("é \u{fffd}.", 0));
    assert_eq!(joined(&heard, OutputStream::Stdout), "é \u{fffd}.");
}

#[tokio::test]
async fn runs_in_its_folder_and_not_where_a_link_was_put() {
    let bench = bench();
    bench.put("sub/a", "");
    let input = json!({ "command": "pwd; echo $PWD", "cwd": "sub" });
    let sub = bench.root().join("sub").display().to_string();
    let planned = bench.plan("shell", input).await.unwrap();
    let here = bench.run_planned(planned.clone(), None).await;
    assert_eq!(here, ran(&format!("{sub}\n{sub}\n"), 0));

    std::fs::remove_dir_all(bench.root().join("sub")).unwrap();
    std::os::unix::fs::symlink("/", bench.root().join("sub")).unwrap();
    let swapped = bench.run_planned(planned, None).await;
    assert!(swapped.failed);
    assert!(swapped.text.contains("leads elsewhere"), "{}", swapped.text);
}

#[tokio::test]
async fn an_input_that_is_no_command_is_explained() {
    let bench = bench();
    let faults = [
        (json!({}), "`command` is missing: it must be a string"),
        (json!({ "command": " " }), "`command` must not be empty"),
        (
            json!({ "command": "a\0b" }),
            "`command` must not hold a NUL character",
        ),
        (
            json!({ "command": "ls", "timeout_ms": 700_000 }),
            "`timeout_ms` must be a whole number from 1 to 600000, not 700000",
        ),
        (
            json!({ "command": "ls", "cwd": "no" }),
            "`cwd`: no is not a folder",
        ),
        (
            json!({ "command": "ls", "timeout": 5 }),
            "`timeout` is an unknown field: did you mean `timeout_ms`?",
        ),
    ];
    for (input, expected) in faults {
        assert_eq!(bench.fault("shell", input).await, expected);
    }
}

#[tokio::test]
async fn a_process_in_the_background_neither_holds_the_call_nor_outlives_it() {
    let bench = bench();
    // One that holds the pipe, and one that left the group and the pipe.
    let command = "sleep 300 & echo $!; setsid sleep 300 >/dev/null 2>&1 & echo $!";
    let work = bench.call("shell", json!({ "command": command }));
    let ended = timeout(PATIENCE, work).await.expect("the call ends");
    assert_eq!((ended.exit_code, ended.failed), (Some(0), false));
    let pids: Vec<i32> = ended
        .text
        .lines()
        .map(|line| line.parse().unwrap())
        .collect();
    assert_eq!(pids.len(), 2);
    gone(&pids).await;
}

#[tokio::test]
async fn a_dropped_call_takes_everything_with_it() {
    let bench = bench();
    // All ignore TERM. The second left the group, the third lost its parent as
    // well, and the fourth lost the mark.
    bench.put(
        "stubborn",
        "trap '' TERM; echo $$; while :; do sleep 1; done",
    );
    let command = "setsid bash stubborn & (setsid bash stubborn &); \
                   env -i setsid bash stubborn & . ./stubborn";
    let planned = bench
        .plan("shell", json!({ "command": command }))
        .await
        .unwrap();
    let (sink, mut source) = mpsc::channel(16);
    let call = CallId::new("dropped");
    let work = bench
        .toolbox
        .run(call, planned, None, bench.context.clone(), sink);
    let work = tokio::spawn(work);
    let pids = numbers(&mut source, 4).await;
    work.abort();
    assert!(work.await.unwrap_err().is_cancelled());
    gone(&pids).await;
    assert!(wait_for_stops(PATIENCE).await);
}

#[tokio::test]
async fn a_polite_process_is_gone_before_it_would_be_killed() {
    let bench = bench();
    let command = "trap 'echo bye > said; exit' TERM; echo $$; while :; do sleep 0.1; done";
    let planned = bench
        .plan("shell", json!({ "command": command }))
        .await
        .unwrap();
    let (sink, mut source) = mpsc::channel(16);
    let context = bench.context.clone();
    let work = bench
        .toolbox
        .run(CallId::new("polite"), planned, None, context, sink);
    let work = tokio::spawn(work);
    let pids = numbers(&mut source, 1).await;
    work.abort();
    gone(&pids).await;
    // A KILL would have left it no time to write.
    assert_eq!(bench.get("said"), "bye\n");
}

#[tokio::test]
async fn nobody_need_listen() {
    let bench = bench();
    let planned = bench
        .plan("shell", json!({ "command": "seq 1 9" }))
        .await
        .unwrap();
    let (sink, source): (OutputSink, _) = mpsc::channel(1);
    drop(source);
    let context = bench.context.clone();
    let work = bench
        .toolbox
        .run(CallId::new("c"), planned, None, context, sink);
    assert_eq!(work.await, ran("1\n2\n3\n4\n5\n6\n7\n8\n9\n", 0));
}

#[tokio::test]
async fn a_listener_that_does_not_read_costs_no_more_than_the_time_limit() {
    let bench = bench();
    let input = json!({ "command": "yes", "timeout_ms": 200 });
    let planned = bench.plan("shell", input).await.unwrap();
    let (sink, _source): (OutputSink, _) = mpsc::channel(1);
    let context = bench.context.clone();
    let work = bench
        .toolbox
        .run(CallId::new("c"), planned, None, context, sink);
    let ended = timeout(PATIENCE, work).await.expect("the call ends");
    assert!(ended.failed && ended.text.starts_with("y\ny\n"));
}
