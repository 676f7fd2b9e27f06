//! Fetches from a server on the loopback.

use std::time::Duration;

use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

use super::super::testing::Bench;
use super::super::{ToolSettings, WebSettings};

/// Answers by the path, once a connection; gives its port.
async fn server(answer: impl Fn(&str, u16) -> Vec<u8> + Send + 'static) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut head = Vec::new();
            while !head.ends_with(b"\r\n\r\n") {
                match stream.read_u8().await {
                    Ok(byte) => head.push(byte),
                    Err(_) => break,
                }
            }
            let head = String::from_utf8(head).unwrap();
            let path = head.split(' ').nth(1).unwrap_or("/").to_owned();
            let _ = stream.write_all(&answer(&path, port)).await;
        }
    });
    port
}

fn ok(kind: &str, body: &str) -> Vec<u8> {
    format!("HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\nconnection: close\r\n\r\n{body}")
        .into_bytes()
}

fn moved(to: &str) -> Vec<u8> {
    format!(
        "HTTP/1.1 302 Found\r\nlocation: {to}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
    )
    .into_bytes()
}

fn bench(web: WebSettings) -> Bench {
    Bench::with(ToolSettings {
        web,
        ..ToolSettings::default()
    })
}

fn local() -> WebSettings {
    WebSettings {
        enabled: true,
        allow_private: true,
        max_bytes: 1000,
        timeout: Duration::from_secs(60),
        ..WebSettings::default()
    }
}

#[tokio::test]
async fn a_page_is_read_as_text_and_its_url_is_the_target() {
    let port = server(|_, _| ok("text/html", "<h1>Hi</h1><script>x()</script>")).await;
    let url = format!("http://127.0.0.1:{port}/a");
    let bench = bench(local());
    let planned = bench
        .plan("web_fetch", json!({"url": format!("{url}#top")}))
        .await
        .unwrap();
    assert_eq!(planned.target.as_deref(), Some(url.as_str()));
    let ran = bench.run_planned(planned, None).await;
    assert_eq!(
        (ran.text.trim(), ran.failed),
        (format!("[{url}: status 200]\n# Hi").as_str(), false)
    );
}

#[tokio::test]
async fn what_is_longer_is_cut_and_said_so() {
    let port = server(|_, _| ok("text/plain", &"x".repeat(100_000))).await;
    let ran = bench(local())
        .call(
            "web_fetch",
            json!({"url": format!("http://127.0.0.1:{port}/")}),
        )
        .await;
    assert!(ran.truncated);
    assert_eq!(ran.text.matches('x').count(), 1000);
    assert!(
        ran.text
            .ends_with("[the page is longer: only its first 1000 bytes were read]")
    );
}

#[tokio::test]
async fn redirects_are_followed_in_one_place_and_told_to_another() {
    let port = server(|path, port| match path {
        "/here" => moved("/there"),
        "/there" => ok("text/plain", "arrived"),
        "/away" => moved(&format!("http://localhost:{port}/there")),
        _ => moved("/round"),
    })
    .await;
    let bench = bench(local());
    let fetch = |path: &str| json!({"url": format!("http://127.0.0.1:{port}{path}")});
    let here = bench.call("web_fetch", fetch("/here")).await;
    assert_eq!(
        here.text,
        format!("[http://127.0.0.1:{port}/there: status 200]\narrived")
    );
    let away = bench.call("web_fetch", fetch("/away")).await;
    assert!(
        away.failed
            && away
                .text
                .contains(&format!("http://localhost:{port}/there"))
    );
    let round = bench.call("web_fetch", fetch("/round")).await;
    assert!(round.failed && round.text.starts_with("more than 5 redirects"));
}

#[tokio::test]
async fn this_machine_is_refused_by_address_and_by_name() {
    let port = server(|_, _| ok("text/plain", "secret")).await;
    let public = WebSettings {
        allow_private: false,
        ..local()
    };
    let bench = bench(public);
    for host in [
        "127.0.0.1",
        "2130706433",
        "0x7f.1",
        "[::1]",
        "[::ffff:127.0.0.1]",
    ] {
        let fault = bench
            .fault(
                "web_fetch",
                json!({"url": format!("http://{host}:{port}/")}),
            )
            .await;
        assert!(
            fault.contains("not an address of the public network"),
            "{fault}"
        );
    }
    let ran = bench
        .call(
            "web_fetch",
            json!({"url": format!("http://localhost:{port}/")}),
        )
        .await;
    assert!(
        ran.failed && ran.text.contains("not an address of the public network"),
        "{}",
        ran.text
    );
}

#[tokio::test]
async fn what_must_not_be_fetched_is_a_fault_of_the_input() {
    let bench = bench(local());
    for url in [
        "ftp://example.org/",
        "http://me:pw@example.org/",
        "file:///etc/passwd",
        "x",
    ] {
        bench.fault("web_fetch", json!({"url": url})).await;
    }
    let off = Bench::new()
        .fault("web_fetch", json!({"url": "http://example.org/"}))
        .await;
    assert_eq!(
        off,
        "fetching from the web is off: the user can set web.enabled"
    );
}

#[tokio::test]
async fn what_is_compressed_or_no_text_is_told_in_words() {
    let port = server(|path, _| match path {
        "/gz" => {
            b"HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\nconnection: close\r\n\r\nx".to_vec()
        }
        _ => ok("image/png", "\u{0}"),
    })
    .await;
    let bench = bench(local());
    let fetch = |path: &str| json!({"url": format!("http://127.0.0.1:{port}{path}")});
    let packed = bench.call("web_fetch", fetch("/gz")).await;
    assert!(packed.failed && packed.text.contains("came compressed (gzip)"));
    let picture = bench.call("web_fetch", fetch("/png")).await;
    assert!(picture.failed && picture.text.ends_with("it is image/png, which is not text"));
}
