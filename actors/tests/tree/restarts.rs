//! Sessions whose actor fails, and the end of the tree.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use greenroom_actors::outbox::Out;
use greenroom_actors::ports::Clock;
use greenroom_actors::testing::{self, Line};
use greenroom_protocol::session::{Command, Happening, Millis, Outcome};

use crate::client::{Client, says};

/// A clock that breaks whoever looks at it, once.
#[derive(Default)]
struct Breaking(AtomicBool);

impl Clock for Breaking {
    fn now(&self) -> Millis {
        if self.0.swap(false, Ordering::Relaxed) {
            panic!("scripted panic of the clock");
        }
        Millis(1000)
    }
}

#[tokio::test(start_paused = true)]
async fn a_failed_session_is_started_anew_and_says_what_was_lost() {
    let clock = Arc::new(Breaking::default());
    let mut ports = testing::ports([Line::Hangs(vec![]), says("fine")]);
    ports.clock = clock.clone();
    let mut client = Client::of(ports).await;
    let ticket = client.prompt("go");
    client.answer_to(ticket).await.unwrap();
    client
        .event(|it| matches!(it, Happening::MessageStarted { .. }))
        .await;

    clock.0.store(true, Ordering::Relaxed);
    client.ask(Command::GetState);
    loop {
        if let Out::Restarted { generation, .. } = client.next().await {
            assert_eq!(generation, 1);
            break;
        }
    }
    assert!(matches!(
        client.end_of_turn().await,
        Outcome::Interrupted(_)
    ));
    client.prompt("again");
    assert_eq!(client.end_of_turn().await, Outcome::Completed);
    assert_eq!(client.root.count().await, Some((1, 1)));
}

#[tokio::test(start_paused = true)]
async fn a_session_that_fails_too_often_is_closed() {
    let clock = Arc::new(Breaking::default());
    let mut ports = testing::ports([]);
    ports.clock = clock.clone();
    let mut client = Client::of(ports).await;
    for _ in 0..3 {
        clock.0.store(true, Ordering::Relaxed);
        client.ask(Command::GetState);
        while !matches!(client.next().await, Out::Restarted { .. }) {}
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    clock.0.store(true, Ordering::Relaxed);
    client.ask(Command::GetState);
    while !matches!(client.next().await, Out::Closed { .. }) {}
    assert_eq!(client.root.count().await, Some((0, 3)));
}

#[tokio::test(start_paused = true)]
async fn a_stopped_tree_leaves_nothing_running() {
    let mut client = Client::of(testing::ports([Line::Hangs(vec![])])).await;
    client.prompt("go");
    client
        .event(|it| matches!(it, Happening::MessageStarted { .. }))
        .await;
    client.root.stop().await;
    let alive = tokio::runtime::Handle::current()
        .metrics()
        .num_alive_tasks();
    assert_eq!(alive, 0);
}
