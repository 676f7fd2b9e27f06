//! A guard that fails.

use std::sync::Arc;

use greenroom_actors::ports::{Act, Guard, Judgement, Likeness};
use greenroom_actors::testing::{self, Line, calls};
use greenroom_protocol::session::{CallEnd, Happening, Outcome};

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
