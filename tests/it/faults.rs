//! Faults that users met in programs like this one, each held by a test.
//!
//! Pi (`protocols/pi/issues.md`), as far as it is about sessions over standard
//! input and output; `t/` are the transcripts:
//!
//! | no. | fault | held by |
//! |---|---|---|
//! | 1 | two prompts in one write both start | `t/hm/busy`, `interleavings` |
//! | 2 | an abort in the prompt's write stops nothing | `t/hm/abort`, `aborts` |
//! | 3 | the state behind a change shows what was before | `t/hm/set_model` |
//! | 4 | the line `null` ends the process | `t/hm/bad_lines`, `binary::lines` |
//! | 5 | U+2028 in a text cuts a line | `t/hm/separators`, `binary::lines` |
//! | 6 | a refusal without the command's id | `binary::lines::ids_come_back_as_they_went` |
//! | 7 | two answers to one prompt | the checker of every trace |
//! | 9 | the end of a turn is told before its retries | `t/hm/provider_errors`, the checker |
//! | 10 | the state after an answer is older than the answer | the checker, at each `get_state` |
//! | 11 | a prompt and the end of input: no answer | `binary::input` |
//! | 12 | the end of input and SIGTERM cut each other | `binary::signals` |
//! | 13 | each delta carries the whole message | `binary::output::the_wire_is_not_quadratic` |
//! | 14, 15 | a slow or stopped reader kills or stalls it | `binary::output` |
//! | 16 | what was queued at an abort comes with the next prompt | `t/hm/abort_queue`, the checker |
//! | 17 | an abort with an open dialog does nothing | `t/hm/abort_waiting`, `aborts` |
//! | 18 | a command that waits keeps others from being read | `t/hm/get_state`, `interleavings` |
//! | 19 | two processes write one session | `binary::exits::a_held_journal_names_its_holder` |
//! | 20 | many starts at once fight for a lock | the same |
//! | 21 | a setting of one session is that of all others | [`settings_stay_in_their_session`] |
//! | 22 | a failed append leaves memory ahead of the disk | `crashes::full_disk` |
//! | 23 | an aborted batch leaves calls without results | `aborts`, `crashes::kill` |
//!
//! Autohand (`protocols/autohand/gaps.md`):
//!
//! | no. | fault | held by |
//! |---|---|---|
//! | 1 | a prompt and an abort in one write wedge the session | `t/autohand/abort` |
//! | 2, 31 | words of a prompt open a dialog of the terminal | [`a_prompt_is_words`] |
//! | 3 | raw bytes on the wire | [`what_a_tool_prints_is_no_frame`], every line of every test |
//! | 4, 5 | the end of input, or an abort, leaves commands running | `binary::signals` |
//! | 6 | a failed turn is `completed` | `t/autohand/errors`, the checker |
//! | 7 | calls that never ran are not told | `t/autohand/permissions`, `t/autohand/errors` |
//! | 8 | no deltas, no output of tools | `t/autohand/hello`, `t/autohand/permissions` |
//! | 9, 23 | tokens are counted twice, or used by hidden calls | [`usage_is_of_one_turn_and_counted_once`] |
//! | 11 | a permission times out in silence | `t/hm/deadline`, `t/autohand/deadline` |
//! | 13 | a message that is no text is taken | `t/autohand/bad_lines` |
//! | 14 | ids and times of messages change | `t/autohand/hello`, [`messages_keep_their_ids`] |
//! | 15 | an abort leaves calls without results | `aborts` |
//! | 16 | a reset during a turn mixes old and new | `t/autohand/reset` |
//! | 17, 20 | one waiting call blocks others, and commands | `t/hm/approve_several`, `t/hm/get_state` |
//! | 19 | the status forgets other open requests | the checker, at each `get_state` |
//! | 21 | no limit of unread output, or of a line | `binary::input`, `binary::output` |
//! | 25, 26, 30 | an unknown or narrow grant allows everything | `t/autohand/permissions`, `greenroom::cli` |
//! | 28 | a grant for the session outlives it | [`a_grant_ends_with_its_process`] |

use serde_json::{Value, json};

use crate::support::{Host, Stage};

const ECHO: &str = r#"
turns:
  - when: {contains: "run"}
    steps:
      - call: [{tool: shell, input: {command: "printf '\\a\\033[2J\\r{\"v\":1}\\n\\0'"}}]
        usage: {input: 10, output: 5, cost: 0.001}
      - say: "Ran."
        usage: {input: 20, output: 5, cost: 0.002}
otherwise:
  - say: "You said: {{prompt}}"
    usage: {input: 10, output: 5, cost: 0.001}
"#;

fn prompt(host: &mut Host, id: u32, text: &str) -> Value {
    host.send(json!({"id": id, "type": "prompt", "text": text, "message": text}));
    host.wait_type("turn_end")
}

#[test]
fn settings_stay_in_their_session() {
    let stage = Stage::playing(ECHO);
    let mut host = stage.start();
    host.ask(json!({"id": 1, "type": "set_mode", "mode": "full"}));
    host.ask(json!({"id": 2, "type": "set_model", "model": "other", "effort": "max"}));
    prompt(&mut host, 3, "hello");
    host.finish();
    let host = stage.start();
    let start = &host.lines()[0].json;
    assert_eq!(
        (&start["mode"], &start["model"]),
        (&json!("auto"), &json!(""))
    );
    assert_eq!(start.get("effort"), None);
    host.finish();
}

#[test]
fn a_prompt_is_words() {
    for stage in [Stage::playing(ECHO), Stage::playing(ECHO).autohand()] {
        let folder = stage.path("home").to_string_lossy().into_owned();
        let mut host = stage.start();
        let words = [
            "/status",
            "/exit",
            "exit",
            "@src",
            &folder,
            "!ls",
            "--help",
            "\u{3}\u{4}",
        ];
        for (id, text) in (0..).zip(words) {
            prompt(&mut host, id, text);
            let echoed = format!("You said: {text}");
            let is_it = |field: &Value| *field == *echoed;
            let told = host
                .lines()
                .iter()
                .rev()
                .any(|line| is_it(&line.json["text"]) || is_it(&line.json["data"]["content"]));
            assert!(told, "{text:?}");
        }
        host.finish();
    }
}

#[test]
fn what_a_tool_prints_is_no_frame() {
    let stage = Stage::playing(ECHO).flags(&["--mode", "full"]);
    let mut host = stage.start();
    prompt(&mut host, 1, "run");
    let result = host
        .lines()
        .iter()
        .find(|line| line.json["type"] == "tool_result");
    let result = result.unwrap();
    let text = result.json["text"].as_str().unwrap();
    assert!(
        text.contains("\u{7}\u{1b}[2J") && text.contains("{\"v\":1}"),
        "{text:?}"
    );
    let raw = |c: char| c.is_control();
    assert!(!result.text.contains(raw), "{:?}", result.text);
    host.finish();
}

#[test]
fn usage_is_of_one_turn_and_counted_once() {
    let stage = Stage::playing(ECHO).flags(&["--mode", "full"]);
    let mut host = stage.start();
    let first = prompt(&mut host, 1, "run");
    let second = prompt(&mut host, 2, "hello");
    let usage = |input: u32, output: u32, cost: Value| json!({"input": input, "output": output, "cache_read": 0, "cache_write": 0, "cost": cost});
    assert_eq!(first["usage"], usage(30, 10, json!(0.003)));
    assert_eq!(second["usage"], usage(10, 5, json!(0.001)));
    let session = host.session();
    let end = host.finish().lines.last().unwrap().json.clone();
    assert_eq!(end["usage"], usage(40, 15, json!(0.004)));

    // The session's own sum goes on over processes, a connection's does not.
    let mut host = stage.flags(&["--session", &session]).start();
    let state = host.ask(json!({"id": 1, "type": "get_state"}));
    assert_eq!(
        state["data"]["session"]["usage"],
        usage(40, 15, json!(0.004))
    );
    let end = host.finish().lines.last().unwrap().json.clone();
    assert_eq!(end["usage"], usage(0, 0, json!(0)));
}

#[test]
fn messages_keep_their_ids() {
    let messages = |host: &mut Host, id: u32| {
        let answer = host.ask(json!({"id": id, "type": "get_messages"}));
        answer["data"]["messages"].as_array().unwrap().clone()
    };
    let stage = Stage::playing(ECHO).autohand().flags(&["--unrestricted"]);
    let mut host = stage.start();
    let session = host.session();
    prompt(&mut host, 1, "run");
    let before = messages(&mut host, 2);
    assert_eq!(before.len(), 4);
    prompt(&mut host, 3, "hello");
    let after = messages(&mut host, 4);
    assert_eq!(after[..4], before);
    host.finish();
    let mut host = stage.flags(&["--resume", &session]).start();
    assert_eq!(messages(&mut host, 1), after);
    host.finish();
}

#[test]
fn a_grant_ends_with_its_process() {
    let script = r#"otherwise: [{call: [{tool: shell, input: {command: "true"}}]}]"#;
    let stage = Stage::playing(script);
    let mut host = stage.start();
    let session = host.session();
    host.send(json!({"id": 1, "type": "prompt", "text": "go"}));
    host.wait_type("approval_needed");
    let allow =
        json!({"id": 2, "type": "approve", "call_id": "c1", "allow": true, "for_session": true});
    host.send(allow);
    host.wait_type("turn_end");
    prompt(&mut host, 3, "not asked");
    host.finish();
    for flags in [["--session", &session].as_slice(), &[]] {
        let mut command = stage.command();
        command.args(flags);
        let mut host = Host::spawn(command, stage.wire());
        host.next();
        host.send(json!({"id": 1, "type": "prompt", "text": "asked"}));
        host.wait_type("approval_needed");
        host.send(json!({"id": 2, "type": "abort"}));
        host.wait_type("turn_end");
        host.finish();
    }
}
