//! Streams that end too early: in the middle of a character, of an event, of a
//! call's input.

use greenroom_actors::ports::{Chunk, ModelError};
use greenroom_protocol::session::{FailureKind, Stop};

use super::{Rig, joined};
use crate::mock_model::{Answer, Reply, Service, Tokens};

fn short() -> Answer {
    Answer::new()
        .say(&["Grüße 👩‍👩‍👧"])
        .call("call_a1", "shell", &["{\"command\":", "\"ls 世\"}"])
        .tokens(Tokens {
            input: 12,
            output: 34,
            ..Tokens::default()
        })
}

/// The byte after the event that says why the model stopped: from there on the
/// answer itself is whole.
fn whole_from(service: Service, stream: &[u8]) -> usize {
    let mark: &[u8] = match service {
        Service::OpenAi => b"\"finish_reason\":\"tool_calls\"",
        Service::Anthropic => b"\"stop_reason\":\"tool_use\"",
    };
    let at = stream
        .windows(mark.len())
        .position(|part| part == mark)
        .unwrap();
    let end = stream[at..]
        .windows(2)
        .position(|two| two == b"\n\n")
        .unwrap();
    at + end + 2
}

/// Where to end it: beside each end of an event and each byte of what is not
/// ASCII, and at every seventh byte.
fn places(stream: &[u8]) -> Vec<usize> {
    let is_special = |byte: &u8| *byte == b'\n' || !byte.is_ascii();
    let is_place = |at: &usize| {
        let around = &stream[at.saturating_sub(2)..(at + 2).min(stream.len())];
        at.is_multiple_of(7) || around.iter().any(is_special)
    };
    (0..=stream.len()).filter(is_place).collect()
}

/// An answer that ends at `at` is an error that may pass, with what came
/// before it told; or, when all was said, the answer.
async fn check(rig: &Rig, service: Service, at: usize, whole_from: usize, case: &str) {
    let (chunks, answer) = rig.ask().await;
    let chunks = joined(&chunks);
    let whole = [
        Chunk::Text("Grüße 👩‍👩‍👧".into()),
        Chunk::CallDrafted("shell".into()),
    ];
    let is_prefix = match chunks.as_slice() {
        [] => true,
        [Chunk::Text(told)] => "Grüße 👩‍👩‍👧".starts_with(told.as_str()),
        all => all == whole,
    };
    assert!(is_prefix, "{case}: {chunks:?}");
    match answer {
        Ok(answer) => {
            assert!(at >= whole_from, "{case}: {answer:?}");
            assert_eq!(chunks, whole, "{case}");
            let message = answer.message;
            assert_eq!(message.stop, Stop::Calls, "{case}");
            assert_eq!(&*message.text, "Grüße 👩‍👩‍👧", "{case}");
            assert_eq!(
                &*message.calls[0].input.0, "{\"command\":\"ls 世\"}",
                "{case}"
            );
        }
        Err(error) => {
            let stream = service.stream(&short());
            let is_whole = stream[..at].ends_with(b"message_stop\"}\n\n")
                || stream[..at].ends_with(b"[DONE]\n\n");
            assert!(!is_whole, "{case}: {error}");
            assert_eq!(
                (error.kind, error.retryable),
                (FailureKind::Broken, true),
                "{case}"
            );
        }
    }
}

#[tokio::test]
async fn a_stream_cut_anywhere_is_never_taken_for_a_whole_one() {
    for service in Service::ALL {
        let stream = service.stream(&short());
        let whole_from = whole_from(service, &stream);
        let places = places(&stream);
        let rig = Rig::new(service).await;
        for at in places.clone() {
            rig.mock.push(Reply::answer(short()).cut_at(at));
            check(
                &rig,
                service,
                at,
                whole_from,
                &format!("{service:?} cut at {at}"),
            )
            .await;
        }
        assert_eq!(rig.mock.requests().len(), places.len(), "no second tries");
    }
}

#[tokio::test]
async fn a_stream_ended_anywhere_is_never_taken_for_a_whole_one() {
    for service in Service::ALL {
        let stream = service.stream(&short());
        let whole_from = whole_from(service, &stream);
        let places = places(&stream);
        let rig = Rig::new(service).await;
        for at in places.clone() {
            rig.mock.push(Reply::answer(short()).end_at(at));
            check(
                &rig,
                service,
                at,
                whole_from,
                &format!("{service:?} ended at {at}"),
            )
            .await;
        }
    }
}

#[tokio::test]
async fn what_was_used_before_a_cut_is_told() {
    let rig = Rig::new(Service::Anthropic).await;
    let stream = Service::Anthropic.stream(&short());
    let middle = stream.len() / 2;
    rig.mock.push(Reply::answer(short()).cut_at(middle));
    let (_, answer) = rig.ask().await;
    let usage = answer.unwrap_err().usage.expect("message_start told it");
    assert_eq!(usage.input, 12);
}

#[tokio::test]
async fn a_connection_closed_without_an_answer_may_pass() {
    for service in Service::ALL {
        let rig = Rig::new(service).await;
        // The second on a connection that was used before: an HTTP client may
        // be tempted to send the request again by itself.
        for reply in [
            Reply::close_before_headers(),
            Reply::text("hi"),
            Reply::close_before_headers(),
            Reply::close_after_headers(),
        ] {
            rig.mock.push(reply);
        }
        let mut told = Vec::new();
        for _ in 0..4 {
            let (_, answer) = rig.ask().await;
            told.push(match answer {
                Ok(answer) => answer.message.text.to_string(),
                Err(ModelError {
                    kind, retryable, ..
                }) => format!("{kind:?} {retryable}"),
            });
        }
        assert_eq!(
            told,
            ["Broken true", "hi", "Broken true", "Broken true"],
            "{service:?}"
        );
        assert_eq!(rig.mock.requests().len(), 4, "{service:?}: no second tries");
    }
}

#[tokio::test]
async fn a_server_that_is_not_there_may_come() {
    for service in Service::ALL {
        let rig = Rig::new(service).await;
        let url = rig.mock.url();
        let providers = super::providers(super::config(service, url.clone()));
        drop(rig);
        let request = super::request(vec![super::prompt(1, "hello")]);
        let (_, answer) = super::call(&providers, request).await;
        let error = answer.unwrap_err();
        assert_eq!((error.kind, error.retryable), (FailureKind::Broken, true));
        assert!(error.message.contains(&url), "{}", error.message);
    }
}
