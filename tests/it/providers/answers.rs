//! Whole answers.

use greenroom_actors::ports::{Chunk, ModelAnswer};
use greenroom_protocol::session::{
    AssistantMessage, CallId, CallRequest, Cost, Document, Stop, Usage,
};

use super::{Rig, joined};
use crate::mock_model::{Answer, Reply, Service, Tokens};

const UNICODE: &str = "Grüße, 世界! 👩‍👩‍👧 e\u{301} \u{1F600}\u{10FFFF}\u{2028}\\\"\n\t\u{7f}";

fn call(id: &str, tool: &str, input: &str) -> CallRequest {
    CallRequest {
        id: CallId::new(id),
        provider_id: id.into(),
        tool: tool.into(),
        input: Document(input.into()),
    }
}

/// The same answer but for the provider's own blocks, which are tested by
/// sending them back.
fn without_raw(answer: ModelAnswer) -> ModelAnswer {
    let raw = None;
    let message = AssistantMessage {
        raw,
        ..answer.message
    };
    ModelAnswer { message, ..answer }
}

/// Thinking, text and two calls at once.
fn rich() -> Answer {
    Answer::new()
        .think(&["The user ", "greets. ", UNICODE], "c2lnbmF0dXJl")
        .say(&["Hello", ", ", UNICODE])
        .call(
            "call_a1",
            "shell",
            &["{\"comm", "and\": \"go te", "st ./...\"}"],
        )
        .call("call_b2", "read_file", &["{\"path\":\"ü.md\"}"])
        .tokens(Tokens {
            input: 2502,
            output: 91,
            cache_read: 2400,
            cache_write: 0,
        })
}

fn rich_answer() -> ModelAnswer {
    ModelAnswer {
        message: AssistantMessage {
            text: format!("Hello, {UNICODE}").into(),
            thinking: format!("The user greets. {UNICODE}").into(),
            calls: vec![
                call("call_a1", "shell", "{\"command\": \"go test ./...\"}"),
                call("call_b2", "read_file", "{\"path\":\"ü.md\"}"),
            ],
            raw: None,
            stop: Stop::Calls,
        },
        usage: Some(Usage {
            input: 2502,
            output: 91,
            cache_read: 2400,
            cache_write: 0,
            // A server on this machine costs nothing.
            cost: Cost(0),
            cost_unknown: false,
        }),
    }
}

fn rich_chunks() -> Vec<Chunk> {
    vec![
        Chunk::Thinking(format!("The user greets. {UNICODE}")),
        Chunk::Text(format!("Hello, {UNICODE}")),
        Chunk::CallDrafted("shell".into()),
        Chunk::CallDrafted("read_file".into()),
    ]
}

#[tokio::test]
async fn both_wires_give_the_same_answer() {
    for service in Service::ALL {
        let rig = Rig::new(service).await;
        rig.mock.push(Reply::answer(rich()));
        let (chunks, answer) = rig.ask().await;
        assert_eq!(joined(&chunks), rich_chunks(), "{service:?}");
        let answer = without_raw(answer.unwrap());
        assert_eq!(answer, rich_answer(), "{service:?}");
    }
}

#[tokio::test]
async fn how_the_network_cuts_the_bytes_changes_nothing() {
    for service in Service::ALL {
        let rig = Rig::new(service).await;
        for length in [1, 2, 3, 5, 7, 64, 1021, 1 << 20] {
            rig.mock.push(Reply::answer(rich()).in_pieces_of(length));
            let (chunks, answer) = rig.ask().await;
            assert_eq!(joined(&chunks), rich_chunks(), "{service:?} {length}");
            let answer = without_raw(answer.unwrap());
            assert_eq!(answer, rich_answer(), "{service:?} {length}");
        }
        assert_eq!(
            rig.mock.connections(),
            1,
            "{service:?} keeps its connection"
        );
    }
}

#[tokio::test]
async fn other_line_ends_comments_and_unknown_events_change_nothing() {
    for service in Service::ALL {
        let rig = Rig::new(service).await;
        let stream = String::from_utf8(service.stream(&rich())).unwrap();
        let unknown = match service {
            Service::OpenAi => {
                "data: {\"id\":\"x\",\"object\":\"something.new\",\"choices\":[]}\n\n"
            }
            Service::Anthropic => "event: something_new\ndata: {\"type\":\"something_new\"}\n\n",
        };
        let variants = [
            stream.replace('\n', "\r\n"),
            stream.replace('\n', "\r"),
            stream.replace("data: ", "data:"),
            format!("\u{feff}{stream}"),
            format!(
                ": OPENROUTER PROCESSING\n\n{}",
                stream.replace("\n\n", "\n\n: hm\n\n")
            ),
            format!("id: 7\nretry: 1000\n{unknown}{stream}"),
            stream.replace("data: {", "x: y\ndata\ndata: {"),
        ];
        for (number, variant) in variants.into_iter().enumerate() {
            for length in [1, 1 << 20] {
                let reply = Reply::stream(variant.clone()).in_pieces_of(length);
                rig.mock.push(reply);
                let (chunks, answer) = rig.ask().await;
                let case = format!("{service:?}, variant {number}, pieces of {length}");
                let answer = answer.unwrap_or_else(|error| panic!("{case}: {error}"));
                assert_eq!(joined(&chunks), rich_chunks(), "{case}");
                assert_eq!(without_raw(answer), rich_answer(), "{case}");
            }
        }
    }
}

#[tokio::test]
async fn each_reason_to_stop_is_understood() {
    let cases = [
        (Service::OpenAi, "stop", Stop::End),
        (Service::OpenAi, "length", Stop::MaxTokens),
        (Service::OpenAi, "content_filter", Stop::Refusal),
        (Service::Anthropic, "end_turn", Stop::End),
        (Service::Anthropic, "stop_sequence", Stop::End),
        (Service::Anthropic, "max_tokens", Stop::MaxTokens),
        (
            Service::Anthropic,
            "model_context_window_exceeded",
            Stop::MaxTokens,
        ),
        (Service::Anthropic, "refusal", Stop::Refusal),
    ];
    for (service, reason, stop) in cases {
        let rig = Rig::new(service).await;
        rig.mock
            .push(Reply::answer(Answer::new().say(&["well"]).stop(reason)));
        let (_, answer) = rig.ask().await;
        let message = answer.unwrap().message;
        assert_eq!(
            (message.stop, &*message.text),
            (stop, "well"),
            "{service:?} {reason}"
        );
    }
}

#[tokio::test]
async fn inputs_are_kept_as_the_model_wrote_them() {
    let cases: [(&[&str], &str); 6] = [
        (&[], "{}"),
        (&["{}"], "{}"),
        (
            &["{\"b\": 1.0, ", "\"a\":1e3,\"b\":2}"],
            "{\"b\": 1.0, \"a\":1e3,\"b\":2}",
        ),
        (&["{\"command\": \"ls"], "{\"command\": \"ls"),
        (&["not json"], "not json"),
        (
            &["{\"n\":12345678901234567890123}"],
            "{\"n\":12345678901234567890123}",
        ),
    ];
    for service in Service::ALL {
        for (pieces, input) in cases {
            let rig = Rig::new(service).await;
            rig.mock
                .push(Reply::answer(Answer::new().call("c1", "shell", pieces)));
            let (_, answer) = rig.ask().await;
            let calls = answer.unwrap().message.calls;
            assert_eq!(calls, [call("c1", "shell", input)], "{service:?}");
        }
    }
}

#[tokio::test]
async fn calls_with_missing_or_repeated_ids_get_their_own() {
    for service in Service::ALL {
        let rig = Rig::new(service).await;
        let answer = Answer::new()
            .call("", "a", &["{}"])
            .call("same", "b", &["{}"])
            .call("same", "c", &["{\"x\":1}"]);
        rig.mock.push(Reply::answer(answer));
        let (_, answer) = rig.ask().await;
        let calls = answer.unwrap().message.calls;
        let tools: Vec<(&str, &str)> = calls.iter().map(|c| (&*c.tool, &*c.input.0)).collect();
        assert_eq!(
            tools,
            [("a", "{}"), ("b", "{}"), ("c", "{\"x\":1}")],
            "{service:?}"
        );
        let ids: std::collections::BTreeSet<&str> =
            calls.iter().map(|call| &*call.provider_id).collect();
        assert_eq!(ids.len(), 3, "{service:?}: {ids:?}");
        assert!(!ids.contains(""), "{service:?}: {ids:?}");
    }
}

#[tokio::test]
async fn usage_is_told_only_when_the_service_told_it() {
    let rig = Rig::new(Service::OpenAi).await;
    rig.mock.push(Reply::text("hi"));
    let (_, answer) = rig.ask().await;
    assert_eq!(answer.unwrap().usage, None);

    // Counts of Anthropic's are the last ones told, not sums.
    let rig = Rig::new(Service::Anthropic).await;
    rig.mock
        .push(Reply::answer(Answer::new().say(&["hi"]).tokens(Tokens {
            input: 3,
            output: 250,
            cache_read: 11,
            cache_write: 7,
        })));
    let (_, answer) = rig.ask().await;
    let expected = Usage {
        input: 3,
        output: 250,
        cache_read: 11,
        cache_write: 7,
        cost: Cost(0),
        cost_unknown: false,
    };
    assert_eq!(answer.unwrap().usage, Some(expected));
}

#[tokio::test]
async fn a_large_input_in_small_pieces_takes_linear_time() {
    let content = "0123456789".repeat(50_000);
    let input = format!("{{\"content\":\"{content}\"}}");
    let pieces: Vec<&str> = input
        .as_bytes()
        .chunks(25)
        .map(|piece| std::str::from_utf8(piece).unwrap())
        .collect();
    for service in Service::ALL {
        let rig = Rig::new(service).await;
        let answer = Answer::new().call("c1", "write_file", &pieces);
        rig.mock.push(Reply::answer(answer).in_pieces_of(16 << 10));
        // Quadratic work on 20,000 pieces would take minutes, past the patience.
        let (_, answer) = rig.ask().await;
        let calls = answer.unwrap().message.calls;
        assert!(calls == [call("c1", "write_file", &input)], "{service:?}");
    }
}
