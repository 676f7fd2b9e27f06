//! Autohand's form.

use std::path::Path;

use expect_test::expect;
use greenroom_protocol::session::{AnswerPolicy, Effort, Mode, SessionId};

use super::{bare, rpc, rpc_as};
use crate::cli::{CommonOptions, RpcOptions, SessionChoice, WireName};

fn bare_autohand() -> RpcOptions {
    RpcOptions {
        wire: WireName::Autohand,
        ..bare()
    }
}

#[test]
fn autohands_flags() {
    assert_eq!(rpc("--mode rpc"), bare_autohand());
    assert_eq!(rpc("--mode=rpc"), bare_autohand());
    assert_eq!(
        rpc_as("/usr/local/bin/autohand", "--mode rpc"),
        bare_autohand()
    );
    let seed = "--mode rpc --model nvidia/nemotron:free --ephemeral --thinking extended --config c";
    let expected = RpcOptions {
        model: Some("nvidia/nemotron:free".to_owned()),
        session: SessionChoice::Ephemeral,
        effort: Some(Effort::High),
        common: CommonOptions {
            config: Some("c".into()),
            ..CommonOptions::default()
        },
        ..bare_autohand()
    };
    assert_eq!(rpc(seed), expected);

    let cwd = |line: &str| rpc(line).cwd;
    assert_eq!(cwd("--mode rpc --path /"), Path::new("/"));
    assert_eq!(cwd("--dir=/ --mode rpc"), Path::new("/"));
    assert_eq!(cwd("--path /nowhere --mode rpc --path /"), Path::new("/"));

    let effort = |line: &str| rpc(line).effort;
    assert_eq!(effort("--mode rpc --thinking none"), Some(Effort::Off));
    assert_eq!(effort("--mode rpc --thinking normal"), None);
    assert_eq!(effort("--mode rpc --thinking"), Some(Effort::High));
    assert_eq!(
        effort("--mode rpc --thinking --ephemeral"),
        Some(Effort::High)
    );
    assert_eq!(effort("--mode rpc --thinking max"), Some(Effort::Max));

    let session = |line: &str| rpc(line).session;
    assert_eq!(session("--mode rpc --resume"), SessionChoice::Continue);
    assert_eq!(session("--mode rpc --continue"), SessionChoice::Continue);
    let resumed = SessionChoice::Resume(SessionId::new("a-1"));
    assert_eq!(session("--mode rpc --resume a-1"), resumed);
}

#[test]
fn autohands_permissions() {
    let allowed = |line: &str| {
        let options = rpc(&format!("--mode rpc {line}"));
        (options.mode, options.approve, options.yolo)
    };
    let all = AnswerPolicy::AllowAll;
    let ask = AnswerPolicy::Ask;
    let cases = [
        ("--yolo", (None, all, None)),
        ("--yolo=true", (None, all, None)),
        ("--yolo allow:*", (None, all, None)),
        ("--yolo false", (None, ask, None)),
        (
            "--yolo allow:read_file",
            (None, ask, Some("allow:read_file".to_owned())),
        ),
        (
            "--yolo deny:run_command",
            (None, ask, Some("deny:run_command".to_owned())),
        ),
        ("-y", (None, all, None)),
        ("--yes", (None, all, None)),
        ("--unrestricted", (Some(Mode::Full), ask, None)),
        ("--restricted", (Some(Mode::Plan), ask, None)),
        ("--dry-run", (Some(Mode::Plan), ask, None)),
        (
            "--permission-mode bypassPermissions",
            (Some(Mode::Full), ask, None),
        ),
        ("--permission-mode default", (None, ask, None)),
        (
            "--permission-mode acceptEdits",
            (Some(Mode::Auto), ask, None),
        ),
        ("--permission-mode bogus", (Some(Mode::Ask), ask, None)),
        ("--approve edits", (None, AnswerPolicy::AllowEdits, None)),
    ];
    for (line, expected) in cases {
        assert_eq!(allowed(line), expected, "{line}");
    }
}

#[test]
fn autohands_other_flags_are_passed_over() {
    // Each with a value that must not be taken for anything else.
    let known = "--mode rpc --timeout 5 --temperature 0.1 --add-dir / /tmp --worktree w --fork f \
                 --system-prompt s --append-sys-prompt-file a --mcp-config m --agents {} --bare \
                 --max-iterations 3 --completion-promise P --no-context-compact -c --auto-mode \
                 --session-id 123 --persist-session --skills a b --auto-save-interval 5 \
                 --permission-allow-list x y --client-context vscode --display-language de";
    assert_eq!(rpc(known), bare_autohand());

    let warned = |line: &str| {
        let options = rpc(line);
        let warnings = options.warnings.clone();
        let expected = RpcOptions {
            warnings: warnings.clone(),
            ..bare_autohand()
        };
        assert_eq!(options, expected, "{line}");
        warnings.join("\n")
    };
    let unknown = warned("--mode rpc --api-key hunter2 --ephemerla --x=hunter2 hunter2 -- -");
    assert!(!unknown.contains("hunter2"), "{unknown}");
    expect![[r#"
        unknown flag --api-key is ignored
        unknown flag --ephemerla is ignored (did you mean "--ephemeral"?)
        unknown flag --x is ignored
        words that belong to no flag are ignored; prompts come as commands"#]]
    .assert_eq(&unknown);
    expect![[r#"
        --permission-deny-list has no effect here and forbids nothing; see `mode`, `limits` and the guard's rules in the configuration
        --offline has no effect here and forbids nothing; see `mode`, `limits` and the guard's rules in the configuration
        --client-context takes no tools away here; --restricted makes the session read-only"#]].assert_eq(&warned(
        "--mode rpc --permission-deny-list a b --offline --client-context slack",
    ));
}
