use greenroom_protocol::session::{CallRequest, Document};

use super::*;

fn message(calls: &[(&str, &str)]) -> AssistantMessage {
    let calls = calls.iter().map(|(id, provider_id)| CallRequest {
        id: CallId::new(*id),
        provider_id: (*provider_id).into(),
        tool: "read".into(),
        input: Document::default(),
    });
    AssistantMessage {
        calls: calls.collect(),
        ..AssistantMessage::default()
    }
}

#[test]
fn renewed_names_are_plain_and_never_repeat() {
    let mut names = CallNames::default();
    names.renew(
        EntryId(2),
        &message(&[("c1", "functions.read:0"), ("c2", "call_0"), ("c3", "")]),
    );
    assert_eq!(
        names.last().collect::<Vec<_>>(),
        ["functions_read_0", "call_0", "call"]
    );
    names.renew(
        EntryId(4),
        &message(&[("c4", "call_0"), ("c5", "call_0"), ("c6", "")]),
    );
    assert_eq!(
        names.last().collect::<Vec<_>>(),
        ["call_0_4_0", "call_0_4_1", "call_4_0"]
    );
    names.keep(&message(&[("c7", "a.b:1")]));
    assert_eq!(names.last().collect::<Vec<_>>(), ["a.b:1"]);
}

#[test]
fn an_input_that_is_no_object_becomes_an_empty_one() {
    let cases = [
        (r#"{"a":1.0}"#, r#"{"a":1.0}"#),
        (" {} ", "{}"),
        ("", "{}"),
        ("[1]", "{}"),
        (r#"{"a":"#, "{}"),
        (r#"{"a":1}{"#, "{}"),
        ("null", "{}"),
    ];
    for (input, expected) in cases {
        assert_eq!(object_or_empty(input).get(), expected, "{input:?}");
    }
}

#[test]
fn files_and_texts_become_words() {
    let mention = |lines| {
        mention_text(&Mention {
            path: "src/a.rs".into(),
            lines,
        })
    };
    assert_eq!(mention(None), "[file: src/a.rs]");
    assert_eq!(mention(Some((3, 9))), "[file: src/a.rs, lines 3-9]");
    assert_eq!(mention(Some((3, 3))), "[file: src/a.rs, line 3]");
    let resource = |text: &str| {
        resource_text(&Resource {
            name: "buffer:1".into(),
            text: text.into(),
        })
    };
    assert_eq!(resource("x\n"), "[buffer:1]\n```\nx\n```");
    assert_eq!(
        resource("````\nx\n````"),
        "[buffer:1]\n`````\n````\nx\n````\n`````"
    );
}
