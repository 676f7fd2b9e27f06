use greenroom_actors::ports::{Ran, Tools};
use greenroom_protocol::session::CallId;
use serde_json::json;

use super::super::ToolSettings;
use super::super::call::{Stop, done};
use super::super::testing::Bench;
use super::*;

fn bench() -> Bench {
    let bench = Bench::new();
    bench.put("b.txt", "one\ntwo\nthree\nfour\nTWO\n");
    bench.put("a/c.rs", "let two = 2;\n");
    bench.put(".git/x", "two\n");
    bench.put(".gitignore", "skipped\n");
    bench.put("skipped", "two\n");
    bench.put("bin", b"two\0\n");
    bench
}

#[tokio::test]
async fn finds_lines_in_order_of_paths() {
    let bench = bench();
    assert_eq!(
        bench.call("search", json!({"pattern": "two"})).await,
        done("[2 matches in 2 files]\na/c.rs:1:let two = 2;\nb.txt:2:two\n")
    );
    assert_eq!(
        bench
            .call(
                "search",
                json!({"pattern": "^TWO$", "case_insensitive": true})
            )
            .await,
        done("[2 matches in 1 file]\nb.txt:2:two\nb.txt:5:TWO\n")
    );
    assert_eq!(
        bench
            .call("search", json!({"pattern": "two", "glob": "*.rs"}))
            .await,
        done("[1 match in 1 file]\na/c.rs:1:let two = 2;\n")
    );
    assert_eq!(
        bench
            .call("search", json!({"pattern": "two", "path": "b.txt"}))
            .await,
        done("[1 match in 1 file]\nb.txt:2:two\n")
    );
    assert_eq!(
        bench.call("search", json!({"pattern": "five"})).await,
        done("nothing matches five")
    );
}

#[tokio::test]
async fn shows_lines_around() {
    let bench = bench();
    bench.put("b.txt", "1\n2\n3x\n4\n5\n6\n7\n8x\n9\n");
    assert_eq!(
        bench
            .call("search", json!({"pattern": "x$", "context": 1}))
            .await,
        done(
            "[2 matches in 1 file]\nb.txt-2-2\nb.txt:3:3x\nb.txt-4-4\n--\n\
             b.txt-7-7\nb.txt:8:8x\nb.txt-9-9\n"
        )
    );
}

#[tokio::test]
async fn stops_at_its_bounds_and_says_so() {
    let settings = ToolSettings {
        search_matches: 2,
        line_bytes: 10,
        ..ToolSettings::default()
    };
    let bench = Bench::with(settings);
    bench.put("a", "x1\nx2\n");
    let all = bench.call("search", json!({"pattern": "x"})).await;
    assert!(!all.truncated);
    bench.put("b", "x3\n");
    let expected = Ran {
        truncated: true,
        ..done("[2 matches in 1 file; there are more: narrow it down]\na:1:x1\na:2:x2\n")
    };
    assert_eq!(
        bench.call("search", json!({"pattern": "x"})).await,
        expected
    );
    bench.put("a", format!("x{}\n", "é".repeat(9)));
    bench.put("b", "");
    assert_eq!(
        bench.call("search", json!({"pattern": "x"})).await,
        done("[1 match in 1 file]\na:1:xéééé [… 10 bytes more]\n")
    );
}

#[tokio::test]
async fn passes_credentials_by_unless_they_are_named() {
    let bench = Bench::new();
    bench.put(".env", "KEY=abc\n");
    bench.put("x", "KEY\n");
    assert_eq!(
        bench.call("search", json!({"pattern": "KEY"})).await,
        done("[1 match in 1 file; 1 file with credentials left out]\nx:1:KEY\n")
    );
    assert_eq!(
        bench
            .call("search", json!({"pattern": "KEY", "path": ".env"}))
            .await,
        done("[1 match in 1 file]\n.env:1:KEY=abc\n")
    );
    bench.put(".aws/credentials", "KEY\n");
    assert_eq!(
        bench
            .call("search", json!({"pattern": "KEY", "path": ".aws"}))
            .await,
        done("[1 match in 1 file]\n.aws/credentials:1:KEY\n")
    );
}

#[tokio::test]
async fn an_input_that_cannot_be_searched_for_is_explained() {
    let bench = bench();
    let fault = bench.fault("search", json!({"pattern": "("})).await;
    assert!(
        fault.starts_with("`pattern` cannot be searched for: regex parse error"),
        "{fault}"
    );
    assert_eq!(
        bench
            .fault("search", json!({"pattern": "x", "path": "no"}))
            .await,
        "`path`: no does not exist"
    );
    let fault = bench
        .fault("search", json!({"pattern": "x", "glob": "["}))
        .await;
    assert!(fault.starts_with("`glob` is not a glob"), "{fault}");
}

#[test]
fn a_reader_ends_once_nobody_waits() {
    let stop = Stop::default();
    let mut reader = Stoppable {
        inner: std::io::repeat(b'x'),
        stop: &stop,
    };
    let mut buffer = [0; 4];
    assert_eq!(reader.read(&mut buffer).unwrap(), 4);
    stop.set();
    assert!(reader.read(&mut buffer).is_err());
}

#[tokio::test]
async fn a_dropped_search_sets_its_stop() {
    let (tell, told) = std::sync::mpsc::channel();
    let (begin, begun) = std::sync::mpsc::channel::<()>();
    let work = in_background(move |stop| {
        begun.recv().unwrap();
        tell.send(stop.is_set()).unwrap();
        done("x")
    });
    // Polled once, so that the thread has it; then dropped.
    tokio::select! {
        biased;
        _ = work => panic!("it cannot end yet"),
        () = std::future::ready(()) => {}
    }
    begin.send(()).unwrap();
    let stopped = tokio::task::spawn_blocking(move || told.recv().unwrap());
    assert!(stopped.await.unwrap());
    // And the port's own work is such work.
    let bench = bench();
    let planned = bench
        .plan("search", json!({"pattern": "two"}))
        .await
        .unwrap();
    let (sink, _source) = tokio::sync::mpsc::channel(1);
    let context = bench.context.clone();
    drop(
        bench
            .toolbox
            .run(CallId::new("c"), planned, None, context, sink),
    );
}
