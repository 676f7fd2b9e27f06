//! Command lines and what they come to.

mod autohand;
mod launch;
mod refused;

use std::ffi::{OsStr, OsString};
use std::fs;

use greenroom_protocol::session::{AnswerPolicy, Effort, Mode, SessionId};

use super::*;
use crate::config::{LogFilter, LogFormat};

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
        cwd_named: false,
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
#[test]
fn hms_flags() {
    assert_eq!(rpc("agent --rpc"), bare());
    let all = "agent --rpc --cwd / --mode plan --provider p --model m --effort xhigh --session \
               20261106-091500-k3x7qa --max-steps 3 --approve edits --script s.yaml --config c.yaml \
               --log debug --log-format json";
    let expected = RpcOptions {
        wire: WireName::Hm,
        cwd: "/".into(),
        cwd_named: true,
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

proptest::proptest! {
    /// Any command line is taken or refused with a reason.
    #[test]
    fn any_command_line_is_taken_or_refused(
        words in proptest::collection::vec(
            "(agent|doctor|--rpc|--mode|rpc|--mode=rpc|--cwd|--session|--max-steps|--config|-y|--|-|--yolo|--[a-z]{1,5}|[a-z0-9=-]{0,6})",
            0..8,
        ),
        called in "(greenroom|hm|autohand)",
    ) {
        let args = words.iter().map(OsString::from).collect();
        match Invocation::parse(OsStr::new(&called), args) {
            Ok(_) => {}
            Err(usage) => {
                proptest::prop_assert!(usage.text.ends_with('\n'), "{:?}", usage);
                proptest::prop_assert_eq!(usage.exit_code, 2);
            }
        }
    }
}
