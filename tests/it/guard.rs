//! `greenroom guard`: rule files looked at, trusted, checked, tried.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use serde_json::{Value, json};

use crate::support::Stage;

const PROJECT: &str = "\
version: 1
deny:
  - {shell: {cmd: git, has: [[-f, --force]]}, name: no force, why: ask a person}
allow:
  - shell: make
";

/// A workspace with rules of its own.
struct World {
    stage: Stage,
}

struct Ended {
    code: Option<i32>,
    output: String,
    errors: String,
}

impl World {
    fn new() -> World {
        let stage = Stage::new()
            .config("{}")
            .file(".greenroom/guard.yaml", PROJECT);
        World { stage }
    }

    fn project(&self) -> PathBuf {
        self.stage.workspace().join(".greenroom/guard.yaml")
    }

    fn config(&self, name: &str) -> PathBuf {
        self.stage.path("home/.config/greenroom").join(name)
    }

    fn guard(&self, arguments: &[&str]) -> Ended {
        let mut command = self.stage.bare_command();
        command.arg("guard").args(arguments);
        let output = command.stdin(std::process::Stdio::null()).output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        Ended {
            code: output.status.code(),
            output: text(output.stdout),
            errors: text(output.stderr),
        }
    }

    fn json(&self, arguments: &[&str]) -> (Option<i32>, Value) {
        let mut all = arguments.to_vec();
        all.push("--json");
        let ended = self.guard(&all);
        let object = serde_json::from_str(&ended.output);
        (
            ended.code,
            object.unwrap_or_else(|error| panic!("{error}: {}", ended.errors)),
        )
    }

    fn verdict(&self, arguments: &[&str]) -> (String, String) {
        let mut all = vec!["explain"];
        all.extend(arguments);
        let (code, object) = self.json(&all);
        assert_eq!(code, Some(0), "{object}");
        let text = |key: &str| object[key].as_str().unwrap().to_owned();
        (text("verdict"), text("by"))
    }
}

#[test]
fn a_projects_rules_are_shown_and_trusted_as_they_are() {
    let world = World::new();
    assert_eq!(world.verdict(&["make"]).0, "ask");
    let sum = std::process::Command::new("sha256sum")
        .arg(world.project())
        .output()
        .unwrap();
    let sum = String::from_utf8(sum.stdout).unwrap();
    let sha256 = &sum[..64];

    // Nobody is there to say yes.
    let ended = world.guard(&["trust"]);
    assert_eq!(ended.code, Some(2), "{}", ended.output);
    assert!(ended.errors.contains("add --yes"), "{}", ended.errors);
    assert!(!world.config("guard.trusted").exists());

    let ended = world.guard(&["trust", "--yes"]);
    assert_eq!(
        (ended.code, &*ended.errors),
        (Some(0), ""),
        "{}",
        ended.output
    );
    let expected = format!(
        "{}\nsha256 {sha256}\n  deny[0]    line 3   shell: {{cmd: git, has: [[-f, --force]]}}, \
         name: no force, why: ask a person\n  allow[0]   line 5   shell: make\nit is trusted from \
         now on, as {} says\n",
        world.project().display(),
        world.config("guard.trusted").display()
    );
    assert_eq!(ended.output, expected);
    let list = fs::read_to_string(world.config("guard.trusted")).unwrap();
    assert_eq!(list, sum);
    let mode = fs::metadata(world.config("guard.trusted"))
        .unwrap()
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o600);
    let expected = (
        "allow".to_owned(),
        "project allow[0] (guard.yaml:5)".to_owned(),
    );
    assert_eq!(world.verdict(&["make"]), expected);

    // By its file, and once more.
    let ended = world.guard(&["trust", ".greenroom/guard.yaml"]);
    assert_eq!(ended.code, Some(0), "{}", ended.errors);
    assert!(
        ended.output.ends_with("it is trusted already\n"),
        "{}",
        ended.output
    );

    // Another text is another file.
    fs::write(world.project(), format!("{PROJECT}  - shell: cargo\n")).unwrap();
    assert_eq!(world.verdict(&["make"]).0, "ask");
    let (code, object) = world.json(&["trust", "--yes"]);
    assert_eq!((code, &object["trusted"]), (Some(0), &json!(true)));
    assert_eq!(world.verdict(&["cargo"]).0, "allow");
}

#[test]
fn what_cannot_be_trusted_is_refused() {
    let world = World::new();
    fs::write(world.project(), "version: 1\nallow: [{shell: }]\n").unwrap();
    let ended = world.guard(&["trust", "--yes"]);
    assert_eq!(ended.code, Some(1), "{}", ended.output);
    assert!(ended.errors.contains("guard.yaml:2:"), "{}", ended.errors);
    fs::remove_file(world.project()).unwrap();
    let ended = world.guard(&["trust", "--yes"]);
    assert_eq!(ended.code, Some(2));
    assert!(
        ended.errors.contains("nothing to trust"),
        "{}",
        ended.errors
    );
    fs::write(world.stage.workspace().join("guard.yaml"), PROJECT).unwrap();
    let ended = world.guard(&["trust", "--yes", "guard.yaml"]);
    assert_eq!(ended.code, Some(2));
    assert!(
        ended.errors.contains("no project's rule file"),
        "{}",
        ended.errors
    );
    // What an agent's command may not do for its user.
    fs::write(world.project(), PROJECT).unwrap();
    let mut command = world.stage.bare_command();
    command
        .args(["guard", "trust", "--yes"])
        .env("GREENROOM_CALL", "c1");
    assert_eq!(command.output().unwrap().status.code(), Some(1));
    assert!(!world.config("guard.trusted").exists());
}

#[test]
fn the_list_tells_states_and_problems() {
    let world = World::new();
    let states = |object: &Value| -> Vec<(String, String)> {
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        let files = object["files"].as_array().unwrap();
        files
            .iter()
            .map(|it| (text(&it["of"]), text(&it["state"])))
            .collect()
    };
    let own = |user: &str, project: &str| {
        [
            ("shipped", "in_effect"),
            ("user", user),
            ("project", project),
        ]
        .map(|(of, state)| (of.to_owned(), state.to_owned()))
    };
    let (code, object) = world.json(&["list"]);
    assert_eq!(code, Some(0));
    assert_eq!(states(&object), own("missing", "not_trusted"));
    assert_eq!(
        object["files"][2]["rules"][1],
        json!({"list": "allow", "index": 0, "line": 5, "rule": "shell: make"})
    );
    let text = world.guard(&["list"]).output;
    assert!(text.contains("greenroom guard trust"), "{text}");

    fs::write(
        world.config("guard.yaml"),
        "version: 1\ndeny:\n  - shel: x\n",
    )
    .unwrap();
    let (code, object) = world.json(&["list"]);
    assert_eq!((code, &object["ok"]), (Some(1), &json!(false)));
    assert_eq!(states(&object), own("broken", "not_trusted"));
    assert_eq!(object["files"][1]["problem"]["line"], 3);
    let ended = world.guard(&["list"]);
    assert_eq!(ended.code, Some(1));
    assert!(ended.output.contains("guard.yaml:3:"), "{}", ended.output);
    assert!(
        ended
            .output
            .ends_with("No new session starts here before this is mended.\n")
    );
}

#[test]
fn a_file_is_checked() {
    let world = World::new();
    let ended = world.guard(&["check", ".greenroom/guard.yaml"]);
    assert_eq!(
        (ended.code, &*ended.output),
        (Some(0), ".greenroom/guard.yaml: sound, 2 rules\n")
    );
    let bad = world.stage.workspace().join("bad.yaml");
    fs::write(&bad, "version: 1\nallow:\n  - shell: ls\n    modes: atuo\n").unwrap();
    let ended = world.guard(&["check", "bad.yaml"]);
    assert_eq!(ended.code, Some(1));
    assert!(
        ended
            .output
            .starts_with("bad.yaml: allow[0].modes: \"atuo\" is no mode"),
        "{}",
        ended.output
    );
    fs::write(&bad, "version: 1\nallow:\n  - shell: ls\n    match: rm\n").unwrap();
    let (code, object) = world.json(&["check", "bad.yaml"]);
    assert_eq!(
        (code, &object["ok"], &object["problem"]["line"]),
        (Some(1), &json!(false), &json!(3))
    );
    let (code, object) = world.json(&["check", "none.yaml"]);
    assert_eq!((code, &object["state"]), (Some(1), &json!("missing")));
}

#[test]
fn a_decision_is_explained() {
    let world = World::new();
    let ended = world.guard(&["explain", "git push -f", "--mode", "full"]);
    assert_eq!((ended.code, &*ended.errors), (Some(0), ""));
    let expected = "\
call     shell git push -f
mode     full
verdict  deny
by       project deny[0] \"no force\" (guard.yaml:3) on git push -f
why      ask a person (git push -f is forbidden by the rule project deny[0] \"no force\" (guard.yaml:3))
";
    assert_eq!(ended.output, expected);
    let verdict = |arguments: &[&str]| world.verdict(arguments).0;
    assert_eq!(verdict(&["--tool", "read_file", "a.txt"]), "allow");
    assert_eq!(verdict(&["--tool", "read_file", "../a.txt"]), "ask");
    assert_eq!(
        verdict(&[
            "--tool",
            "write_file",
            ".greenroom/guard.yaml",
            "--mode",
            "full"
        ]),
        "deny"
    );
    assert_eq!(
        verdict(&["--tool", "web", "https://docs.rs/x", "--mode", "plan"]),
        "deny"
    );
    assert_eq!(verdict(&["{\"command\":\"ls\",\"cwd\":\".\"}"]), "allow");
    let (_, object) = world.json(&["explain", "make test"]);
    assert_eq!(
        (&object["mode"], &object["by"]),
        (&json!("auto"), &json!("mode auto"))
    );
    assert!(
        object["grant"].as_str().unwrap().contains("make test"),
        "{object}"
    );
    for (arguments, reason) in [
        (
            ["explain", "ls", "--mode", "atuo"],
            "there are plan, ask, auto, full",
        ),
        (
            ["explain", "ls", "--tool", "shel"],
            "there is no tool \"shel\"",
        ),
        (["explain", "{}", "--tool", "shell"], "cannot be planned"),
    ] {
        let ended = world.guard(&arguments);
        assert_eq!((ended.code, &*ended.output), (Some(2), ""));
        assert!(ended.errors.contains(reason), "{}", ended.errors);
    }
}

const LOOKS: &str = r#"
turns:
  - when: {contains: "look"}
    steps:
      - call:
          - {tool: shell, input: {command: "ls"}}
          - {tool: shell, input: {command: "pwd"}}
      - say: "Seen."
"#;

/// Clients of both wires hear of it, once a change, and rules of before hold.
#[test]
fn rules_that_break_while_it_runs_are_told_to_clients() {
    const SOUND: &str = "version: 1\ndeny:\n  - shell: pwd\n";
    for is_autohand in [false, true] {
        let mut stage = Stage::playing(LOOKS).config("{}");
        if is_autohand {
            stage = stage.autohand();
        }
        let file = stage.path("home/.config/greenroom/guard.yaml");
        fs::write(&file, SOUND).unwrap();
        let mut host = stage.start();
        let mut turn = |id: &str| -> Vec<String> {
            let before = host.lines().len();
            let text = if is_autohand { "message" } else { "text" };
            host.send(json!({"id": id, "type": "prompt", text: "look"}));
            host.wait_type("turn_end");
            let since = &host.lines()[before..];
            let denied = since
                .iter()
                .filter(|it| it.json.to_string().contains("Denied: "));
            assert!(denied.count() >= 1, "pwd stays denied: {since:?}");
            let notices = since.iter().filter(|it| it.json["type"] == "notice");
            let text = |it: &crate::support::Line| {
                let text = match is_autohand {
                    true => &it.json["data"]["message"],
                    false => &it.json["text"],
                };
                text.as_str().unwrap().to_owned()
            };
            notices.map(text).collect()
        };
        assert_eq!(turn("1"), [""; 0]);
        fs::write(&file, "version: 1\ndeny:\n  - shel: pwd\n").unwrap();
        let told = turn("2");
        assert_eq!(told.len(), 1, "{told:?}");
        let place = format!("{}:3:5: deny[0]: unknown key", file.display());
        assert!(told[0].contains(&place), "{told:?}");
        assert_eq!(turn("3"), [""; 0]);
        fs::write(&file, SOUND).unwrap();
        assert_eq!(turn("4"), ["the guard's rules are in order again"]);
        host.finish();
    }
}
