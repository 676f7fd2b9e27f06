//! A journal that can't be written.

use std::sync::Arc;

use greenroom_actors::outbox::Out;
use greenroom_actors::ports::Chunk;
use greenroom_actors::testing::{self, Line, MemoryStore};
use greenroom_protocol::session::{
    Command, Content, FailureKind, Happening, Outcome, Refusal, Reply, SessionId,
};

use crate::client::{Client, failed, says};

#[tokio::test(start_paused = true)]
async fn a_journal_that_fails_refuses_and_recovers() {
    let store = Arc::new(MemoryStore::default());
    let mut ports = testing::ports([says("one"), says("lost"), says("lost"), says("two")]);
    ports.store = store.clone();
    let mut client = Client::of(ports).await;
    client.prompt("first");
    client.end_of_turn().await;
    let before = store.journal(&SessionId::new("S1")).len();

    store.set_broken(true);
    for text in ["second", "while it is broken"] {
        let ticket = client.prompt(text);
        let Out::Answered {
            ticket: answered,
            outcome,
            ..
        } = client.next().await
        else {
            panic!("a refused prompt has no events");
        };
        assert_eq!(answered, ticket);
        assert!(matches!(outcome, Err(Refusal::Storage(_))), "{outcome:?}");
    }
    assert_eq!(store.journal(&SessionId::new("S1")).len(), before);

    store.set_broken(false);
    let ticket = client.prompt("third");
    let started = client.answer_to(ticket).await;
    assert!(matches!(started, Ok(Reply::Started(_))), "{started:?}");
    assert_eq!(client.end_of_turn().await, Outcome::Completed);
    let ticket = client.ask(Command::GetMessages { limit: None });
    let Ok(Reply::Messages(messages)) = client.answer_to(ticket).await else {
        panic!()
    };
    assert_eq!(messages.len(), 4, "the refused prompts left nothing behind");
}

#[tokio::test(start_paused = true)]
async fn a_journal_that_fails_in_a_turn_ends_it_with_its_reason() {
    let store = Arc::new(MemoryStore::default());
    let half = vec![Chunk::Text("half ".into())];
    let mut ports = testing::ports([Line::Hangs(half), says("fine")]);
    ports.store = store.clone();
    let mut client = Client::of(ports).await;
    client.prompt("first");
    client
        .event(|it| matches!(it, Happening::TextAdded { .. }))
        .await;
    store.set_broken(true);
    let steer = client.ask(Command::Steer(Content::text("rather so")));
    let refused = client.answer_to(steer).await;
    assert!(matches!(refused, Err(Refusal::Storage(_))), "{refused:?}");
    assert_eq!(failed(&client.end_of_turn().await), FailureKind::Storage);
    store.set_broken(false);
    client.prompt("second");
    assert_eq!(client.end_of_turn().await, Outcome::Completed);
}
