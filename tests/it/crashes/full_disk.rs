//! A disk that is full: what can't be saved is refused in words, nothing ends,
//! and when there is room again the session goes on.

use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::json;

use super::journal::Journal;
use crate::support::{Host, Stage};

const SCRIPT: &str = r#"otherwise: [{say: "Yes."}]"#;

/// A small file system, where root may make one.
struct Disk(PathBuf);

impl Disk {
    fn mount(path: &Path, size: &str) -> Option<Disk> {
        std::fs::create_dir_all(path).unwrap();
        let mounted = Command::new("mount")
            .args([
                "-t",
                "tmpfs",
                "-o",
                &format!("size={size},mode=700"),
                "tmpfs",
            ])
            .arg(path)
            .output();
        let ok = mounted.is_ok_and(|output| output.status.success());
        ok.then(|| Disk(path.to_owned()))
    }

    fn resize(&self, size: &str) {
        let status = Command::new("mount")
            .args(["-o", &format!("remount,size={size}")])
            .arg(&self.0)
            .status();
        assert!(status.unwrap().success());
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(&self.0).status();
    }
}

/// Prompts stay word for word, however many there are.
fn full_stage() -> Stage {
    Stage::playing(SCRIPT).config("compaction: {at_percent: 0}")
}

/// Sends prompts until one is refused; gives the texts of those that were not,
/// and the refusal.
fn fill(host: &mut Host) -> (Vec<String>, String) {
    let mut accepted = Vec::new();
    for number in 0..200 {
        let text = format!("{number} {}", "x".repeat(100_000));
        let id = format!("fill {number}");
        let answer = host.ask(json!({"id": id, "type": "prompt", "text": text}));
        if answer["ok"] == false {
            return (accepted, answer["error"].as_str().unwrap().to_owned());
        }
        accepted.push(text);
        host.wait_type("turn_end");
    }
    panic!("20 MB went to a disk that has no room for them");
}

fn assert_all_there(stage: &Stage, session: &str, accepted: &[String]) {
    let journal = Journal::read(&stage.state(), session);
    let texts = journal
        .conversation
        .iter()
        .filter_map(|message| match message {
            greenroom_protocol::session::Message::User { content, .. } => {
                Some(content.joined_text())
            }
            _ => None,
        });
    let texts: Vec<String> = texts.map(|text| text.to_string()).collect();
    for text in accepted {
        assert!(texts.contains(text), "{} is lost", &text[..10]);
    }
    journal.assert_calls_are_paired();
}

#[test]
fn a_full_disk_refuses_and_recovers() {
    let stage = full_stage();
    let Some(disk) = Disk::mount(&stage.state(), "4m") else {
        // Only root may mount; the limit of a file's size stands in for it.
        return a_limit_of_size_refuses_in_words();
    };
    let mut host = stage.start();
    let session = host.session();
    let (mut accepted, error) = fill(&mut host);
    assert!(error.starts_with("the session cannot be saved"), "{error}");
    assert!(error.contains("space") || error.contains("full"), "{error}");
    // It is there, and says so.
    let state = host.ask(json!({"id": "state", "type": "get_state"}));
    assert_eq!(state["ok"], true);
    assert_eq!(
        host.ask(json!({"id": "abort", "type": "abort"}))["ok"],
        true
    );
    // Still full: still refused, in the same way.
    let answer = host.ask(json!({"id": "again", "type": "prompt", "text": "y".repeat(500_000)}));
    assert_eq!(answer["ok"], false);

    disk.resize("64m");
    let answer = host.ask(json!({"id": "room", "type": "prompt", "text": "room again"}));
    assert_eq!(answer["ok"], true, "{answer}");
    accepted.push("room again".to_owned());
    host.wait_type("turn_end");
    assert_eq!(host.finish().code, Some(0));
    assert_all_there(&stage, &session, &accepted);

    let stage = stage.flags(&["--session", &session]);
    let mut host = stage.start();
    host.send(json!({"id": "1", "type": "prompt", "text": "after all"}));
    assert_eq!(host.wait_type("turn_end")["status"], "ok");
    host.finish();
}

/// The session starts, since there may be room by its first prompt.
#[test]
fn no_room_from_the_start() {
    let stage = full_stage();
    let Some(disk) = Disk::mount(&stage.state(), "16k") else {
        return a_limit_of_size_refuses_in_words();
    };
    let mut host = stage.start();
    let answer = host.ask(json!({"id": "1", "type": "prompt", "text": "no room"}));
    let error = answer["error"].as_str().unwrap();
    assert!(error.contains("no space is left"), "{error}");
    disk.resize("16m");
    assert_eq!(
        host.ask(json!({"id": "2", "type": "prompt", "text": "room"}))["ok"],
        true
    );
    host.wait_type("turn_end");
    let session = host.session();
    assert_eq!(host.finish().code, Some(0));
    assert_all_there(&stage, &session, &["room".to_owned()]);
}

/// Files may not grow beyond a limit (EFBIG): another way in which a disk says
/// no, and one that needs no rights.
#[test]
fn a_limit_of_size_refuses_in_words() {
    let stage = full_stage();
    // Without the trap the system would kill it.
    let shell = r#"trap '' XFSZ; ulimit -f 6000; exec "$0" "$@""#;
    let wanted = stage.command();
    let mut command = Command::new("bash");
    command
        .args(["-c", shell])
        .arg(wanted.get_program())
        .args(wanted.get_args());
    command.arg0("bash");
    stage.dress(&mut command);
    let mut host = Host::spawn(command, stage.wire());
    host.next();
    let session = host.session();
    let (accepted, error) = fill(&mut host);
    assert!(error.starts_with("the session cannot be saved"), "{error}");
    let state = host.ask(json!({"id": "state", "type": "get_state"}));
    assert_eq!(state["data"]["running"], false);
    assert_eq!(host.finish().code, Some(0));
    assert_all_there(&stage, &session, &accepted);
    // Without the limit it goes on.
    let stage = stage.flags(&["--session", &session]);
    let mut host = stage.start();
    host.send(json!({"id": "1", "type": "prompt", "text": "after all"}));
    assert_eq!(host.wait_type("turn_end")["status"], "ok");
    host.finish();
}
