//! A guard that fails, and one that warns.

use std::path::Path;
use std::sync::Arc;

use greenroom_actors::ports::{Act, Guard, Judgement, Likeness};
use greenroom_actors::testing::{self, FakeGuard, Line, calls};
use greenroom_protocol::session::{CallEnd, Happening, Outcome, Text};

use crate::client::{Client, says};

struct BrokenGuard;

impl Guard for BrokenGuard {
    fn judge(&self, _: &Act<'_>) -> Judgement {
        panic!("scripted panic of a guard");
    }

    fn likeness(&self, _: &Act<'_>) -> Option<Likeness> {
        None
    }
}

#[tokio::test(start_paused = true)]
async fn a_panic_in_the_guard_counts_as_deny() {
    let mut ports = testing::ports([Line::Says(vec![], calls(&[("read", "a")])), says("fine")]);
    ports.guard = Arc::new(BrokenGuard);
    let mut client = Client::of(ports).await;
    client.prompt("go");
    let ended = client
        .event(|it| matches!(it, Happening::CallEnded(_)))
        .await;
    let Happening::CallEnded(result) = &ended.happening else {
        unreachable!()
    };
    assert_eq!(result.end, CallEnd::Denied);
    assert_eq!(client.end_of_turn().await, Outcome::Completed);
}

struct WarningGuard;

impl Guard for WarningGuard {
    fn judge(&self, act: &Act<'_>) -> Judgement {
        FakeGuard.judge(act)
    }

    fn likeness(&self, act: &Act<'_>) -> Option<Likeness> {
        FakeGuard.likeness(act)
    }

    fn warnings(&self, root: &Path) -> Vec<Text> {
        vec![format!("broken rules in {}", root.display()).into()]
    }
}

#[tokio::test(start_paused = true)]
async fn a_warning_of_the_guard_reaches_clients_once() {
    let twice = calls(&[("read", "a"), ("read", "b")]);
    let mut ports = testing::ports([Line::Says(vec![], twice), says("fine")]);
    ports.guard = Arc::new(WarningGuard);
    let mut client = Client::of(ports).await;
    client.prompt("go");
    let mut notices = Vec::new();
    let mut ended = 0;
    while ended < 2 {
        let event = client
            .event(|it| matches!(it, Happening::Noticed { .. } | Happening::CallEnded(_)))
            .await;
        match &event.happening {
            Happening::Noticed { text } => notices.push(text.to_string()),
            _ => ended += 1,
        }
    }
    assert_eq!(client.end_of_turn().await, Outcome::Completed);
    assert_eq!(notices.len(), 1, "{notices:?}");
    assert!(notices[0].starts_with("broken rules in "), "{notices:?}");
}
