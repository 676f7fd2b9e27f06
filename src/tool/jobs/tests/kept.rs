//! Jobs that outlive their session.

use super::*;

#[tokio::test]
async fn a_kept_job_outlives_its_session_and_goes_on_writing() {
    let bench = bench();
    let command = "echo $$; while :; do echo more; echo . >> ticks; sleep 0.02; done";
    let input = json!({ "command": command, "background": true, "keep": true });
    let started = bench.call("shell", input).await;
    assert!(
        started.text.contains("goes on when the session ends"),
        "{}",
        started.text
    );
    let text = output(&bench, "job1", |text| text.contains("more\n")).await;
    let pid: i32 = text.lines().next().unwrap().parse().unwrap();
    let fault = bench
        .fault("job_input", json!({ "job": "job1", "text": "x" }))
        .await;
    assert_eq!(
        fault,
        "job1 outlives the session, and so has no standard input"
    );

    bench
        .toolbox
        .job_board()
        .close_session(&bench.context.session);
    assert!(wait_for_stops(PATIENCE).await);
    let ticks = || bench.get("ticks").len();
    let before = ticks();
    let deadline = Instant::now() + PATIENCE;
    while ticks() < before + 20 {
        assert!(Instant::now() < deadline, "it does not go on");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let group = rustix::process::Pid::from_raw(pid).unwrap();
    rustix::process::kill_process_group(group, rustix::process::Signal::KILL).unwrap();
    gone(&[pid]).await;
}

#[tokio::test]
async fn a_kept_job_can_be_killed() {
    let bench = bench();
    let input = json!({ "command": "echo $$; sleep 300", "background": true, "keep": true });
    bench.call("shell", input).await;
    let pids = numbers(&bench, "job1", 1).await;
    let killed = bench.call("job_kill", json!({ "job": "job1" })).await;
    assert!(
        killed.text.contains("killed by signal 15 (SIGTERM)"),
        "{}",
        killed.text
    );
    gone(&pids).await;
}
