//! Answers that make no sense.

use greenroom_protocol::session::FailureKind;

use super::Rig;
use crate::mock_model::{Reply, Service};

#[tokio::test]
async fn what_is_no_http_is_a_broken_connection() {
    for service in Service::ALL {
        for bytes in [
            &b"SSH-2.0-OpenSSH_9.6\r\n"[..],
            &b"\x16\x03\x01\x02\x00\x01\x00"[..],
            &b"HTTP/1.1 twohundred OK\r\n\r\n"[..],
            &b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n"[..],
            &b"HTTP/1.1 200 OK\r\ncontent-le"[..],
        ] {
            let rig = Rig::new(service).await;
            rig.mock.push(Reply::raw(bytes));
            let (chunks, answer) = rig.ask().await;
            let error = answer.unwrap_err();
            assert_eq!(chunks, [], "{service:?} {error}");
            assert_eq!(
                (error.kind, error.retryable),
                (FailureKind::Broken, true),
                "{error}"
            );
        }
    }
}

#[tokio::test]
async fn events_that_make_no_sense_are_a_broken_stream() {
    let deep = format!("data: {}\n\n", "[".repeat(100_000));
    for service in Service::ALL {
        for events in [
            "data: not json\n\n",
            "data: {\"choices\":\n\n",
            "data: [1,2]\n\n",
            "data: 7\n\n",
            "data: {\"choices\":{\"a\":1}, \"type\":7}\n\n",
            "event: message_start\ndata: {\"type\":\"message_start\"}\n\n",
            "data: \u{0}\n\n",
            deep.as_str(),
            "",
            "\n\n\n\n",
            "<!doctype html><p>Sign in to the hotel's network",
        ] {
            let rig = Rig::new(service).await;
            rig.mock.push(Reply::stream(events));
            let (chunks, answer) = rig.ask().await;
            let shown: String = events.chars().take(60).collect();
            let error = match answer {
                Ok(answer) => panic!("{service:?} {shown:?}: {answer:?}"),
                Err(error) => error,
            };
            assert_eq!(chunks, [], "{service:?} {shown:?}");
            let found = (error.kind, error.retryable);
            assert_eq!(
                found,
                (FailureKind::Broken, true),
                "{service:?} {shown:?} {error}"
            );
            assert!(error.message.len() < 1000, "{service:?} {shown:?}");
        }
    }
}

#[tokio::test]
async fn bytes_that_are_no_text_do_no_harm() {
    for service in Service::ALL {
        let rig = Rig::new(service).await;
        let noise: Vec<u8> = (0..=255u8).cycle().take(100_000).collect();
        rig.mock.push(Reply::stream(noise));
        let (_, answer) = rig.ask().await;
        assert_eq!(answer.unwrap_err().kind, FailureKind::Broken, "{service:?}");
    }
}

#[tokio::test]
async fn a_web_page_points_to_the_base_url() {
    for service in Service::ALL {
        let rig = Rig::new(service).await;
        let page = Reply::stream("<!doctype html><p>Welcome").header("content-type", "text/html");
        rig.mock.push(page);
        let (_, answer) = rig.ask().await;
        let error = answer.unwrap_err();
        assert_eq!(
            (error.kind, error.retryable),
            (FailureKind::Invalid, false),
            "{error}"
        );
        assert!(error.message.contains("base_url"), "{error}");
        assert!(!error.message.contains('<'), "{error}");
    }
}

#[tokio::test]
async fn an_error_with_status_200_is_an_error() {
    let body = "{\"error\":{\"message\":\"model is overloaded\",\"type\":\"overloaded_error\"}}";
    for service in Service::ALL {
        let rig = Rig::new(service).await;
        rig.mock
            .push(Reply::stream(body).header("content-type", "application/json"));
        let (_, answer) = rig.ask().await;
        let error = answer.unwrap_err();
        assert_eq!(
            (error.kind, error.retryable),
            (FailureKind::Overloaded, true),
            "{error}"
        );
    }
}

#[tokio::test]
async fn an_endless_event_is_cut_off() {
    for service in Service::ALL {
        let rig = Rig::new(service).await;
        let mut body = b"data: {\"x\":\"".to_vec();
        body.resize(80 << 20, b'a');
        rig.mock.push(Reply::stream(body).in_pieces_of(1 << 20));
        let (_, answer) = rig.ask().await;
        let error = answer.unwrap_err();
        assert_eq!(error.kind, FailureKind::Broken, "{service:?} {error}");
        rig.mock.hung_up(1).await;
    }
}
