//! Turns that hang, fail, stall, or meet a limit.

use std::time::Duration;

use greenroom_actors::outbox::{Out, Wants, outbox};
use greenroom_actors::ports::{Chunk, ModelError};
use greenroom_actors::session::{Leave, SessionMsg, Settings};
use greenroom_actors::testing::{self, Line, calls};
use greenroom_protocol::session::{
    AbortedBy, Command, FailureKind, Happening, Outcome, Reply, SubscriberId,
};
use tokio::time::Instant;

use crate::client::{Client, failed, overloaded, says};

#[tokio::test(start_paused = true)]
async fn an_abort_is_heard_while_the_model_hangs() {
    let mut client = Client::of(testing::ports([Line::Hangs(vec![]), says("fine")])).await;
    client.prompt("think");
    let start = Instant::now();
    client.ask(Command::Abort);
    assert_eq!(
        client.end_of_turn().await,
        Outcome::Aborted(AbortedBy::Client)
    );
    assert!(start.elapsed() < Duration::from_millis(50));
    client.prompt("again");
    assert_eq!(client.end_of_turn().await, Outcome::Completed);
}

#[tokio::test(start_paused = true)]
async fn an_abort_is_heard_while_a_tool_hangs() {
    let script = [Line::Says(vec![], calls(&[("read", "hang")])), says("fine")];
    let mut client = Client::of(testing::ports(script)).await;
    client.prompt("go");
    client
        .event(|it| matches!(it, Happening::CallOutput { .. }))
        .await;
    let start = Instant::now();
    client.ask(Command::Abort);
    assert_eq!(
        client.end_of_turn().await,
        Outcome::Aborted(AbortedBy::Client)
    );
    assert!(start.elapsed() < Duration::from_millis(50));
    client.prompt("again");
    assert_eq!(client.end_of_turn().await, Outcome::Completed);
}

#[tokio::test(start_paused = true)]
async fn a_panic_in_a_provider_ends_the_turn_and_not_the_session() {
    let mut client = Client::of(testing::ports([Line::Panics, says("fine")])).await;
    client.prompt("boom");
    assert_eq!(failed(&client.end_of_turn().await), FailureKind::Internal);
    client.prompt("again");
    assert_eq!(client.end_of_turn().await, Outcome::Completed);
    assert_eq!(client.root.count().await, Some((1, 0)));
}

#[tokio::test(start_paused = true)]
async fn a_panic_in_a_tool_is_that_calls_result() {
    let script = [
        Line::Says(vec![], calls(&[("shell", "panic"), ("read", "a")])),
        says("fine"),
    ];
    let mut client = Client::of(testing::ports(script)).await;
    client.prompt("go");
    client
        .event(|it| matches!(it, Happening::ApprovalAsked(_)))
        .await;
    client.allow("c1").await;
    let ended = client
        .event(|it| matches!(it, Happening::CallEnded(result) if result.call.as_str() == "c1"))
        .await;
    let Happening::CallEnded(result) = &ended.happening else {
        unreachable!()
    };
    assert!(result.is_error());
    assert_eq!(client.end_of_turn().await, Outcome::Completed);
}

#[tokio::test(start_paused = true)]
async fn an_overloaded_provider_is_asked_again_and_told() {
    let mut limited = overloaded();
    limited.retry_after = Some(Duration::from_secs(7));
    let script = [
        Line::Fails(overloaded()),
        Line::Fails(limited),
        says("fine"),
    ];
    let mut client = Client::of(testing::ports(script)).await;
    let start = Instant::now();
    client.prompt("go");
    let is_retry = |it: &Happening| matches!(it, Happening::Retrying { .. });
    let first = client.event(is_retry).await;
    let Happening::Retrying { after_ms, .. } = first.happening else {
        unreachable!()
    };
    assert!((250..=500).contains(&after_ms), "{after_ms}");
    let second = client.event(is_retry).await;
    let Happening::Retrying {
        after_ms, attempt, ..
    } = second.happening
    else {
        unreachable!()
    };
    assert_eq!((after_ms, attempt), (7000, 2));
    assert_eq!(client.end_of_turn().await, Outcome::Completed);
    assert!(start.elapsed() >= Duration::from_secs(7));
}

#[tokio::test(start_paused = true)]
async fn tries_end_with_the_last_failure() {
    let script = vec![Line::Fails(overloaded()); 9];
    let mut client = Client::of(testing::ports(script)).await;
    client.prompt("go");
    assert_eq!(failed(&client.end_of_turn().await), FailureKind::Overloaded);
}

#[tokio::test(start_paused = true)]
async fn what_was_delivered_is_not_asked_for_again() {
    let half = vec![Chunk::Text("half ".into())];
    let broken = ModelError::passing(FailureKind::Broken, "cut");
    let mut client = Client::of(testing::ports([Line::Breaks(half, broken), says("no")])).await;
    client.prompt("go");
    let ended = client
        .event(|it| matches!(it, Happening::MessageEnded { .. }))
        .await;
    let Happening::MessageEnded { message, .. } = &ended.happening else {
        unreachable!()
    };
    assert_eq!(&*message.text, "half ");
    assert_eq!(failed(&client.end_of_turn().await), FailureKind::Broken);
}

#[tokio::test(start_paused = true)]
async fn a_stalled_stream_has_a_deadline() {
    let half = vec![Chunk::Text("half ".into())];
    let mut client = Client::of(testing::ports([Line::Hangs(half)])).await;
    let start = Instant::now();
    client.prompt("go");
    assert_eq!(failed(&client.end_of_turn().await), FailureKind::Stalled);
    assert_eq!(start.elapsed().as_secs(), 60);
}

#[tokio::test(start_paused = true)]
async fn an_approval_has_a_deadline_only_when_one_is_set() {
    let script = [
        Line::Says(vec![], calls(&[("shell", "make")])),
        says("fine"),
    ];
    let wait = Duration::from_secs(90);
    let change = |settings: &mut Settings| settings.limits.approval_deadline = Some(wait);
    let mut client = Client::with(testing::ports(script), change).await;
    let start = Instant::now();
    client.prompt("go");
    client
        .event(|it| matches!(it, Happening::ApprovalSettled(_)))
        .await;
    assert_eq!(start.elapsed(), wait);
    assert_eq!(client.end_of_turn().await, Outcome::Completed);
}

#[tokio::test(start_paused = true)]
async fn a_turn_has_a_time_limit_only_when_one_is_set() {
    let change = |settings: &mut Settings| {
        settings.limits.turn_time = Some(Duration::from_secs(30));
    };
    let mut client = Client::with(testing::ports([Line::Hangs(vec![])]), change).await;
    client.prompt("go");
    let limit = greenroom_protocol::session::LimitKind::Time;
    assert_eq!(client.end_of_turn().await, Outcome::Limit(limit));
}

#[tokio::test(start_paused = true)]
async fn a_client_that_leaves_hears_the_end_of_its_turn() {
    let mut client = Client::of(testing::ports([says("all of it")])).await;
    client.prompt("go");
    let how = Leave::AfterTurn;
    let id = client.session.client();
    client.session.send(SessionMsg::Leave { client: id, how });
    assert_eq!(client.end_of_turn().await, Outcome::Completed);
    assert_eq!(client.next().await, Out::Left);
}

#[tokio::test(start_paused = true)]
async fn the_text_so_far_is_for_who_joins() {
    let half = vec![Chunk::Text("half ".into()), Chunk::Text("of it".into())];
    let mut client = Client::of(testing::ports([Line::Hangs(half)])).await;
    client.prompt("go");
    client
        .event(|it| matches!(it, Happening::TextAdded { text, .. } if &**text == "of it"))
        .await;
    let ticket = client.ask(Command::GetState);
    let Ok(Reply::State(state)) = client.answer_to(ticket).await else {
        panic!()
    };
    let (outbox, mut reader) = outbox(Wants {
        soft_bytes: 1 << 20,
        tool_output: true,
    });
    client.session.send(SessionMsg::Join {
        client: SubscriberId(99),
        outbox,
    });
    let mut outs = Vec::new();
    reader.take(&mut outs, 1).await;
    let Some(Out::Joined { state: joined, .. }) = outs.pop() else {
        panic!()
    };
    let mut expected = state.turn.clone().unwrap();
    assert_eq!(&*expected.text, "");
    expected.text = "half of it".into();
    assert_eq!(joined.turn, Some(expected));
}

#[tokio::test(start_paused = true)]
async fn a_model_that_is_not_to_be_had_has_another_in_its_place() {
    let script = vec![Line::Fails(overloaded()); 5].into_iter();
    let script = script.chain([Line::Fails(overloaded()), says("I help out")]);
    let change = |settings: &mut Settings| {
        settings.fallback = std::sync::Arc::new(|tried, kind| {
            let is_first = tried.len() == 1 && kind == FailureKind::Overloaded;
            is_first.then(|| greenroom_protocol::session::ModelChoice {
                model: "other".into(),
                ..tried[0].clone()
            })
        });
    };
    let mut client = Client::with(testing::ports(script), change).await;
    client.prompt("go");
    let mut told = Vec::new();
    while told.len() < 6 {
        let event = client
            .event(|it| matches!(it, Happening::Retrying { .. }))
            .await;
        if let Happening::Retrying {
            attempt, failure, ..
        } = &event.happening
        {
            told.push((*attempt, failure.message.to_string()));
        }
    }
    let instead = (
        1,
        "overloaded; scripted/other is asked in its place".to_owned(),
    );
    assert_eq!(told[4], instead);
    assert_eq!(told[5], (1, "overloaded".to_owned()));
    assert_eq!(client.end_of_turn().await, Outcome::Completed);
}
