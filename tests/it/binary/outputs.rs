//! Outputs that are longer than what the model reads: where their whole is.

use std::path::PathBuf;

use serde_json::{Value, json};

use crate::support::Stage;

fn stage() -> Stage {
    let numbers = json!({ "call": [{ "tool": "shell", "input": { "command": "seq 1 100000" } }] });
    let steps: [Value; 2] = [numbers, json!({"say": "Done."})];
    let script = json!({ "otherwise": steps });
    Stage::playing(&script.to_string())
}

/// The file that a cut output names.
fn named(result: &Value) -> PathBuf {
    let text = result["text"].as_str().unwrap();
    let (_, rest) = text.split_once("; the whole is in ").unwrap();
    PathBuf::from(rest.split_once(": read_file").unwrap().0)
}

#[test]
fn a_saved_session_leaves_its_outputs_and_one_that_passes_does_not() {
    let saved = [&["--mode", "full"][..], &["--mode", "full", "--no-session"]];
    for (flags, is_saved) in saved.into_iter().zip([true, false]) {
        let stage = stage().flags(flags);
        let mut host = stage.start();
        host.send(json!({"id": "1", "type": "prompt", "text": "go"}));
        let file = named(&host.wait_type("tool_result"));
        let session = host.session();
        assert_eq!(
            file.parent().unwrap().file_name().unwrap(),
            session.as_str()
        );
        assert!(file.starts_with(stage.state().canonicalize().unwrap().join("outputs")));
        let whole = std::fs::read_to_string(&file).unwrap();
        assert!(whole.starts_with("1\n2\n") && whole.ends_with("\n99999\n100000\n"));
        host.wait_type("turn_end");
        assert_eq!(host.finish().code, Some(0));
        assert_eq!(file.exists(), is_saved);
        assert_eq!(file.parent().unwrap().exists(), is_saved);
    }
}

/// In a mode that asks for everything but reads, and for reads elsewhere, too.
#[test]
fn the_whole_is_read_without_asking_and_nothing_else_of_the_state_is() {
    let stage = stage().flags(&["--mode", "full"]);
    let mut host = stage.start();
    host.send(json!({"id": "1", "type": "prompt", "text": "go"}));
    let file = named(&host.wait_type("tool_result"));
    let session = host.session();
    host.wait_type("turn_end");
    assert_eq!(host.finish().code, Some(0));

    let journal = stage.state().join("journal.redb");
    let read = |path: &PathBuf| json!({ "tool": "read_file", "input": { "path": path } });
    let steps = [
        json!({ "call": [read(&file), read(&journal)] }),
        json!({"say": "Done."}),
    ];
    let script = json!({ "otherwise": steps });
    let mut stage = stage.script(&script.to_string());
    stage.set_flags(&["--mode", "ask", "--session", &session]);
    let mut host = stage.start();
    host.send(json!({"id": "2", "type": "prompt", "text": "go"}));
    // The one runs while the other waits.
    let (mut result, mut asked) = (Value::Null, Value::Null);
    while result.is_null() || asked.is_null() {
        let line = host.next().json.clone();
        match line["type"].as_str() {
            Some("tool_result") => result = line,
            Some("approval_needed") => asked = line,
            _ => (),
        }
    }
    let text = result["text"].as_str().unwrap();
    assert!(text.contains("read on with offset 2001]\n1\n2\n3\n"));
    assert_eq!(asked["paths"], json!([journal]));
    host.send(json!({"id": "3", "type": "abort"}));
    host.wait_type("turn_end");
    assert_eq!(host.finish().code, Some(0));
}
