//! Frames to vocabulary and back, as readable files (`support/mod.rs` says how
//! to read them). `UPDATE_EXPECT=1 cargo test -p greenroom-protocol` writes
//! what comes out; read the difference before you commit it.
//!
//! Files named `lines_*` are their own input: add a `> ` line and run it. The
//! others are the scenes of `support/scenes/`.

#![allow(clippy::unwrap_used, clippy::expect_used)] // Helpers of tests are tests.

mod support;

use std::fs;
use std::path::{Path, PathBuf};

use greenroom_protocol::dialect::autohand::Autohand;
use greenroom_protocol::dialect::hm::Hm;
use greenroom_protocol::dialect::{Dialect, LineFault};
use serde_json::Value;
use support::scenes::{SCENES, sample};
use support::values::new_session;
use support::{Player, Stage};

#[test]
fn hm_scenes() {
    play_scenes("hm", Hm::new);
}

#[test]
fn autohand_scenes() {
    play_scenes("autohand", Autohand::new);
}

#[test]
fn hm_lines() {
    play_lines("hm", Hm::new);
}

#[test]
fn autohand_lines() {
    play_lines("autohand", Autohand::new);
}

#[test]
fn no_golden_file_is_left_over() {
    for wire in ["hm", "autohand"] {
        for file in files(wire) {
            let name = file.file_stem().unwrap().to_str().unwrap();
            let is_known = name.starts_with("lines_") || SCENES.iter().any(|it| it.0 == name);
            assert!(is_known, "{}", file.display());
        }
    }
}

/// The pages of the wires name the tests that hold their promises.
#[test]
fn pages_name_tests_that_exist() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let golden = include_str!("golden.rs");
    let properties = include_str!("properties.rs");
    for wire in ["hm", "autohand"] {
        let page = root.join(format!("../docs/protocols/{wire}.md"));
        let page = fs::read_to_string(page).unwrap();
        let words: Vec<&str> = page.split('`').skip(1).step_by(2).collect();
        let has = |test: &str, file: &str| file.contains(&format!("fn {test}("));
        let mut named = 0;
        for word in words {
            let exists = if word.starts_with("lines_") || word.starts_with("scene_") {
                folder(wire).join(format!("{word}.txt")).is_file()
            } else if let Some(test) = word.strip_prefix("properties::") {
                has(test, properties)
            } else if let Some(test) = word.strip_prefix("golden.rs::") {
                has(test, golden)
            } else {
                continue;
            };
            assert!(exists, "docs/protocols/{wire}.md names {word}");
            named += 1;
        }
        assert!(20 < named, "{named} tests are named for {wire}");
    }
}

/// The sample session of seed 000, header fields apart: each of its fields is
/// there, with its value, in its order. More fields may stand behind.
#[test]
fn hm_shows_the_seeds_sample() {
    let seed = r#"
        {"type":"session_start","root":"/home/me/app","mode":"auto","provider":"anthropic","model":"","resumed":false,"prompt":""}
        {"type":"response","id":"1","command":"prompt","ok":true}
        {"type":"message_end","role":"user","text":"run the tests"}
        {"type":"message_start","role":"assistant"}
        {"type":"tool_start","tool":"shell"}
        {"type":"usage","input":2410,"output":38,"cache_read":0,"cache_write":0,"cost":0.0127}
        {"type":"message_end","role":"assistant","text":""}
        {"type":"tool_call","tool":"shell","call_id":"toolu_01","summary":"go test ./...","input":{"command":"go test ./..."}}
        {"type":"approval_needed","call_id":"toolu_01","tool":"shell","category":"shell","summary":"go test ./...","command":"go test ./...","paths":["/home/me/app"]}
        {"type":"response","id":"2","command":"approve","ok":true}
        {"type":"approval","call_id":"toolu_01","tool":"shell","allow":true}
        {"type":"tool_result","tool":"shell","call_id":"toolu_01","text":"ok \tapp\t0.21s\n","is_error":false}
        {"type":"message_end","role":"tool","text":""}
        {"type":"message_start","role":"assistant"}
        {"type":"text_delta","text":"All tests pass."}
        {"type":"usage","input":2502,"output":9,"cache_read":2400,"cache_write":0,"cost":0.0021}
        {"type":"message_end","role":"assistant","text":"All tests pass."}
        {"type":"turn_end"}
        {"type":"session_end","answer":"All tests pass.","exit_code":0,"refused":[],"usage":{"input":4912,"output":47,"cache_read":2400,"cache_write":0,"cost":0.0148}}
    "#;
    let mut player = Player::new("hm", Hm::new());
    sample(&mut player);
    let shown: Vec<&str> = seed
        .lines()
        .map(str::trim)
        .filter(|it| !it.is_empty())
        .collect();
    assert_eq!(player.frames.len(), shown.len(), "{:#?}", player.frames);
    for (frame, shown) in player.frames.iter().zip(shown) {
        let body = shown.replacen(r#"{"type":""#, "", 1);
        let (kind, fields) = body.split_once('"').unwrap();
        let head = format!(
            r#"{{"v":1,"type":"{kind}","session":"20261106-120000-abc234","time":"2026-11-06T12:00:00."#
        );
        let after_head = frame
            .strip_prefix(&head)
            .unwrap_or_else(|| panic!("{frame}"));
        let after_time = &after_head["000Z\"".len()..];
        let fields = fields.strip_suffix('}').unwrap();
        assert!(after_time.starts_with(fields), "{frame}\nlacks {fields}");
    }
}

/// The examples of events in seed 002, with the values of the sample session.
#[test]
fn autohand_shows_the_seeds_examples() {
    let seed = r#"
        {"type":"agent_start"}
        {"type":"turn_start","data":{"instruction":"run the tests"}}
        {"type":"message_update","data":{"delta":"All tests pass."}}
        {"type":"tool_execution_start","data":{"toolName":"shell","toolCallId":"toolu_01","args":{"command":"go test ./..."}}}
        {"type":"tool_execution_end","data":{"toolName":"shell","toolCallId":"toolu_01","success":true,"duration":150}}
        {"type":"permission_request","data":{"requestId":"toolu_01","tool":"shell","message":"Execute: go test ./...?"}}
        {"type":"turn_end","data":{"success":true}}
        {"type":"agent_end"}
        {"type":"response","id":"1","command":"prompt","success":true}
        {"type":"response","command":"permission_response","success":true}
    "#;
    let mut player = Player::new("autohand", Autohand::new());
    sample(&mut player);
    let frames: Vec<Value> = player
        .frames
        .iter()
        .map(|it| serde_json::from_str(it).unwrap())
        .collect();
    for shown in seed.lines().map(str::trim).filter(|it| !it.is_empty()) {
        let shown: Value = serde_json::from_str(shown).unwrap();
        let has_it = |frame: &Value| holds(frame, &shown);
        assert_eq!(frames.iter().filter(|it| has_it(it)).count(), 1, "{shown}");
    }
    for frame in frames.iter().filter(|it| it["type"] != "response") {
        let timestamp = frame["timestamp"].as_str().unwrap();
        assert!(timestamp.starts_with("2026-11-06T12:00:00."), "{frame}");
    }
}

/// True when `value` has all that `part` has.
fn holds(value: &Value, part: &Value) -> bool {
    match (value, part) {
        (Value::Object(value), Value::Object(part)) => part
            .iter()
            .all(|(name, part)| value.get(name).is_some_and(|value| holds(value, part))),
        _ => value == part,
    }
}

fn play_scenes<D: Dialect>(wire: &'static str, new: fn() -> D) {
    for (name, scene) in SCENES {
        let mut player = Player::new(wire, new());
        scene(&mut player);
        compare(&folder(wire).join(format!("{name}.txt")), &player.script);
    }
}

fn play_lines<D: Dialect>(wire: &'static str, new: fn() -> D) {
    let mut played = 0;
    for file in files(wire) {
        let name = file.file_name().unwrap().to_str().unwrap();
        if !name.starts_with("lines_") {
            continue;
        }
        let mut player = Player::new(wire, new());
        player.greet(&new_session());
        player.script.clear();
        for line in fs::read_to_string(&file).unwrap().lines() {
            if let Some(line) = line.strip_prefix("> ") {
                match line {
                    "(too long)" => player.unreadable(LineFault::TooLong { limit: 1000 }),
                    "(not UTF-8)" => player.unreadable(LineFault::NotUtf8),
                    line => {
                        player.line(line);
                    }
                }
            } else if let Some(remark) = line.strip_prefix("# ") {
                player.remark(remark);
            }
        }
        compare(&file, &player.script);
        played += 1;
    }
    assert!(0 < played, "no lines_*.txt of {wire}");
}

fn compare(file: &Path, got: &str) {
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        fs::write(file, got).unwrap();
        return;
    }
    let expected = fs::read_to_string(file).unwrap_or_default();
    for (number, (expected, got)) in expected.lines().zip(got.lines()).enumerate() {
        assert_eq!(got, expected, "{}:{}", file.display(), number + 1);
    }
    assert_eq!(got, expected, "{}", file.display());
}

fn folder(wire: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/golden")
        .join(wire)
}

fn files(wire: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder(wire)).unwrap();
    entries.map(|entry| entry.unwrap().path()).collect()
}
