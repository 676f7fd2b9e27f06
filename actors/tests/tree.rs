//! The tree on a clock that only moves when everybody waits: deadlines,
//! retries, panics, restarts, a journal that fails.

// Helpers of tests are tests too, which clippy cannot see in this folder.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use greenroom_actors::outbox::{Out, OutboxReader, outbox};
use greenroom_actors::ports::{Chunk, Clock, ModelError, Ports};
use greenroom_actors::root::Root;
use greenroom_actors::session::{Leave, Seed, SessionMsg, Settings};
use greenroom_actors::sessions::SessionHandle;
use greenroom_actors::testing::{self, Line, MemoryStore, answer, calls, settings};
use greenroom_protocol::session::{
    AbortedBy, CallId, Command, Content, Decision, Event, Failure, FailureKind, Happening, Millis,
    Outcome, Refusal, Reply, Scope, SessionId, Ticket, Verdict,
};
use tokio::time::Instant;

/// One client of one session.
struct Client {
    root: Root,
    session: SessionHandle,
    reader: OutboxReader,
    outs: std::collections::VecDeque<Out>,
    tickets: u64,
}

impl Client {
    async fn of(ports: Ports) -> Client {
        Client::with(ports, |_| ()).await
    }

    async fn with(ports: Ports, change: impl FnOnce(&mut Settings)) -> Client {
        let mut settings = settings("S1");
        change(&mut settings);
        let root = Root::start(ports).await.unwrap();
        let (outbox, reader) = outbox(1 << 20);
        let session = root.open(settings, Seed::New, outbox).await.unwrap();
        let mut client = Client {
            root,
            session,
            reader,
            outs: Default::default(),
            tickets: 0,
        };
        assert!(matches!(client.next().await, Out::Joined { .. }));
        client
    }

    fn ask(&mut self, command: Command) -> Ticket {
        self.tickets += 1;
        let ticket = Ticket(self.tickets);
        let by = self.session.client();
        self.session.send(SessionMsg::Ask {
            by,
            ticket,
            command,
        });
        ticket
    }

    fn prompt(&mut self, text: &str) -> Ticket {
        self.ask(Command::Prompt(Content::text(text)))
    }

    async fn next(&mut self) -> Out {
        while self.outs.is_empty() {
            let mut outs = Vec::new();
            let wait = Duration::from_secs(24 * 3600);
            let taken = tokio::time::timeout(wait, self.reader.take(&mut outs, 64));
            taken.await.expect("the session goes on talking");
            self.outs.extend(outs);
        }
        self.outs.pop_front().unwrap()
    }

    async fn answer_to(&mut self, wanted: Ticket) -> Result<Reply, Refusal> {
        loop {
            if let Out::Answered {
                ticket, outcome, ..
            } = self.next().await
                && ticket == wanted
            {
                return outcome;
            }
        }
    }

    async fn event(&mut self, wanted: impl Fn(&Happening) -> bool) -> Arc<Event> {
        loop {
            if let Out::Happened(event) = self.next().await
                && wanted(&event.happening)
            {
                return event;
            }
        }
    }

    async fn end_of_turn(&mut self) -> Outcome {
        let ended = self
            .event(|it| matches!(it, Happening::TurnEnded { .. }))
            .await;
        match &ended.happening {
            Happening::TurnEnded { outcome, .. } => outcome.clone(),
            _ => unreachable!(),
        }
    }

    async fn allow(&mut self, call: &str) {
        let decision = Decision {
            verdict: Verdict::Allow(Scope::Once),
            note: None,
            amendment: None,
        };
        let call = CallId::new(call);
        let ticket = self.ask(Command::Decide { call, decision });
        assert_eq!(self.answer_to(ticket).await, Ok(Reply::Done));
    }
}

fn says(text: &str) -> Line {
    Line::Says(vec![Chunk::Text(text.into())], answer(text))
}

fn overloaded() -> ModelError {
    ModelError::passing(FailureKind::Overloaded, "overloaded")
}

fn failed(outcome: &Outcome) -> FailureKind {
    match outcome {
        Outcome::Failed(Failure { kind, .. }) => *kind,
        other => panic!("{other:?}"),
    }
}

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
