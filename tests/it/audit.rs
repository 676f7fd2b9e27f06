//! `greenroom audit` over a store that sessions have written.

use std::fs;
use std::process::Output;

use serde_json::{Value, json};

use crate::support::Stage;

/// Runs what it is told; a rule denies one of the commands.
const SCRIPT: &str = r#"
turns:
  - when: {contains: "go"}
    steps:
      - call:
          - {tool: shell, input: {command: "ls"}}
          - {tool: shell, input: {command: "git push -f"}}
          - {tool: shell, input: {command: "make AUDIT_TOKEN=sesame-sesame-7"}}
      - say: "Done."
"#;

const RULES: &str = "\
version: 1
deny:
  - {shell: {cmd: git, has: [[-f, --force]]}, name: no force, why: ask a person}
";

fn audit(stage: &Stage, flags: &[&str]) -> (Option<i32>, String, String) {
    let mut command = stage.bare_command();
    let output: Output = command
        .arg("audit")
        .args(flags)
        .env("AUDIT_TOKEN", "sesame-sesame-7")
        .output()
        .unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (
        output.status.code(),
        text(output.stdout),
        text(output.stderr),
    )
}

/// A stage with rules, on which one turn has been played; its session's name.
fn played() -> (Stage, String) {
    let stage = Stage::playing(SCRIPT).config("{}");
    fs::write(stage.path("home/.config/greenroom/guard.yaml"), RULES).unwrap();
    let mut host = stage.start();
    let session = host.session();
    host.send(json!({"id": "1", "type": "prompt", "text": "go"}));
    let asked = host.wait_type("approval_needed");
    let call = asked["call_id"].clone();
    let refusal =
        json!({"id": "2", "type": "approve", "call_id": call, "allow": false, "note": "not now"});
    assert_eq!(host.ask(refusal)["ok"], true);
    host.wait_type("turn_end");

    // The store is held: who holds it, and what to do.
    let (code, output, errors) = audit(&stage, &[]);
    assert_eq!((code, &*output), (Some(1), ""), "{errors}");
    let pid = format!("is in use by process {}", host.pid());
    assert!(
        errors.contains(&pid) && errors.contains("try again"),
        "{errors}"
    );
    host.finish();
    (stage, session)
}

#[test]
fn decisions_are_shown_with_who_what_and_why() {
    let (stage, session) = played();
    let (code, output, errors) = audit(&stage, &[]);
    assert_eq!((code, &*errors), (Some(0), ""), "{output}");
    let lines: Vec<&str> = output.lines().collect();
    let head = format!("session {session} in {}", stage.workspace().display());
    // Behind the time.
    let rest = |line: &str| line.get(21..).unwrap().to_owned();
    let expected = [
        "allowed  rule      t1 c1  shell  ls",
        "denied   rule      t1 c2  shell  git push -f",
        "denied   client    t1 c3  shell  make AUDIT_TOKEN=[redacted",
    ];
    assert_eq!(lines.len(), 4, "{output}");
    assert_eq!(lines[0], head);
    for (line, expected) in lines[1..].iter().zip(expected) {
        assert!(rest(line).starts_with(expected), "{output}");
    }
    assert!(lines[2].contains("user deny[0] \"no force\""), "{output}");
    assert!(lines[2].contains("ask a person"), "{output}");
    assert!(lines[3].ends_with("; \"not now\""), "{output}");
    assert!(!output.contains("sesame"), "{output}");
}

#[test]
fn programs_get_objects_and_choose() {
    let (stage, session) = played();
    let shown = |flags: &[&str]| -> Vec<Value> {
        let mut all = vec!["--json"];
        all.extend(flags);
        let (code, output, errors) = audit(&stage, &all);
        assert_eq!(code, Some(0), "{errors}");
        let objects = output
            .lines()
            .map(|line| serde_json::from_str(line).unwrap());
        objects.collect()
    };
    let calls = |flags: &[&str]| -> String {
        let calls: Vec<String> = shown(flags)
            .iter()
            .map(|it| it["call"].as_str().unwrap().to_owned())
            .collect();
        calls.join(" ")
    };
    assert_eq!(calls(&[]), "c1 c2 c3");
    assert_eq!(calls(&["--session", &session]), "c1 c2 c3");
    assert_eq!(calls(&["--denied"]), "c2 c3");
    assert_eq!(calls(&["--by", "client"]), "c3");
    assert_eq!(calls(&["--limit", "1"]), "c3");
    assert_eq!(calls(&["--rule", "no force"]), "c2");
    assert_eq!(calls(&["--tool", "write_file"]), "");
    assert_eq!(calls(&["--since", "1h"]), "c1 c2 c3");
    assert_eq!(calls(&["--until", "1h"]), "");
    let refused = &shown(&["--by", "client"])[0];
    let chosen = ["session", "verdict", "ruling", "note", "scope", "mode"].map(|key| &refused[key]);
    assert_eq!(
        chosen,
        [
            &json!(session),
            &json!("denied"),
            &json!("ask"),
            &json!("not now"),
            &json!("once"),
            &json!("auto")
        ]
    );
}

#[test]
fn what_cannot_be_shown_is_told_with_the_next_step() {
    let stage = Stage::new();
    let (code, output, errors) = audit(&stage, &[]);
    assert_eq!((code, &*output), (Some(1), ""));
    assert!(errors.contains("no session was saved"), "{errors}");
    assert!(errors.contains("$GREENROOM_HOME"), "{errors}");
    assert!(
        fs::read_dir(stage.state()).unwrap().next().is_none(),
        "nothing is made"
    );

    let (stage, _) = played();
    let (code, output, errors) = audit(&stage, &["--session", "20200101-000000-aaaaaa"]);
    assert_eq!((code, &*output), (Some(2), ""));
    assert!(
        errors.contains("there is no session 20200101-000000-aaaaaa"),
        "{errors}"
    );
    let (code, output, errors) = audit(&stage, &["--tool", "web"]);
    assert_eq!((code, &*output), (Some(0), ""));
    assert_eq!(errors, "no such decision was recorded\n");
}
