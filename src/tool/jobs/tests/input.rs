//! What jobs read, and how acts on them are planned.

use super::*;

#[tokio::test]
async fn what_cat_reads_comes_back_until_its_input_is_closed() {
    let bench = bench();
    start(&bench, "cat").await;
    let big = "x".repeat(90_000);
    let whole = format!("one\n{big}\nlast");
    for part in ["one\n", &big, "\n"] {
        let ran = bench
            .call("job_input", json!({ "job": "job1", "text": part }))
            .await;
        assert!(!ran.failed, "{}", ran.text);
    }
    let close = json!({ "job": "job1", "text": "last", "close": true });
    let closed = bench.call("job_input", close).await;
    assert_eq!(
        closed.text,
        "[4 bytes written to job1; its standard input is closed]"
    );
    let ended = until_end(&bench, "job1").await;
    assert_eq!((ended.exit_code, ended.truncated), (Some(0), true));
    assert!(ended.text.ends_with("xxx\nlast"));
    let all = output(&bench, "job1", |_| true).await;
    assert_eq!(
        all.len(),
        64 * 1024 + "\n[… 24473 bytes left out here …]\n".len()
    );
    assert_eq!(whole.len() - 64 * 1024, 24_473);
}

#[tokio::test]
async fn input_that_nobody_reads_costs_no_more_than_its_time() {
    let bench = bench();
    start(&bench, "exec <&-; echo closed; sleep 300").await;
    output(&bench, "job1", |text| text == "closed\n").await;
    let input = json!({ "job": "job1", "text": "x" });
    let closed = bench.call("job_input", input.clone()).await;
    assert_eq!(
        closed.text,
        "job1 has closed its standard input: 0 of 1 bytes were written"
    );
    let planned = bench.plan("job_input", input).await.unwrap();
    let again = bench.run_planned(planned, None).await;
    assert_eq!(again.text, "the standard input of job1 is closed");

    start(&bench, "sleep 300").await;
    let input = json!({ "job": "job2", "text": "x".repeat(99_000) });
    let full = bench.call("job_input", input.clone()).await;
    assert!(
        full.failed
            && full
                .text
                .starts_with("job2 does not read: 65536 of 99000 bytes"),
        "{}",
        full.text
    );
}

#[tokio::test]
async fn what_cannot_be_is_explained() {
    let bench = bench();
    let none = bench.fault("job_kill", json!({ "job": "job1" })).await;
    assert_eq!(
        none,
        "there is no job `job1`: there are none: start one with shell and `background`"
    );
    start(&bench, IDLE).await;
    let faults: [(&str, Value, &str); 7] = [
        (
            "job_output",
            json!({ "job": "jib1" }),
            "there is no job `jib1`: did you mean `job1`? There are job1",
        ),
        (
            "job_output",
            json!({ "tail": 3 }),
            "`job` is missing: it must be a string, since one job is waited for or read",
        ),
        (
            "job_output",
            json!({ "job": "job1", "wait_seconds": 601 }),
            "`wait_seconds` must be a whole number from 0 to 600, not 601",
        ),
        (
            "job_input",
            json!({ "job": "job1" }),
            "`text` is missing: it must be a string that is not empty, unless `close` is true",
        ),
        (
            "shell",
            json!({ "command": "true", "background": true, "timeout_ms": 5 }),
            "`timeout_ms` does not go with `background`: a job runs until it ends or job_kill \
             ends it",
        ),
        (
            "shell",
            json!({ "command": "true", "keep": true }),
            "`keep` goes with `background` alone",
        ),
        (
            "job_kill",
            json!({}),
            "`job` is missing: it must be a string",
        ),
    ];
    for (tool, input, expected) in faults {
        assert_eq!(bench.fault(tool, input).await, expected);
    }
    // Another session has its own.
    let mut other = bench;
    other.context.session = SessionId::new("20260101-000000-bbbbbb");
    let fault = other.fault("job_kill", json!({ "job": "job1" })).await;
    assert!(
        fault.starts_with("there is no job `job1`: there are none"),
        "{fault}"
    );
}

#[tokio::test]
async fn acts_are_planned_as_what_they_are() {
    let bench = bench();
    bench.put("sub/a", "");
    let input = json!({ "command": "cat", "background": true, "cwd": "sub" });
    let planned = bench.plan("shell", input.clone()).await.unwrap();
    assert_eq!(planned.command.as_deref(), Some("cat"));
    assert_eq!(&*planned.summary, "in the background: cat");
    bench.call("shell", input).await;

    let input = json!({ "job": "job1", "text": "rm x\nrm y\n" });
    let planned = bench.plan("job_input", input).await.unwrap();
    assert_eq!(planned.category, Category::Shell);
    assert_eq!(&*planned.summary, "to job1 (cat): rm x …");
    assert_eq!(
        planned.command.as_deref(),
        Some("cat <<'INPUT'\nrm x\nrm y\nINPUT")
    );
    assert_eq!(planned.touches[0].path, bench.root().join("sub"));
    let close = json!({ "job": "job1", "close": true });
    let planned = bench.plan("job_input", close).await.unwrap();
    assert_eq!(planned.command.as_deref(), Some("cat </dev/null"));

    let input = json!({ "command": "echo 'a'", "background": true, "keep": true });
    let planned = bench.plan("shell", input).await.unwrap();
    assert_eq!(
        &*planned.summary,
        "detached, outlives the session: echo 'a'"
    );
    assert_eq!(
        planned.command.as_deref(),
        Some(r"setsid --fork bash -c 'echo '\''a'\'''")
    );
}
