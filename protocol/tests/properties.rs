//! What holds for every input: nothing panics, every line gets its one answer,
//! no frame can be cut in two by any client's line reader.

#![allow(clippy::unwrap_used, clippy::expect_used)] // Helpers of tests are tests.

mod support;

use std::borrow::Cow;

use greenroom_protocol::dialect::autohand::Autohand;
use greenroom_protocol::dialect::hm::Hm;
use greenroom_protocol::dialect::{Dialect, LineFault};
use greenroom_protocol::session::*;
use greenroom_protocol::wire::{Frames, LineBuffer};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use serde_json::Value;
use support::values::*;

const SAMPLES: &[&str] = &[
    r#"{"id":"7","type":"prompt","text":"fix the failing test","images":[{"data":"/9j/+w=="}]}"#,
    r#"{"type":"approve","call_id":"toolu_01","allow":true,"note":"a","for_session":false,"edits":[{"path":"a","content":"b"}]}"#,
    r#"{"type":"set_model","provider":"p","model":"m","effort":"high","id":[1,{"a":1e400}]}"#,
    r#"{"type":"export","format":"md","path":"a","all_branches":true}"#,
    r#"{"type":"fork","entry":"12"}"#,
    r#"{"type":"prompt","message":"Review this","mentions":["src/index.ts"],"id":"1"}"#,
    r#"{"type":"permission_response","requestId":"perm-123","approve":true,"decision":"allow_once"}"#,
    r#"{"type":"question_response","requestId":"c","answers":[{"id":"q0","answer":"a"}]}"#,
];

/// Text with much of what breaks line readers and JSON writers.
fn hostile_text() -> impl Strategy<Value = String> {
    let pieces = select(vec![
        "a", "ä", "😀", "\u{2027}", "\u{2028}", "\u{2029}", "\u{85}", "\n", "\r", "\0", "\u{1b}",
        "\u{7f}", "\"", "\\", "\\u2028", "\u{fffd}", " ", "{", "}",
    ]);
    prop_oneof![
        vec(pieces, 0..12).prop_map(|it| it.concat()),
        any::<String>()
    ]
}

/// Any JSON value, numbers with their spelling.
fn json() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        select(vec![
            "null",
            "true",
            "false",
            "0",
            "-0",
            "1.0",
            "1e400",
            "-12345678901234567890123",
            "{}",
            "[]",
            "\"\\ud800\"",
            "\"\\u2028\"",
        ])
        .prop_map(str::to_owned),
        hostile_text().prop_map(|text| Value::from(text).to_string()),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(|items| format!("[{}]", items.join(","))),
            vec((hostile_text(), inner), 0..4).prop_map(|fields| {
                let field = |(name, value)| format!("{}:{value}", Value::from(name));
                let fields: Vec<String> = fields.into_iter().map(field).collect();
                format!("{{{}}}", fields.join(","))
            }),
        ]
    })
}

/// Bytes in which lines end, and end wrongly, often.
fn bytes() -> impl Strategy<Value = Vec<u8>> {
    let byte = prop_oneof![
        3 => select(b"\n\r \tab".to_vec()),
        1 => select(vec![0xff_u8, 0xc3, 0xa4, 0xe2, 0x80, 0xa8]),
        1 => any::<u8>(),
    ];
    vec(byte, 0..200)
}

/// A line answered or read: exactly one of both.
fn check_line<D: Dialect>(dialect: &mut D, line: &str) -> Result<Option<String>, TestCaseError> {
    let mut out = Frames::new();
    let read = dialect.read(line, Millis(support::NOON), &mut out);
    let answered = out.iter().count();
    prop_assert_eq!(answered, usize::from(read.is_none()), "{}", line);
    if let Some((asked, _)) = read {
        dialect.answer(asked, &Ok(Reply::Done), Millis(support::NOON), &mut out);
    }
    let frames = check_frames(&out)?;
    prop_assert_eq!(frames.len(), 1);
    Ok(frames.into_iter().next())
}

/// Every frame is one JSON object on one line, however a client cuts lines.
fn check_frames(out: &Frames) -> Result<Vec<String>, TestCaseError> {
    let mut frames = Vec::new();
    for frame in out.iter() {
        let frame = std::str::from_utf8(frame).expect("UTF-8");
        let cuts = |c: char| matches!(c, '\n' | '\r' | '\u{2028}' | '\u{2029}' | '\0'..='\x1f');
        prop_assert!(!frame.contains(cuts), "{:?}", frame);
        prop_assert!(frame.starts_with('{') && frame.ends_with('}'), "{}", frame);
        let read: Result<&serde_json::value::RawValue, _> = serde_json::from_str(frame);
        prop_assert!(read.is_ok(), "{}", frame);
        frames.push(frame.to_owned());
    }
    Ok(frames)
}

fn greeted<D: Dialect>(mut dialect: D) -> D {
    dialect.greet(&new_session(), Millis(support::NOON), &mut Frames::new());
    dialect
}

fn check_both(line: &str) -> Result<(), TestCaseError> {
    check_line(&mut greeted(Hm::new()), line)?;
    check_line(&mut greeted(Autohand::new()), line)?;
    Ok(())
}

proptest! {
    // A failing case becomes a plain test or a golden line, not a seed in a file.
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_answered_once(line in "\\PC+") {
        prop_assume!(!line.trim_ascii().is_empty());
        check_both(&line)?;
    }

    #[test]
    fn any_object_is_answered_once(
        kind in select(vec![
            "prompt", "steer", "approve", "answer", "set_mode", "set_model", "compact", "fork",
            "export", "list_sessions", "get_messages", "permission_response", "question_response",
        ]),
        fields in vec((select(vec![
            "text", "images", "call_id", "allow", "note", "edits", "answers", "mode", "provider",
            "model", "effort", "focus", "all", "entry", "format", "path", "message", "mentions",
            "context", "limit", "requestId", "approve", "decision", "answer", "type", "id",
        ]), json()), 0..6),
    ) {
        let mut line = format!("{{\"type\":\"{kind}\"");
        for (name, value) in fields {
            line += &format!(",\"{name}\":{value}");
        }
        check_both(&(line + "}"))?;
    }

    #[test]
    fn a_damaged_line_is_answered_once(
        sample in select(SAMPLES),
        damage in vec((any::<Index>(), any::<u8>()), 0..6),
        length in any::<Index>(),
    ) {
        let mut bytes = sample.as_bytes().to_vec();
        for (index, byte) in damage {
            let at = index.index(bytes.len());
            bytes[at] = byte;
        }
        bytes.truncate(1 + length.index(2 * bytes.len()));
        let line = String::from_utf8_lossy(&bytes);
        prop_assume!(!line.trim_ascii().is_empty());
        check_both(&line)?;
    }

    #[test]
    fn an_id_comes_back_as_it_went(id in json(), kind in select(vec!["abort", "dance", "prompt"])) {
        let line = format!("{{\"id\":{id},\"type\":\"{kind}\"}}");
        // What may not stand raw in a frame is escaped: the value is the same.
        let id = id.replace('\u{2028}', "\\u2028").replace('\u{2029}', "\\u2029");
        let expected = format!("\"id\":{id},\"command\":\"{kind}\"");
        let frames = [
            check_line(&mut greeted(Hm::new()), &line)?,
            check_line(&mut greeted(Autohand::new()), &line)?,
        ];
        for frame in frames.into_iter().flatten() {
            prop_assert!(frame.contains(&expected), "{} lacks {}", frame, expected);
        }
    }

    #[test]
    fn lines_do_not_depend_on_how_they_are_cut(
        bytes in bytes(),
        cuts in vec(1..9_usize, 1..40),
        limit in 0..12_usize,
    ) {
        let mut whole = LineBuffer::new(limit);
        let mut expected: Vec<Result<String, LineFault>> =
            whole.push(&bytes).map(|line| line.map(Cow::into_owned)).collect();
        expected.extend(whole.finish());

        let mut pieces = LineBuffer::new(limit);
        let mut got = Vec::new();
        let mut rest = bytes.as_slice();
        for cut in cuts.into_iter().cycle() {
            if rest.is_empty() {
                break;
            }
            let (now, later) = rest.split_at(cut.min(rest.len()));
            got.extend(pieces.push(now).map(|line| line.map(Cow::into_owned)));
            rest = later;
        }
        got.extend(pieces.finish());
        prop_assert_eq!(&got, &expected);
        for line in got.iter().flatten() {
            prop_assert!(line.len() <= limit && !line.contains('\n'), "{:?}", line);
            prop_assert!(!line.trim_ascii().is_empty());
        }
    }

    #[test]
    fn bytes_are_cut_and_answered(bytes in bytes()) {
        let mut buffer = LineBuffer::default();
        for line in buffer.push(&bytes) {
            match line {
                Ok(line) => check_both(&line)?,
                Err(fault) => {
                    let mut out = Frames::new();
                    Hm::new().unreadable(fault, Millis(0), &mut out);
                    Autohand::new().unreadable(fault, Millis(0), &mut out);
                    prop_assert_eq!(check_frames(&out)?.len(), 2);
                }
            }
        }
    }

    #[test]
    fn the_text_of_a_message_is_its_joined_deltas(pieces in vec(hostile_text(), 1..8)) {
        let joined = pieces.concat();
        let mut happenings = vec![message_started(2)];
        happenings.extend(pieces.iter().map(|piece| text_added(2, piece)));
        happenings.insert(2, Happening::ThinkingAdded { entry: EntryId(2), text: text("hm") });
        happenings.push(message_ended(2, &joined, Stop::End));

        let frames = tell_all(greeted(Hm::new()), &happenings, support::NOON)?;
        let of = |kind: &str| frames.iter().filter(move |it| it["type"] == kind).collect::<Vec<_>>();
        let deltas: String = of("text_delta").iter().map(|it| it["text"].as_str().unwrap()).collect();
        prop_assert_eq!(&deltas, &joined);
        prop_assert_eq!(of("message_end")[0]["text"].as_str(), Some(joined.as_str()));

        let frames = tell_all(greeted(Autohand::new()), &happenings, support::NOON)?;
        let of = |kind: &str| frames.iter().filter(move |it| it["type"] == kind).collect::<Vec<_>>();
        let deltas: String =
            of("message_update").iter().map(|it| it["data"]["delta"].as_str().unwrap()).collect();
        prop_assert_eq!(&deltas, &joined);
        prop_assert_eq!(of("message_end")[0]["data"]["content"].as_str(), Some(joined.as_str()));
    }

    #[test]
    fn any_text_of_the_session_makes_whole_frames(
        said in hostile_text(),
        input in prop_oneof![hostile_text(), json(), json().prop_map(|it| it.replace(',', " ,\r\n"))],
    ) {
        let happenings = [
            user(1, &said, Source::Prompt),
            call_started(Call { input: Document(text(&input)), ..shell(&said, "x") }),
            Happening::ApprovalAsked(std::sync::Arc::new(shell_approval(&said, &said))),
            Happening::ApprovalSettled(settled(&said, false, SettledBy::Client)),
            call_ended(ended(&said, CallEnd::Denied, &said)),
            Happening::Noticed { text: text(&said) },
            turn_ended(Outcome::Failed(failure(FailureKind::Invalid, &said))),
        ];
        // That is JSON, but no number that this test can read.
        prop_assume!(!input.contains("1e400"));
        tell_all(greeted(Hm::new()), &happenings, support::NOON)?;
        let frames = tell_all(greeted(Autohand::new()), &happenings, support::NOON)?;
        let start = frames.iter().find(|it| it["type"] == "tool_execution_start").unwrap();
        let args = &start["data"]["args"];
        match serde_json::from_str::<Value>(&input) {
            Ok(expected) => prop_assert_eq!(args, &expected),
            // Half of a surrogate pair is mended, anything else becomes a string.
            Err(_) if input.contains("\\ud800") => (),
            Err(_) => prop_assert_eq!(args, &Value::from(input)),
        }
    }

    #[test]
    fn usage_adds_up_and_time_never_goes_back(
        used in vec((0..1u64 << 40, 0..1u64 << 40, 0..1u64 << 50), 0..8),
        times in vec(0..1u64 << 45, 8),
    ) {
        let mut hm = greeted(Hm::new());
        let mut out = Frames::new();
        let mut sum = Usage::default();
        for ((input, output, cost), at) in used.iter().zip(&times) {
            let usage = usage(*input, *output, 7, *cost);
            sum = sum.plus(usage);
            let happening = Happening::Used { usage };
            hm.tell(&Event { seq: 1, at: Millis(*at), happening }, &mut out);
        }
        hm.farewell(0, Millis(0), &mut out);
        let frames = check_frames(&out)?;
        let expected = format!(
            "\"usage\":{{\"input\":{},\"output\":{},\"cache_read\":{},\"cache_write\":0,\"cost\":{}}}}}",
            sum.input, sum.output, sum.cache_read, decimal(sum.cost.0),
        );
        let last = frames.last().unwrap();
        prop_assert!(last.ends_with(&expected), "{} lacks {}", last, expected);
        let stamps: Vec<String> = frames.iter().map(|frame| {
            let frame: Value = serde_json::from_str(frame).unwrap();
            frame["time"].as_str().unwrap().to_owned()
        }).collect();
        prop_assert!(stamps.is_sorted(), "{:?}", stamps);
    }
}

/// Micro-dollars in dollars, worked out in another way than the wire does.
fn decimal(micros: u64) -> String {
    let padded = format!("{}.{:06}", micros / 1_000_000, micros % 1_000_000);
    padded
        .trim_end_matches('0')
        .trim_end_matches('.')
        .to_owned()
}

fn tell_all<D: Dialect>(
    mut dialect: D,
    happenings: &[Happening],
    at: u64,
) -> Result<Vec<Value>, TestCaseError> {
    let mut out = Frames::new();
    for (seq, happening) in (1..).zip(happenings) {
        let happening = happening.clone();
        let at = Millis(at + seq);
        dialect.tell(&Event { seq, at, happening }, &mut out);
    }
    let frames = check_frames(&out)?;
    let read = |frame: &String| serde_json::from_str(frame);
    frames
        .iter()
        .map(|frame| read(frame).map_err(|error| TestCaseError::fail(format!("{error}: {frame}"))))
        .collect()
}
