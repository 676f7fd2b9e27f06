//! `greenroom demo`, as people start it.

use std::fs;
use std::path::Path;
use std::process::Stdio;

use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};

use crate::started::{Ended, GREENROOM, Place, ended, read_until, text};

fn holds_nothing(folder: &Path) -> bool {
    fs::read_dir(folder).unwrap().next().is_none()
}

#[tokio::test]
async fn the_demonstration_shows_all_of_it_and_leaves_nothing_behind() {
    let place = Place::new();
    let Ended {
        code,
        output,
        errors,
    } = place.run(GREENROOM, &["demo"]).await;
    assert_eq!((code, &*errors), (Some(0), ""), "{output}");
    let mut rest = &*output;
    for part in [
        "host  → prompt           Set up",
        "agent ← response         prompt: ok\n",
        "agent ← text             I will set up a small project",
        "agent ← tool_call        c1 update_plan",
        "agent ← plan             [>] Set up greet.sh",
        "agent ← tool_call        c2 write_file: greenroom-demo/greet.sh\n",
        "agent ← approval_needed  c6 shell: sh greenroom-demo/test.sh\n",
        "host  → approve          c6 yes",
        "agent ← approval         c6 allowed by the client, for the rest of the session\n",
        "agent ← tool_result      c6 exit code 1\n",
        "agent ← question         c8 greet.sh reads",
        "host  → steer            And say",
        "host  → answer           c8 yes\n",
        "agent ← message_end      the steer is in the conversation\n",
        "- name=\"${2:-world}\"\n",
        "+ name=\"${1:-world}\"\n",
        "agent ← tool_result      c11 exit code 0\n",
        "agent ← text             That was a whole turn",
        "agent ← turn_end         ok after 10 model calls",
        "agent ← session_end      exit code 0, calls refused: 0\n",
        "The turn ended ok: 10 model calls, ",
        "\nChecked on the disk: ",
    ] {
        let Some((_, after)) = rest.split_once(part) else {
            panic!("{part:?} is missing in: {rest}");
        };
        rest = after;
    }
    assert!(!output.contains('\x1b'), "no colours without a terminal");
    for folder in [place.temporary(), place.home(), place.work()] {
        assert!(holds_nothing(&folder), "{}", folder.display());
    }
}

/// The command and the lines that it names at its end do the same.
#[tokio::test]
async fn what_it_says_can_be_done_by_hand() {
    let place = Place::new();
    let shown = place.run(GREENROOM, &["demo"]).await.output;
    let (_, by_hand) = shown.split_once("To do the same by hand").unwrap();
    let lines = by_hand.lines().filter_map(|line| line.strip_prefix("  "));
    let lines: Vec<&str> = lines.collect();
    let [command, prompt, approve, steer, answer] = lines[..] else {
        panic!("a command and four lines: {lines:?}");
    };

    let mut sh = place.command("sh", &["-c", command]);
    let mut child = sh.stdin(Stdio::piped()).spawn().unwrap();
    let mut input = child.stdin.take();
    let mut output = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut status = Value::Null;
    let talk = async {
        while let Some(line) = output.next_line().await.unwrap() {
            let event: Value = serde_json::from_str(&line).unwrap();
            assert_ne!(event["ok"], false, "{line}");
            let typed = match event["type"].as_str().unwrap() {
                "session_start" => format!("{prompt}\n"),
                "approval_needed" => format!("{approve}\n"),
                "question" => format!("{steer}\n{answer}\n"),
                "turn_end" => {
                    status = event["status"].clone();
                    input = None;
                    continue;
                }
                _ => continue,
            };
            let input = input.as_mut().unwrap();
            input.write_all(typed.as_bytes()).await.unwrap();
        }
    };
    let patience = std::time::Duration::from_secs(120);
    tokio::time::timeout(patience, talk).await.unwrap();
    assert_eq!(status, "ok");
    assert_eq!(ended(child).await.code, Some(0));
    let script = fs::read_to_string(place.work().join("greenroom-demo/greet.sh")).unwrap();
    assert!(script.contains("${1:-world}"), "{script}");
}

#[tokio::test]
async fn a_demonstration_that_goes_otherwise_fails_and_says_why() {
    let place = Place::new();
    let config = place.work().join("config.yaml");
    fs::write(&config, "limits: {max_steps: 2}\n").unwrap();
    let Ended {
        code,
        output,
        errors,
    } = place
        .run(GREENROOM, &["demo", "--config", text(&config)])
        .await;
    assert_eq!(code, Some(1), "{output}");
    assert_eq!(
        errors,
        "error: the demonstration failed: the turn ended as max_steps\n"
    );
    assert!(!output.contains("The turn ended ok"), "{output}");
    assert!(holds_nothing(&place.temporary()));
}

#[cfg(unix)]
#[tokio::test]
async fn ctrl_c_ends_it_and_leaves_nothing_behind() {
    let place = Place::new();
    let mut child = place.command(GREENROOM, &["demo"]).spawn().unwrap();
    read_until(child.stdout.as_mut().unwrap(), "approval_needed").await;
    crate::started::interrupt(&child);
    let Ended { code, errors, .. } = ended(child).await;
    assert_eq!((code, &*errors), (Some(130), ""));
    assert!(holds_nothing(&place.temporary()));
}
