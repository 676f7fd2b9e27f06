//! Real commands in the background. Waits have wide deadlines: the machine may
//! be busy.

mod input;
mod kept;

use std::path::Path;
use std::time::Duration;

use greenroom_actors::ports::{JobEnd, JobEnded, Ran};
use greenroom_protocol::session::{Category, SessionId};
use serde_json::{Value, json};
use tokio::time::{Instant, timeout};

use super::super::testing::Bench;
use super::super::{ToolSettings, wait_for_stops};

const PATIENCE: Duration = Duration::from_secs(60);

/// Runs on until it is ended.
const IDLE: &str = "echo begun; while :; do sleep 1; done";

fn bench_with(mut settings: ToolSettings) -> Bench {
    super::super::shell::adopt_orphans().unwrap();
    let path = std::env::var_os("PATH").unwrap();
    settings.environment.0.push(("PATH".into(), path));
    Bench::with(settings)
}

fn bench() -> Bench {
    bench_with(ToolSettings::default())
}

async fn start(bench: &Bench, command: &str) -> Ran {
    let input = json!({ "command": command, "background": true });
    bench.call("shell", input).await
}

/// What a job wrote, from its beginning, once that satisfies the caller.
async fn output(bench: &Bench, job: &str, enough: impl Fn(&str) -> bool) -> String {
    let deadline = Instant::now() + PATIENCE;
    loop {
        let input = json!({ "job": job, "tail": 100_000, "wait_seconds": 1 });
        let told = bench.call("job_output", input).await.text;
        let text = told.split_once("]\n").unwrap().1;
        if enough(text) {
            return text.to_owned();
        }
        assert!(Instant::now() < deadline, "not in time: {told}");
    }
}

/// The numbers that a job printed, one a line.
async fn numbers(bench: &Bench, job: &str, count: usize) -> Vec<i32> {
    let text = output(bench, job, |text| text.matches('\n').count() >= count).await;
    text.lines()
        .map(|line| line.trim().parse().unwrap())
        .collect()
}

async fn until_end(bench: &Bench, job: &str) -> Ran {
    let input = json!({ "job": job, "wait_seconds": 60, "until": "end" });
    bench.call("job_output", input).await
}

/// A state without the seconds, which depend on the machine.
fn without_seconds(text: &str) -> String {
    let mut words: Vec<&str> = text.split(' ').collect();
    for at in 1..words.len() {
        if words[at].trim_end_matches([':', ',', ']', ';']) == "s"
            && words[at - 1].parse::<u64>().is_ok()
        {
            words[at - 1] = "N";
        }
    }
    words.join(" ")
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
async fn a_job_is_started_looked_at_and_its_end_is_told() {
    let bench = bench();
    let mut ends = bench
        .toolbox
        .job_board()
        .ends(&bench.context.session)
        .unwrap();
    let started = start(
        &bench,
        "echo out; echo err >&2; read -r word; echo $word; exit 3",
    )
    .await;
    assert!(!started.failed, "{}", started.text);
    assert!(
        started
            .text
            .starts_with("[job1 is running in the background."),
        "{}",
        started.text
    );
    let both = output(&bench, "job1", |text| text.matches('\n').count() == 2).await;
    assert_eq!(both, "out\nerr\n");

    let nothing = bench.call("job_output", json!({ "job": "job1" })).await;
    let expected = "[job1 is running, for N s so far; no new output]\n";
    assert_eq!(without_seconds(&nothing.text), expected);

    let written = bench
        .call("job_input", json!({ "job": "job1", "text": "now\n" }))
        .await;
    assert_eq!(written.text, "[4 bytes written to job1]");
    let ended = until_end(&bench, "job1").await;
    let expected = Ran {
        text: "[job1 ended after N s: exit code 3]\nnow\n".into(),
        exit_code: Some(3),
        ..Ran::default()
    };
    assert_eq!(
        Ran {
            text: without_seconds(&ended.text),
            ..ended
        },
        expected
    );

    let told = timeout(PATIENCE, ends.recv()).await.unwrap().unwrap();
    let expected = JobEnded {
        job: "job1".into(),
        command: "echo out; echo err >&2; read -r word; echo $word; exit 3".into(),
        end: JobEnd::Exited(3),
        tail: "out\nerr\nnow\n".into(),
        seconds: told.seconds,
    };
    assert_eq!(told, expected);
    let fault = bench
        .fault("job_input", json!({ "job": "job1", "text": "x" }))
        .await;
    assert_eq!(
        without_seconds(&fault),
        "job1 ended after N s: exit code 3: it reads nothing any more"
    );
}

#[tokio::test]
async fn ends_are_told_to_whoever_asks_later_but_not_those_that_were_killed() {
    let bench = bench();
    start(&bench, "exit 7").await;
    until_end(&bench, "job1").await;
    start(&bench, IDLE).await;
    bench.call("job_kill", json!({ "job": "job2" })).await;
    start(&bench, "kill -9 $$").await;
    let board = bench.toolbox.job_board();
    let mut ends = board.ends(&bench.context.session).unwrap();
    let mut heard = Vec::new();
    for _ in 0..2 {
        let ended = timeout(PATIENCE, ends.recv()).await.unwrap().unwrap();
        heard.push((ended.job.to_string(), ended.end));
    }
    let expected = [
        ("job1".to_owned(), JobEnd::Exited(7)),
        ("job3".to_owned(), JobEnd::Signalled(9)),
    ];
    assert_eq!(heard, expected);
    // Another one takes over.
    let mut others = board.ends(&bench.context.session).unwrap();
    start(&bench, "exit 8").await;
    let ended = timeout(PATIENCE, others.recv()).await.unwrap().unwrap();
    assert_eq!(ended.end, JobEnd::Exited(8));
    assert_eq!(ends.recv().await, None);
}

#[tokio::test]
async fn a_killed_job_takes_everything_with_it() {
    let bench = bench();
    // All ignore TERM. The second left the group, the third lost its parent as
    // well.
    bench.put(
        "stubborn",
        "trap '' TERM; echo $$; while :; do sleep 1; done",
    );
    let command = "setsid bash stubborn & (setsid bash stubborn &); . ./stubborn";
    start(&bench, command).await;
    let pids = numbers(&bench, "job1", 3).await;
    let killed = bench.call("job_kill", json!({ "job": "job1" })).await;
    assert!(
        killed.text.contains("s: killed by signal 9 (SIGKILL)"),
        "{}",
        killed.text
    );
    gone(&pids).await;
    assert!(wait_for_stops(PATIENCE).await);
    let again = bench.call("job_kill", json!({ "job": "job1" })).await;
    assert!(again.text.contains("killed by signal 9"), "{}", again.text);
}

#[tokio::test]
async fn a_polite_job_ends_by_itself_when_killed() {
    let bench = bench();
    let command = "trap 'echo bye; exit 4' TERM; echo begun; while :; do sleep 0.1; done";
    start(&bench, command).await;
    output(&bench, "job1", |text| text == "begun\n").await;
    let killed = bench.call("job_kill", json!({ "job": "job1" })).await;
    let text = without_seconds(&killed.text);
    // The shell may have a word on its `sleep` before.
    assert!(
        text.starts_with("[job1 ended after N s: exit code 4]\n"),
        "{text}"
    );
    assert!(text.ends_with("bye\n"), "{text}");
}

#[tokio::test]
async fn a_closed_session_leaves_nothing() {
    let bench = bench();
    bench.put(
        "stubborn",
        "trap '' TERM; echo $$; while :; do sleep 1; done",
    );
    start(&bench, "setsid bash stubborn & . ./stubborn").await;
    start(&bench, "echo $$; sleep 300").await;
    let mut pids = numbers(&bench, "job1", 2).await;
    pids.extend(numbers(&bench, "job2", 1).await);
    bench
        .toolbox
        .job_board()
        .close_session(&bench.context.session);
    let listed = bench.call("job_output", json!({})).await;
    assert_eq!(listed.text, "there are no jobs");
    gone(&pids).await;
    assert!(wait_for_stops(PATIENCE).await);
}

#[tokio::test]
async fn a_dropped_toolbox_leaves_nothing() {
    let bench = bench();
    start(&bench, "echo $$; sleep 300").await;
    let pids = numbers(&bench, "job1", 1).await;
    drop(bench);
    gone(&pids).await;
}

#[tokio::test]
async fn a_flood_is_kept_within_bounds() {
    let settings = ToolSettings {
        output_bytes: 1_000,
        job_output_bytes: 8_000,
        ..ToolSettings::default()
    };
    let bench = bench_with(settings);
    start(
        &bench,
        "echo head; yes 0123456789 | head -c 20000000; echo; echo tail",
    )
    .await;
    let ended = until_end(&bench, "job1").await;
    assert!(ended.truncated);
    assert!(ended.text.len() < 1_300, "{}", ended.text.len());
    assert!(
        ended.text.contains("exit code 0]\nhead\n0123456789\n"),
        "{}",
        ended.text
    );
    assert!(ended.text.ends_with("\ntail\n"), "{}", ended.text);
    let last = bench
        .call("job_output", json!({ "job": "job1", "tail": 1 }))
        .await;
    assert!(last.text.ends_with("]\ntail\n"), "{}", last.text);
}

#[tokio::test]
async fn no_more_run_at_once_than_the_limit() {
    let settings = ToolSettings {
        jobs: 2,
        ..ToolSettings::default()
    };
    let bench = bench_with(settings);
    start(&bench, IDLE).await;
    start(&bench, IDLE).await;
    let one_more = start(&bench, "true").await;
    let expected = "2 jobs run in the background already (job1, job2), and that is the limit: wait \
                    for one with job_output, or end one with job_kill";
    assert_eq!((one_more.failed, one_more.text.as_str()), (true, expected));
    bench.call("job_kill", json!({ "job": "job1" })).await;
    assert!(!start(&bench, "true").await.failed);
    until_end(&bench, "job3").await;

    let listed = bench.call("job_output", json!({})).await;
    let listed: Vec<String> = listed.text.lines().map(without_seconds).collect();
    assert_eq!(listed.len(), 3);
    assert_eq!(
        listed[1],
        format!("job2 is running, for N s so far; 6 bytes of output not looked at: {IDLE}")
    );
    assert_eq!(listed[2], "job3 ended after N s: exit code 0: true");

    let none = bench_with(ToolSettings {
        jobs: 0,
        ..ToolSettings::default()
    });
    let refused = start(&none, "true").await;
    assert_eq!(
        refused.text,
        "nothing may run in the background here: `tools.jobs` is 0"
    );
    assert!(
        none.toolbox
            .job_board()
            .ends(&none.context.session)
            .is_none()
    );
}
