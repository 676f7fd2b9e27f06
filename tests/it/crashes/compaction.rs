//! kill -9 while the conversation is summed up: it is as before or as after,
//! never between, and goes on.

use std::time::Duration;

use fastrand::Rng;
use greenroom_protocol::session::Message;
use serde_json::json;

use super::journal::Journal;
use crate::support::Stage;

const SCRIPT: &str = r#"
turns:
  - when: {contains: "Write a summary of this conversation"}
    steps: [{say: "All of it in a few words, one by one.", pace_ms: 5}]
otherwise:
  - say: "answer to {{prompt}}"
"#;

/// As the configuration has it by default.
const KEPT: usize = 4;
/// A compaction takes some 50 ms.
const LONGEST: Duration = Duration::from_millis(90);

#[test]
fn a_compaction_is_whole_or_not_at_all() {
    let rounds = std::env::var("GREENROOM_CRASH_ROUNDS").map_or(12, |text| text.parse().unwrap());
    let mut rng = Rng::with_seed(5);
    let mut stage = Stage::playing(SCRIPT);
    let first = stage.start();
    let session = first.session();
    first.kill();
    stage.set_flags(&["--session", &session]);

    let mut before: Vec<String> = Vec::new();
    let (mut done, mut undone) = (0, 0);
    for round in 0..rounds {
        let mut host = stage.start();
        for number in 0..3 {
            let text = format!("prompt {round}.{number}");
            host.send(json!({"id": text, "type": "prompt", "text": text}));
            host.wait_type("turn_end");
            before.extend([text.clone(), format!("answer to {text}")]);
        }
        host.send(json!({"id": "c", "type": "compact"}));
        // The moment is the experiment: nothing is waited for.
        std::thread::sleep(LONGEST.mul_f64(rng.f64()));
        let lines = host.kill().lines;
        let answered = lines
            .iter()
            .any(|line| line.json["command"] == "compact" && line.json["ok"] == true);

        let journal = Journal::read(&stage.state(), &session);
        journal.assert_calls_are_paired();
        let mut found = texts(&journal.request.messages);
        assert_eq!(found.pop().as_deref(), Some("the next prompt"));
        let is_before = found == before;
        let is_after = found
            .first()
            .is_some_and(|it| it.contains("in a few words"))
            && found[1..] == before[before.len() - KEPT..];
        assert!(is_before != is_after, "round {round}: {found:?}");
        assert!(is_after || !answered, "round {round}: it was acknowledged");
        match is_after {
            true => done += 1,
            false => undone += 1,
        }
        before = found;
    }
    // Else the moments were no good.
    assert!(done > 0 && undone > 0, "{done} done, {undone} not");
}

fn texts(messages: &[Message]) -> Vec<String> {
    let texts = messages.iter().map(|message| match message {
        Message::User { content, .. } => content.joined_text().to_string(),
        Message::Assistant { message, .. } => message.text.to_string(),
        Message::Results { .. } => "results".to_owned(),
    });
    texts.collect()
}
