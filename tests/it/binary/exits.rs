//! Exit codes 0, 1 and 2: what the caller's shell sees.

use std::process::{Output, Stdio};

use crate::support::Stage;

/// Runs with arguments to its end, with an empty input.
fn run(stage: &Stage, args: &[&str]) -> Output {
    let mut command = stage.bare_command();
    command.args(args).stdin(Stdio::null());
    command.output().unwrap()
}

#[test]
fn a_command_line_that_cannot_work_gives_2_and_no_output() {
    let stage = Stage::new();
    // The arguments, and a word that the reason must have.
    let cases: &[(&[&str], &str)] = &[
        (&[], "Usage"),
        (&["agent"], "--rpc"),
        (&["agent", "--rpc", "--no-such-flag"], "--no-such-flag"),
        (&["agent", "--rpc", "a prompt"], "a prompt"),
        (&["agent", "--rpc", "--mode", "bogus"], "bogus"),
        (
            &["agent", "--rpc", "--cwd", "/no/such/folder"],
            "/no/such/folder",
        ),
        (
            &["agent", "--rpc", "--cwd", "/etc/hostname"],
            "/etc/hostname",
        ),
        (&["agent", "--rpc", "--provider", "nobody"], "nobody"),
        (&["agent", "--rpc", "--effort", "heroic"], "heroic"),
        (&["agent", "--rpc", "--max-steps", "0"], "--max-steps"),
        (&["agent", "--rpc", "--max-steps", "-1"], "--max-steps"),
        (&["agent", "--rpc", "--approve", "maybe"], "maybe"),
        (
            &["agent", "--rpc", "--session", "20261106-091500-k3x7qa"],
            "there is no session",
        ),
        (&["agent", "--rpc", "--session", "../journal"], "--session"),
        (&["agent", "--rpc", "--continue"], "--continue"),
        (
            &["agent", "--rpc", "--continue", "--no-session"],
            "--no-session",
        ),
        (
            &["agent", "--rpc", "--continue", "--session", "x"],
            "--session",
        ),
        (
            &["agent", "--rpc", "--script", "/no/such/script.yaml"],
            "/no/such/script.yaml",
        ),
        (
            &["agent", "--rpc", "--config", "/no/such/config.yaml"],
            "/no/such/config.yaml",
        ),
        (&["no_such_command"], "no_such_command"),
        (
            &["--mode", "rpc", "--path", "/no/such/folder"],
            "/no/such/folder",
        ),
    ];
    for (args, word) in cases {
        let output = run(&stage, args);
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{args:?}: {stderr}");
        assert_eq!(output.stdout, b"", "{args:?}");
        assert!(stderr.contains(word), "{args:?}: {stderr}");
        assert!(!stderr.contains("panicked"), "{args:?}: {stderr}");
    }
}

/// Nothing runs under rules that nobody can read: no session is begun.
#[test]
fn broken_guard_rules_give_1_with_file_line_and_remedy() {
    let stage = Stage::new();
    let user = stage.path("home/.config/greenroom/guard.yaml");
    let project = stage.workspace().join(".greenroom/guard.yaml");
    for file in [user, project] {
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(&file, "version: 1\ndeny:\n  - shel: rm\n").unwrap();
        let mut command = stage.command();
        let output = command.stdin(Stdio::null()).output().unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{stderr}");
        assert_eq!(output.stdout, b"");
        let expected = format!(
            "error: {}:3:5: deny[0]: unknown key \"shel\"; a rule has one of shell, edit, read, web, \
             mcp, agent, tool, and beside it why, modes, in, match, not_match, name\n",
            file.display()
        );
        assert_eq!(stderr, expected);
        std::fs::remove_file(&file).unwrap();
    }
}

#[test]
fn an_empty_session_ends_with_0() {
    let stage = Stage::new();
    for flags in [["--no-session"].as_slice(), &[]] {
        let mut command = stage.command();
        let output = command.args(flags).stdin(Stdio::null()).output().unwrap();
        let stdout = String::from_utf8(output.stdout).unwrap();
        let types: Vec<String> = stdout
            .lines()
            .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap())
            .map(|line| line["type"].as_str().unwrap().to_owned())
            .collect();
        assert_eq!(types, ["session_start", "session_end"]);
        assert_eq!(output.status.code(), Some(0));
        assert_eq!(output.stderr, b"");
    }
}

#[test]
fn nothing_is_written_before_it_is_sure_to_start() {
    // The state folder cannot be made: a file stands in its place.
    let stage = Stage::new();
    std::fs::remove_dir(stage.state()).unwrap();
    std::fs::write(stage.state(), "no folder").unwrap();
    let output = stage.command().stdin(Stdio::null()).output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{stderr}");
    assert_eq!(output.stdout, b"");
    assert!(stderr.contains("state"), "{stderr}");
    // Without a journal it needs no such folder.
    let mut command = stage.command();
    let output = command
        .arg("--no-session")
        .stdin(Stdio::null())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn a_configuration_that_cannot_be_used_is_told() {
    let stage = Stage::new().config("mode: auto\nno_such_key: 1\n");
    let output = stage.command().stdin(Stdio::null()).output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{stderr}");
    assert_eq!(output.stdout, b"");
    assert!(
        stderr.contains("no_such_key") && stderr.contains("config.yaml"),
        "{stderr}"
    );
}

#[test]
fn a_held_journal_names_its_holder() {
    let stage = Stage::new();
    let first = stage.start();
    let output = stage.command().stdin(Stdio::null()).output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{stderr}");
    assert_eq!(output.stdout, b"");
    assert!(stderr.contains(&first.pid().to_string()), "{stderr}");
    // Sessions that are not saved don't need it, however many there are.
    let others: Vec<_> = (0..8)
        .map(|_| {
            let mut command = stage.command();
            command.arg("--no-session").stdin(Stdio::null());
            command.spawn().unwrap()
        })
        .collect();
    for other in others {
        assert_eq!(other.wait_with_output().unwrap().status.code(), Some(0));
    }
    // A holder that is killed holds nothing.
    first.kill();
    assert_eq!(stage.start().finish().code, Some(0));
}
