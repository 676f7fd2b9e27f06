//! Command lines and what they come to.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::Path;

use expect_test::{Expect, expect};
use greenroom_protocol::session::{AnswerPolicy, Effort, Mode, SessionId};

use super::*;
use crate::config::{Config, Environment, LogFilter, LogFormat, LogSettings};

fn parse_as(argv0: &str, line: &str) -> Result<Invocation, Usage> {
    let args = line.split_whitespace().map(OsString::from).collect();
    Invocation::parse(OsStr::new(argv0), args)
}

fn parse(line: &str) -> Result<Invocation, Usage> {
    parse_as("greenroom", line)
}

fn rpc_as(argv0: &str, line: &str) -> RpcOptions {
    match parse_as(argv0, line) {
        Ok(Invocation::Rpc(options)) => *options,
        other => panic!("{line}: {other:?}"),
    }
}

fn rpc(line: &str) -> RpcOptions {
    rpc_as("greenroom", line)
}

/// The options of a bare `agent --rpc`.
fn bare() -> RpcOptions {
    RpcOptions {
        wire: WireName::Hm,
        cwd: std::env::current_dir().unwrap().canonicalize().unwrap(),
        mode: None,
        provider: None,
        model: None,
        effort: None,
        session: SessionChoice::New,
        max_steps: None,
        approve: AnswerPolicy::Ask,
        yolo: None,
        script: None,
        common: CommonOptions::default(),
        warnings: Vec::new(),
    }
}

/// The options of a bare `--mode rpc`.
fn bare_autohand() -> RpcOptions {
    RpcOptions {
        wire: WireName::Autohand,
        ..bare()
    }
}

/// The reasons, one a line; clap's further lines are left out.
fn check_refused(lines: &[&str], expected: Expect) {
    let mut shown = String::new();
    for line in lines {
        let usage = parse(line).unwrap_err();
        assert_eq!(usage.exit_code, 2, "{line}");
        assert!(usage.text.ends_with('\n'), "{line}");
        let reason = usage.text.lines().next().unwrap();
        shown.push_str(&format!("{line}\n    {reason}\n"));
    }
    expected.assert_eq(&shown);
}

#[test]
fn hms_flags() {
    assert_eq!(rpc("agent --rpc"), bare());
    let all = "agent --rpc --cwd / --mode plan --provider p --model m --effort xhigh --session \
               20261106-091500-k3x7qa --max-steps 3 --approve edits --script s.yaml --config c.yaml \
               --log debug --log-format json";
    let expected = RpcOptions {
        wire: WireName::Hm,
        cwd: "/".into(),
        mode: Some(Mode::Plan),
        provider: Some("p".to_owned()),
        model: Some("m".to_owned()),
        effort: Some(Effort::XHigh),
        session: SessionChoice::Resume(SessionId::new("20261106-091500-k3x7qa")),
        max_steps: Some(3),
        approve: AnswerPolicy::AllowEdits,
        yolo: None,
        script: Some("s.yaml".into()),
        common: CommonOptions {
            config: Some("c.yaml".into()),
            log: Some(LogFilter::parse("debug").unwrap()),
            log_format: Some(LogFormat::Json),
        },
        warnings: Vec::new(),
    };
    assert_eq!(rpc(all), expected);
    assert_eq!(rpc_as("/usr/bin/hm", all), expected);
    let with_equals = all
        .replace(" --rpc", "@")
        .replace(" --", "#")
        .replace(' ', "=")
        .replace('#', " --")
        .replace('@', " --rpc");
    assert_eq!(rpc(&with_equals), expected);
}

#[test]
fn sessions_and_approvals() {
    let session = |line: &str| rpc(line).session;
    assert_eq!(session("agent --rpc --continue"), SessionChoice::Continue);
    assert_eq!(
        session("agent --no-session --rpc"),
        SessionChoice::Ephemeral
    );
    let approve = |line: &str| rpc(line).approve;
    assert_eq!(approve("agent --rpc --approve ask"), AnswerPolicy::Ask);
    assert_eq!(approve("agent --rpc --approve all"), AnswerPolicy::AllowAll);
    // Of a flag that is given twice the last one counts: wrappers add theirs.
    let twice = "agent --rpc --approve all --rpc --approve edits";
    assert_eq!(approve(twice), AnswerPolicy::AllowEdits);
}

#[test]
fn common_flags_stand_anywhere() {
    let config = |line: &str| match parse(line) {
        Ok(Invocation::Doctor(options)) => options,
        other => panic!("{other:?}"),
    };
    let expected = DoctorOptions {
        json: true,
        common: CommonOptions {
            config: Some("c.yaml".into()),
            ..CommonOptions::default()
        },
    };
    assert_eq!(config("--config c.yaml doctor --json"), expected);
    assert_eq!(config("doctor --json --config=c.yaml"), expected);
}

#[test]
fn other_commands() {
    let common = CommonOptions::default();
    let demo = DemoOptions {
        common: common.clone(),
    };
    assert_eq!(parse("demo"), Ok(Invocation::Demo(demo)));
    let bench = BenchOptions {
        json: true,
        quick: true,
        common,
    };
    assert_eq!(parse("bench --quick --json"), Ok(Invocation::Bench(bench)));
    for line in ["--version", "-V"] {
        assert_eq!(parse(line), Ok(Invocation::Version), "{line}");
        assert_eq!(
            parse_as("autohand", line),
            Ok(Invocation::Version),
            "{line}"
        );
    }
    assert!(VERSION.starts_with("greenroom 0."), "{VERSION}");
}

#[test]
fn help_is_for_people() {
    let help = |argv0: &str, line: &str| match parse_as(argv0, line) {
        Ok(Invocation::Help(text)) => text,
        other => panic!("{other:?}"),
    };
    for line in [
        "--help",
        "-h",
        "agent --help",
        "demo -h",
        "--mode rpc --help",
    ] {
        let text = help("greenroom", line);
        assert!(text.contains("Usage: greenroom"), "{line}: {text}");
        assert!(text.ends_with('\n') && !text.contains('\u{1b}'), "{line}");
    }
    assert!(help("greenroom", "--help").contains("Examples:"));
    assert!(help("greenroom", "agent --help").contains("Exit codes:"));
    assert!(help("hm", "agent --help").contains("Usage: hm agent"));
    assert!(help("/opt/autohand", "--help").contains("--ephemeral"));
}

#[test]
fn command_lines_that_cannot_work_are_refused() {
    check_refused(
        &[
            "",
            "agent",
            "agent --mode plan",
            "agent --rpc --cwd /no/such/folder",
            "agent --rpc --cwd /dev/null",
            "agent --rpc --mode atuo",
            "agent --rpc --effort extreme",
            "agent --rpc --max-steps 0",
            "agent --rpc --max-steps -1",
            "agent --rpc --max-steps many",
            "agent --rpc --max-steps 99999999999",
            "agent --rpc --approve none",
            "agent --rpc --session ../../etc/passwd",
            "agent --rpc --session",
            "agent --rpc --session a --continue",
            "agent --rpc --session a --no-session",
            "agent --rpc --continue --no-session",
            "agent --rpc --bogus",
            "agent --rpc --modle x",
            "agent --rpc fix the test",
            "agent --rpc --log loud",
            "agent --rpc --log-format xml",
            "agnet --rpc",
            "--config x",
            "--rpc",
            "--mode tui",
            "--mode",
            "--mode rpc --model",
            "--mode rpc --model --ephemeral",
            "--mode rpc --path /no/such/folder",
            "--mode rpc --path",
            "--mode rpc --thinking deeply",
            "--mode rpc --max-steps 0",
            "--mode rpc --log loud",
            "--mode rpc --resume a/b",
            "--mode rpc --session",
        ],
        expect![[r#"

                Hosts coding-agent sessions for other programs
            agent
                error: only `agent --rpc` is there yet: a program starts it and speaks JSON lines with it; add --rpc, or try `greenroom demo` to watch a session
            agent --mode plan
                error: only `agent --rpc` is there yet: a program starts it and speaks JSON lines with it; add --rpc, or try `greenroom demo` to watch a session
            agent --rpc --cwd /no/such/folder
                error: --cwd /no/such/folder: No such file or directory (os error 2); give a folder that exists with --cwd
            agent --rpc --cwd /dev/null
                error: --cwd /dev/null is not a folder; give a folder that exists with --cwd
            agent --rpc --mode atuo
                error: invalid value 'atuo' for '--mode <NAME>': unknown mode "atuo" (did you mean "auto"?); there are plan, ask, auto, full
            agent --rpc --effort extreme
                error: invalid value 'extreme' for '--effort <NAME>': unknown effort "extreme"; there are off, low, medium, high, xhigh, max
            agent --rpc --max-steps 0
                error: invalid value '0' for '--max-steps <N>': expected a whole number from 1 to 4294967295
            agent --rpc --max-steps -1
                error: invalid value '-1' for '--max-steps <N>': expected a whole number from 1 to 4294967295
            agent --rpc --max-steps many
                error: invalid value 'many' for '--max-steps <N>': expected a whole number from 1 to 4294967295
            agent --rpc --max-steps 99999999999
                error: invalid value '99999999999' for '--max-steps <N>': expected a whole number from 1 to 4294967295
            agent --rpc --approve none
                error: invalid value 'none' for '--approve <WHO>': there are ask, edits, all
            agent --rpc --session ../../etc/passwd
                error: invalid value '../../etc/passwd' for '--session <ID>': no session has such an id; an id looks like 20261106-091500-k3x7qa
            agent --rpc --session
                error: a value is required for '--session <ID>' but none was supplied
            agent --rpc --session a --continue
                error: --session, --continue and --no-session exclude each other; keep one of them
            agent --rpc --session a --no-session
                error: --session, --continue and --no-session exclude each other; keep one of them
            agent --rpc --continue --no-session
                error: --session, --continue and --no-session exclude each other; keep one of them
            agent --rpc --bogus
                error: unexpected argument '--bogus' found
            agent --rpc --modle x
                error: unexpected argument '--modle' found
            agent --rpc fix the test
                error: unexpected argument 'fix' found
            agent --rpc --log loud
                error: invalid value 'loud' for '--log <LEVEL>': unknown log level "loud"; there are off, error, warn, info, debug, trace, also by target as in "info,greenroom::provider=debug"
            agent --rpc --log-format xml
                error: invalid value 'xml' for '--log-format <FORMAT>': unknown log format "xml"; there are text, json
            agnet --rpc
                error: unrecognized subcommand 'agnet'
            --config x
                error: a command is missing: agent, demo, doctor or bench; `greenroom --help` has more
            --rpc
                error: unexpected argument '--rpc' found
            --mode tui
                error: --mode tui: only --mode rpc is there yet
            --mode
                error: --mode needs a value
            --mode rpc --model
                error: --model needs a value
            --mode rpc --model --ephemeral
                error: --model needs a value
            --mode rpc --path /no/such/folder
                error: --path /no/such/folder: No such file or directory (os error 2); give a folder that exists with --path
            --mode rpc --path
                error: --path needs a value
            --mode rpc --thinking deeply
                error: --thinking deeply: there are none, normal, extended
            --mode rpc --max-steps 0
                error: --max-steps: expected a whole number from 1 to 4294967295
            --mode rpc --log loud
                error: --log: unknown log level "loud"; there are off, error, warn, info, debug, trace, also by target as in "info,greenroom::provider=debug"
            --mode rpc --resume a/b
                error: --resume: no session has such an id; an id looks like 20261106-091500-k3x7qa
            --mode rpc --session
                error: --session needs a value
        "#]],
    );
    let usage = parse_as("autohand", "--ephemeral").unwrap_err();
    assert_eq!(
        usage.text,
        "error: only --mode rpc is there yet; add it, or see --help\n"
    );
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

#[cfg(unix)]
#[test]
fn paths_need_not_be_text() {
    use std::os::unix::ffi::OsStrExt;

    let folder = tempfile::tempdir().unwrap();
    let odd = folder
        .path()
        .canonicalize()
        .unwrap()
        .join(OsStr::from_bytes(b"a\xffb"));
    fs::create_dir(&odd).unwrap();
    let attached = [b"--path=".as_slice(), odd.as_os_str().as_bytes()].concat();
    let lines: [Vec<OsString>; 3] = [
        vec![
            "agent".into(),
            "--rpc".into(),
            "--cwd".into(),
            odd.clone().into(),
        ],
        vec![
            "--mode".into(),
            "rpc".into(),
            "--path".into(),
            odd.clone().into(),
        ],
        vec![
            "--mode".into(),
            "rpc".into(),
            OsStr::from_bytes(&attached).to_owned(),
        ],
    ];
    for args in lines {
        match Invocation::parse(OsStr::new("greenroom"), args) {
            Ok(Invocation::Rpc(options)) => assert_eq!(options.cwd, odd),
            other => panic!("{other:?}"),
        }
    }
    let odd_model = vec![
        "--mode".into(),
        "rpc".into(),
        "--model".into(),
        OsStr::from_bytes(b"a\xff").to_owned(),
    ];
    let usage = Invocation::parse(OsStr::new("greenroom"), odd_model).unwrap_err();
    assert_eq!(usage.text, "error: --model: the value is not UTF-8\n");
}

#[cfg(unix)]
#[test]
fn links_in_the_workspace_are_resolved() {
    let folder = tempfile::tempdir().unwrap();
    let real = folder.path().canonicalize().unwrap().join("real");
    let link = folder.path().join("link");
    fs::create_dir(&real).unwrap();
    std::os::unix::fs::symlink(&real, &link).unwrap();
    assert_eq!(
        rpc(&format!("agent --rpc --cwd {}", link.display())).cwd,
        real
    );
}

#[test]
fn names_of_the_program() {
    let cases = [
        ("greenroom", Program::Greenroom),
        ("/usr/bin/hm", Program::Hm),
        ("hm.exe", Program::Hm),
        ("./autohand", Program::Autohand),
        ("hermes", Program::Greenroom),
        ("", Program::Greenroom),
    ];
    for (argv0, expected) in cases {
        assert_eq!(Program::called(OsStr::new(argv0)), expected, "{argv0}");
    }
}

fn config(yaml: &str) -> Config {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("config.yaml");
    fs::write(&file, yaml).unwrap();
    let env = Environment::fixed([("HOME", "/h"), ("OLLAMA_HOST", "box")]);
    Config::load(Some(&file), None, &env).unwrap()
}

#[test]
fn flags_win_over_the_configuration() {
    let config = config(
        "{default_provider: scripted, mode: plan, effort: low, limits: {max_steps: 9, turn_tokens: 5}}",
    );
    let shown = |line: &str| {
        let launch = rpc(line).launch(&config).unwrap();
        let model = launch.model;
        format!(
            "{} {} {:?} {:?} {} {:?}",
            launch.mode.name(),
            model.provider,
            model.model,
            model.effort.map(Effort::name),
            launch.limits.max_steps,
            launch.limits.turn_tokens
        )
    };
    assert_eq!(
        shown("agent --rpc"),
        r#"plan scripted "" Some("low") 9 Some(5)"#
    );
    let line = "agent --rpc --mode full --provider ollama --model m --effort max --max-steps 2";
    assert_eq!(shown(line), r#"full ollama "m" Some("max") 2 Some(5)"#);
}

#[test]
fn providers_are_checked_against_the_configuration() {
    let config = config("");
    let refused = |line: &str| {
        let usage = rpc(line).launch(&config).unwrap_err();
        assert_eq!(usage.exit_code, 2);
        usage.text
    };
    let shown = [
        refused("agent --rpc --provider ollmaa"),
        refused("agent --rpc --provider openai"),
        refused("agent --rpc --provider ollama"),
    ];
    expect![[r#"
        error: --provider: there is no provider "ollmaa" (did you mean "ollama"?); there are ollama, scripted
        error: --provider: there is no provider "openai"; set $OPENAI_API_KEY to use openai; there are ollama, scripted
        error: provider ollama has no model of its own; name one with --model or in providers.ollama.model of the configuration
    "#]].assert_eq(&shown.concat());
}

#[test]
fn what_is_logged_is_said_by_flag_variable_or_file() {
    let configured = LogSettings {
        level: LogFilter::parse("error").unwrap(),
        format: LogFormat::Json,
    };
    let shown = |line: &str, variables: &[(&str, &str)]| {
        let common = rpc(line).common;
        let env = Environment::fixed(variables.iter().copied());
        let (settings, warning) = common.log_settings(&configured, &env);
        format!(
            "{} {:?} {:?}",
            settings.level.as_str(),
            settings.format,
            warning.is_some()
        )
    };
    let debug = [("RUST_LOG", "debug")];
    let foreign = [("RUST_LOG", "my_crate[span]=debug,loud")];
    assert_eq!(shown("agent --rpc", &[]), "error Json false");
    assert_eq!(shown("agent --rpc", &debug), "debug Json false");
    assert_eq!(
        shown("agent --rpc --log info --log-format text", &debug),
        "info Text false"
    );
    assert_eq!(shown("agent --rpc", &foreign), "error Json true");
}
