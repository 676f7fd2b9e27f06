//! An abort at every line of a turn, and how soon it acts.

use std::time::Duration;

use serde_json::json;
use tokio::time::Instant;

use crate::crashes::journal::Journal;
use crate::support::{Host, Stage};

/// Three calls side by side, then two more, so that there are boundaries of
/// every kind.
const SCRIPT: &str = r#"
otherwise:
  - say: "Three calls."
    call:
      - {tool: shell, input: {command: "echo one"}}
      - {tool: list_files, input: {}}
      - {tool: shell, input: {command: "echo two"}}
  - call:
      - {tool: update_plan, input: {items: [{text: "x", status: pending}]}}
      - {tool: no_such_tool, input: {}}
  - say: "Done."
"#;

/// The lines of a whole turn are fewer.
const LONGEST: usize = 40;

#[test]
fn at_every_line_each_call_has_one_result_and_the_next_prompt_works() {
    let stage = Stage::playing(SCRIPT).flags(&["--approve", "all"]);
    let mut host = stage.start();
    let session = host.session();
    let mut aborted = 0;
    for boundary in 0..LONGEST {
        host.send(json!({"id": boundary, "type": "prompt", "text": "go"}));
        let mut ended = false;
        for _ in 0..boundary {
            if !ended {
                ended = host.next().json["type"] == "turn_end";
            }
        }
        host.send(json!({"id": format!("abort {boundary}"), "type": "abort"}));
        host.answer(format!("abort {boundary}"));
        // The checker has seen to the order; here it is what the model gets.
        if host.is_running() {
            aborted += 1;
            while host.is_running() {
                host.next();
            }
        }
    }
    assert!(aborted > 10, "{aborted} of {LONGEST} turns were aborted");
    host.finish();
    Journal::read(&stage.state(), &session).assert_calls_are_paired();
}

/// The shortest of a few tries: a loaded machine may be slow, but not each time.
fn shortest_abort(prepare: impl Fn(&mut Host), stage: &Stage) -> Duration {
    let mut host = stage.start();
    let tries = (0..5).map(|number| {
        host.send(json!({"id": number, "type": "prompt", "text": "go"}));
        prepare(&mut host);
        let asked = Instant::now();
        host.send(json!({"id": format!("abort {number}"), "type": "abort"}));
        let end = host.wait_type("turn_end");
        assert_eq!(end["status"], "aborted");
        asked.elapsed()
    });
    tries.min().unwrap()
}

#[test]
fn within_50_milliseconds() {
    let call = |tool: &str, input: serde_json::Value| {
        let script = json!({"otherwise": [{"call": [{"tool": tool, "input": input}]}]});
        Stage::playing(&script.to_string())
    };
    // That it outlives TERM must not hold the turn; it ends by itself, soon.
    let stubborn = json!({"command": "trap '' TERM; echo begun; sleep 3 & wait; wait"});
    let cases: [(&str, Stage, &str); 4] = [
        (
            "a hung model",
            Stage::playing(r#"otherwise: [{say: "Now", hang: true}]"#),
            "text_delta",
        ),
        (
            "a stubborn tool",
            call("shell", stubborn).flags(&["--mode", "full"]),
            "tool_call",
        ),
        (
            "an open approval",
            call("shell", json!({"command": "true"})),
            "approval_needed",
        ),
        (
            "an open question",
            call("ask_user", json!({"question": "Which?"})),
            "question",
        ),
    ];
    for (name, stage, until) in cases {
        let took = shortest_abort(|host| drop(host.wait_type(until)), &stage);
        assert!(took < Duration::from_millis(50), "{name}: {took:?}");
    }
}
