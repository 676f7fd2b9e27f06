use tokio::net::TcpListener;

use super::*;
use crate::provider::Wire;
use crate::provider::testing::{KEY, peer, serve};

fn http() -> Http {
    Http::new(HttpSettings {
        connect: Duration::from_secs(10),
    })
}

#[tokio::test]
async fn posts_and_gives_the_body() {
    let answer = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\ndata: x\n\n";
    let (base, asked) = serve(answer).await;
    let peer = peer("p", Wire::OpenAiChat, &base);
    let mut body = http()
        .post(&peer, "chat/completions", b"{}".to_vec())
        .await
        .unwrap();
    let mut all = Vec::new();
    while let Some(bytes) = body.next(&peer).await.unwrap() {
        all.extend_from_slice(bytes.as_ref());
    }
    assert_eq!(all, b"data: x\n\n");
    let asked = asked.await.unwrap().to_ascii_lowercase();
    assert!(
        asked.starts_with("post /v1/chat/completions http/1.1\r\n"),
        "{asked}"
    );
    for line in [
        format!("authorization: bearer {KEY}"),
        "content-type: application/json".into(),
        "accept: text/event-stream".into(),
    ] {
        assert!(asked.contains(&format!("\r\n{line}\r\n")), "{asked}");
    }
}

#[tokio::test]
async fn a_refusal_is_classified_and_its_body_capped() {
    let words = "word ".repeat(100_000);
    let head = "HTTP/1.1 429 Too Many Requests\r\nretry-after: 7\r\nconnection: close\r\n\r\n";
    let (base, _asked) = serve(format!("{head}{words}")).await;
    let peer = peer("p", Wire::OpenAiChat, &base);
    let error = http().post(&peer, "x", b"{}".to_vec()).await.unwrap_err();
    assert_eq!(error.kind, FailureKind::RateLimited);
    assert_eq!(error.retry_after, Some(Duration::from_secs(7)));
    assert!(error.message.len() < 1000);
}

#[tokio::test]
async fn redirects_are_not_followed() {
    let answer = "HTTP/1.1 307 Temporary Redirect\r\nlocation: http://127.0.0.1:1/steal\r\ncontent-length: 0\r\n\r\n";
    let (base, _asked) = serve(answer).await;
    let peer = peer("p", Wire::Anthropic, &base);
    let error = http()
        .post(&peer, "messages", b"{}".to_vec())
        .await
        .unwrap_err();
    assert_eq!((error.kind, error.retryable), (FailureKind::Invalid, false));
    assert!(
        error.message.contains("to http://127.0.0.1:1/steal"),
        "{}",
        error.message
    );
}

#[tokio::test]
async fn a_body_that_breaks_off_is_broken() {
    let answer = "HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\ndata: x\n\n";
    let (base, _asked) = serve(answer).await;
    let peer = peer("p", Wire::OpenAiChat, &base);
    let mut body = http().post(&peer, "x", b"{}".to_vec()).await.unwrap();
    assert!(body.next(&peer).await.unwrap().is_some());
    let error = body.next(&peer).await.map(|_| ()).unwrap_err();
    assert_eq!((error.kind, error.retryable), (FailureKind::Broken, true));
}

#[tokio::test]
async fn nobody_there() {
    // The port was free a moment ago, and nobody listens there.
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base = format!("http://{}/v1", listener.local_addr().unwrap());
    drop(listener);
    let peer = peer("p", Wire::OpenAiChat, &base);
    let error = http().get(&peer, "models").await.unwrap_err();
    assert_eq!((error.kind, error.retryable), (FailureKind::Broken, true));
    let expected = format!("provider `p`: cannot connect to {base}: ");
    assert!(error.message.starts_with(&expected), "{}", error.message);
    assert!(
        error.message.ends_with("; check that the server runs"),
        "{}",
        error.message
    );
}

#[tokio::test]
async fn an_address_that_is_none() {
    for base in ["", "api.openai.com/v1", "ftp://h.test/v1", "http://"] {
        let peer = peer("p", Wire::OpenAiChat, base);
        let error = http().get(&peer, "models").await.unwrap_err();
        assert_eq!(
            (error.kind, error.retryable),
            (FailureKind::Invalid, false),
            "{base}"
        );
        assert!(error.message.contains("base_url"), "{}", error.message);
    }
}
