//! The parts that need no process: the order of things, and how they look.

use expect_test::{Expect, expect};
use serde_json::{Value, json};

use super::screen::{Look, Screen, Who};
use super::show;
use super::story::{PROMPT, Story};

/// The events of a session that goes well, as far as the story minds them.
fn good_session() -> Vec<Value> {
    let ok = |id: &str| json!({"type": "response", "id": id, "command": "x", "ok": true});
    let user = |source: &str| json!({"type": "message_end", "role": "user", "source": source});
    let result = |tool: &str| json!({"type": "tool_result", "tool": tool, "is_error": false});
    let shell = |code: i64| json!({"type": "tool_result", "tool": "shell", "is_error": code != 0, "exit_code": code});
    vec![
        json!({"type": "session_start"}),
        ok("prompt-1"),
        user("prompt"),
        json!({"type": "plan"}),
        result("update_plan"),
        result("write_file"),
        result("write_file"),
        json!({"type": "approval_needed"}),
        ok("approve-1"),
        json!({"type": "approval", "allow": true, "by": "client"}),
        shell(1),
        json!({"type": "question"}),
        ok("steer-1"),
        ok("answer-1"),
        result("ask_user"),
        user("steer"),
        json!({"type": "plan"}),
        result("edit_file"),
        shell(0),
        json!({"type": "message_end", "role": "assistant", "stop": "end"}),
        json!({"type": "turn_end", "status": "ok"}),
        json!({"type": "session_end"}),
    ]
}

fn play(events: &[Value]) -> Result<bool, String> {
    let mut story = Story::default();
    for event in events {
        story.take(event)?;
    }
    Ok(story.is_over())
}

#[test]
fn a_good_session_is_the_whole_story() {
    let events = good_session();
    assert_eq!(play(&events), Ok(true));
    for end in 0..events.len() {
        assert_eq!(
            play(&events[..end]),
            Ok(false),
            "cut before {}",
            events[end]
        );
    }
}

/// Whatever two neighbours of the story change places, it is noticed.
#[test]
fn nothing_may_be_missing_or_come_at_another_time() {
    let is_minded = |event: &Value| {
        let mut story = Story::default();
        let begun = story.awaited();
        story.take(event).is_err() || story.awaited() != begun
    };
    let mut events = good_session();
    events.retain(is_minded);
    // The second plan is not minded after the first.
    events.remove(events.len() - 6);
    assert_eq!(play(&events), Ok(true));
    for index in 1..events.len() {
        let mut swapped = events.clone();
        swapped.swap(index - 1, index);
        if swapped != events {
            assert_ne!(play(&swapped), Ok(true), "{} swapped", events[index]);
        }
        let mut shorter = events.clone();
        shorter.remove(index);
        assert_ne!(play(&shorter), Ok(true), "{} missing", events[index]);
    }
}

#[test]
fn what_must_not_happen_is_named() {
    let check = |event: Value, expected: Expect| {
        let mut story = Story::default();
        expected.assert_eq(&story.take(&event).unwrap_err());
    };
    check(
        json!({"type": "response", "id": PROMPT, "command": "prompt", "ok": false, "error": "no"}),
        expect!["the agent refused prompt: no"],
    );
    check(
        json!({"type": "turn_end", "status": "aborted"}),
        expect!["the turn ended as aborted"],
    );
    check(
        json!({"type": "approval", "allow": true, "by": "flag"}),
        expect!["the approval was settled otherwise than by the host"],
    );
    check(
        json!({"type": "tool_result", "tool": "shell", "is_error": true, "exit_code": 127, "text": "sh: gone"}),
        expect![[r#"shell failed: "sh: gone""#]],
    );
    check(
        json!({"type": "turn_end", "status": "ok"}),
        expect!["the end of the turn came before session_start"],
    );
}

fn drawn(draw: impl FnOnce(&mut Screen<&mut Vec<u8>>) -> std::io::Result<()>) -> String {
    let mut bytes = Vec::new();
    draw(&mut Screen::new(&mut bytes, false)).unwrap();
    String::from_utf8(bytes).unwrap()
}

#[test]
fn words_are_wrapped_and_pieces_flow_together() {
    let text = drawn(|screen| {
        screen.say(Who::Host, "prompt", Look::Plain, "Do it.\n\n  Now.")?;
        for piece in ["One", " two\n", "\nthree", " ", "four \n\n"] {
            screen.stream("text", Look::Plain, piece)?;
        }
        screen.stream("thinking", Look::Dim, &"ten chars ".repeat(9))?;
        screen.say(Who::Seen, "", Look::Added, "+ x")?;
        screen.paragraph("The end.")
    });
    expect![[r#"
        host  → prompt           Do it.

                                   Now.
        agent ← text             One two

                                 three four
        agent ← thinking         ten chars ten chars ten chars ten chars ten chars ten chars ten chars ten
                                 chars ten chars
                                 + x
        The end.
    "#]]
    .assert_eq(&text);
    assert!(text.lines().all(|line| line.trim_end() == line), "{text:?}");
}

#[test]
fn nothing_steers_the_terminal() {
    let text = drawn(|screen| {
        screen.say(Who::Agent, "tool_result", Look::Plain, "a\x1b[2Jb\tc")?;
        screen.stream("text", Look::Plain, "d\x07e")
    });
    assert!(text.contains("a\u{fffd}[2Jb c"), "{text}");
    assert!(text.contains("d\u{fffd}e"), "{text}");
}

#[test]
fn events_are_put_into_words() {
    let text = drawn(|screen| {
        for event in [
            json!({"type": "usage", "input": 1}),
            json!({"type": "message_end", "role": "assistant", "text": "x"}),
            json!({"type": "response", "command": "approve", "ok": false, "error": "no such call"}),
            json!({"type": "approval", "call_id": "c1", "allow": false, "by": "client"}),
            json!({"type": "tool_result", "call_id": "c2", "tool": "shell", "text": "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13\n14", "is_error": false, "exit_code": 0}),
            json!({"type": "tool_result", "call_id": "c3", "tool": "edit_file", "text": "no match", "is_error": true}),
            json!({"type": "from_the_future", "n": 1}),
        ] {
            show::event(&event, screen)?;
        }
        show::diff("a.sh", "one\ntwo\n", "one\n2\n", screen)
    });
    expect![[r#"
        agent ← response         approve: no such call
        agent ← approval         c1 refused by the client
        agent ← tool_result      c2 exit code 0
                                 | 1
                                 | 2
                                 | 3
                                 | 4
                                 | 5
                                 | 6
                                 | 7
                                 | 8
                                 | 9
                                 | 10
                                 | 11
                                 | 12
                                 (and 2 lines more)
        agent ← tool_result      c3 failed
                                 | no match
        agent ← from_the_future  {"type":"from_the_future","n":1}
                on the disk      a.sh
                                   one
                                 - two
                                 + 2
    "#]]
    .assert_eq(&text);
}
