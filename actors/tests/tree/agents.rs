//! Sub-agents as real sessions below another.

use std::time::Duration;

use greenroom_actors::ports::Chunk;
use greenroom_actors::session::{Leave, SessionMsg, Settings};
use greenroom_actors::testing::{self, Line, calls};
use greenroom_protocol::session::{
    AbortedBy, AgentId, AgentOrder, CallEnd, Command, Content, Event, Happening, Message, Outcome,
    Refusal, Reply, SettledBy, Source,
};
use tokio::time::Instant;

use crate::client::{Client, says};

fn does(what: &[(&str, &str)]) -> Line {
    Line::Says(vec![], calls(what))
}

/// What happened at the end of this path.
fn of<'a>(event: &'a Event, path: &[&str]) -> Option<&'a Happening> {
    match &event.happening {
        Happening::AgentSaid {
            path: own,
            happening,
        } => {
            let own: Vec<&str> = own.iter().map(AgentId::as_str).collect();
            (own == path).then_some(&**happening)
        }
        _ => None,
    }
}

impl Client {
    async fn asked_by(&mut self, path: &[&str]) -> String {
        loop {
            let said = |it: &Happening| matches!(it, Happening::AgentSaid { .. });
            let event = self.event(said).await;
            if let Some(Happening::ApprovalAsked(approval)) = of(&event, path) {
                let asked_by: Vec<&str> = approval.asked_by.iter().map(AgentId::as_str).collect();
                assert_eq!(asked_by, path);
                return approval.call.to_string();
            }
        }
    }

    async fn result_of(&mut self, call: &str) -> (CallEnd, String) {
        let is_it =
            |it: &Happening| matches!(it, Happening::CallEnded(it) if it.call.as_str() == call);
        match &self.event(is_it).await.happening {
            Happening::CallEnded(result) => (result.end, result.text.to_string()),
            _ => unreachable!(),
        }
    }

    /// The end of a turn and something else, in whatever order.
    async fn both(&mut self, wanted: impl Fn(&Happening) -> bool) {
        let is_end = |it: &Happening| matches!(it, Happening::TurnEnded { .. });
        let first = self.event(|it| is_end(it) || wanted(it)).await;
        match is_end(&first.happening) {
            true => drop(self.event(wanted).await),
            false => drop(self.end_of_turn().await),
        }
    }

    /// Until only so many sessions are open.
    async fn sessions_are(&self, wanted: usize) {
        for _ in 0..1000 {
            if self.root.count().await.map(|(open, _)| open) == Some(wanted) {
                return;
            }
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        panic!("{:?} sessions are open", self.root.count().await);
    }
}

#[tokio::test(start_paused = true)]
async fn three_deep_each_asks_and_is_answered_from_the_root() {
    let script = [
        does(&[("task", "one")]),
        does(&[("shell", "make")]),
        does(&[("task", "two")]),
        does(&[("shell", "make")]),
        does(&[("task", "three")]),
        does(&[("shell", "make")]),
        says("three is done"),
        says("two is done"),
        says("one is done"),
        says("all is done"),
    ];
    let mut client = Client::of(testing::ports(script)).await;
    client.prompt("go");
    let (one, two, three) = ("S1-a1", "S1-a1-a1", "S1-a1-a1-a1");
    let first = client.asked_by(&[one]).await;
    assert_eq!(first, "c1.1");
    client.allow(&first).await;
    let second = client.asked_by(&[one, two]).await;
    client.allow(&second).await;
    let third = client.asked_by(&[one, two, three]).await;
    assert_eq!((&*second, &*third), ("c1.2.1", "c1.2.2.1"));
    client.allow(&third).await;
    let result = client.result_of("c1").await;
    assert_eq!(result, (CallEnd::Done, "one is done".to_owned()));
    assert_eq!(client.end_of_turn().await, Outcome::Completed);
    client.sessions_are(1).await;

    // A second decision on the same call is one too many.
    let ticket = client.ask(Command::Decide {
        call: greenroom_protocol::session::CallId::new("c1.1"),
        decision: greenroom_protocol::session::Decision {
            verdict: greenroom_protocol::session::Verdict::Allow(
                greenroom_protocol::session::Scope::Once,
            ),
            note: None,
            amendment: None,
        },
    });
    let refused = client.answer_to(ticket).await;
    assert!(matches!(refused, Err(Refusal::NoSuchApproval(_))));
}

#[tokio::test(start_paused = true)]
async fn several_run_side_by_side_and_each_call_gets_its_own_report() {
    let script = [does(&[("task", "hm"), ("task", "hm"), ("task", "hm")])];
    let reports = [says("a"), says("b"), says("c"), says("end")];
    let script = script.into_iter().chain(reports);
    let mut client = Client::of(testing::ports(script)).await;
    client.prompt("go");
    let mut texts = Vec::new();
    for _ in 0..3 {
        let ended = |it: &Happening| matches!(it, Happening::AgentEnded { .. });
        match &client.event(ended).await.happening {
            Happening::AgentEnded { text, outcome, .. } => {
                assert_eq!(*outcome, Outcome::Completed);
                texts.push(text.to_string());
            }
            _ => unreachable!(),
        }
    }
    texts.sort();
    assert_eq!(texts, ["a", "b", "c"]);
    assert_eq!(client.end_of_turn().await, Outcome::Completed);
}

#[tokio::test(start_paused = true)]
async fn an_abort_ends_all_that_run_at_once() {
    let script = [
        does(&[("task", "back"), ("task", "two")]),
        Line::Hangs(vec![Chunk::Text("I think".into())]),
        does(&[("read", "hang")]),
    ];
    let mut client = Client::of(testing::ports(script)).await;
    client.prompt("go");
    let runs = |it: &Happening| matches!(it, Happening::AgentSaid { happening, .. } if matches!(**happening, Happening::CallRunning { .. }));
    client.event(runs).await;
    client.sessions_are(3).await;
    let start = Instant::now();
    client.ask(Command::Abort);
    let aborted = Outcome::Aborted(AbortedBy::Client);
    let result = client.result_of("c2").await;
    assert_eq!(result.0, CallEnd::Aborted);
    assert_eq!(client.end_of_turn().await, aborted);
    let ended = |it: &Happening| matches!(it, Happening::AgentEnded { .. });
    client.event(ended).await;
    assert!(start.elapsed() < Duration::from_millis(50));
    client.sessions_are(1).await;
    // What it left in the store is whole: its turn has an end.
    let ticket = client.ask(Command::Agent {
        agent: AgentId::new("S1-a2"),
        order: AgentOrder::GetMessages { limit: None },
    });
    let Ok(Reply::Messages(messages)) = client.answer_to(ticket).await else {
        panic!();
    };
    assert!(matches!(messages.last(), Some(Message::Results { .. })));
}

#[tokio::test(start_paused = true)]
async fn a_failed_one_is_a_result_and_not_its_starters_end() {
    let script = [does(&[("task", "boom")]), Line::Panics, says("a pity")];
    let mut client = Client::of(testing::ports(script)).await;
    client.prompt("go");
    let (end, text) = client.result_of("c1").await;
    assert_eq!(end, CallEnd::Failed);
    assert!(text.starts_with("It failed: "), "{text}");
    assert_eq!(client.end_of_turn().await, Outcome::Completed);
    client.sessions_are(1).await;
}

#[tokio::test(start_paused = true)]
async fn the_report_from_the_background_comes_with_the_next_prompt() {
    let script = [
        does(&[("task", "back")]),
        says("it is under way"),
        says("found it"),
        says("I see"),
    ];
    let mut client = Client::of(testing::ports(script)).await;
    client.prompt("go");
    let ended = |it: &Happening| matches!(it, Happening::AgentEnded { .. });
    client.both(ended).await;
    client.prompt("and?");
    let told = client
        .event(|it| {
            matches!(
                it,
                Happening::UserMessage {
                    source: Source::Agent,
                    ..
                }
            )
        })
        .await;
    let Happening::UserMessage { content, .. } = &told.happening else {
        unreachable!();
    };
    let report = "The sub-agent general (back) has ended.\n\nfound it";
    assert_eq!(*content, Content::text(report));
    assert_eq!(client.end_of_turn().await, Outcome::Completed);
}

#[tokio::test(start_paused = true)]
async fn the_end_of_background_work_starts_a_turn_where_that_is_wanted() {
    let script = [
        does(&[("task", "back")]),
        says("it is under way"),
        says("found it"),
        says("I see"),
    ];
    let wakes = |settings: &mut Settings| settings.limits.wakes = true;
    let mut client = Client::with(testing::ports(script), wakes).await;
    client.prompt("go");
    assert_eq!(client.end_of_turn().await, Outcome::Completed);
    assert_eq!(client.end_of_turn().await, Outcome::Completed);
    let ticket = client.ask(Command::GetMessages { limit: Some(2) });
    let Ok(Reply::Messages(messages)) = client.answer_to(ticket).await else {
        panic!();
    };
    let [
        Message::User { source, .. },
        Message::Assistant { message, .. },
    ] = &messages[..]
    else {
        panic!("{messages:?}");
    };
    assert_eq!((*source, &*message.text), (Source::Agent, "I see"));
}

#[tokio::test(start_paused = true)]
async fn when_nobody_is_left_what_they_ask_is_refused() {
    let script = [
        does(&[("task", "one")]),
        does(&[("shell", "make")]),
        says("I could not"),
        says("a pity"),
    ];
    let mut client = Client::of(testing::ports(script)).await;
    client.prompt("go");
    client.asked_by(&["S1-a1"]).await;
    let id = client.session.client();
    let how = Leave::AfterTurn;
    client.session.send(SessionMsg::Leave { client: id, how });
    let settled = client
        .event(|it| matches!(it, Happening::AgentSaid { happening, .. } if matches!(**happening, Happening::ApprovalSettled(_))))
        .await;
    let Some(Happening::ApprovalSettled(settlement)) = of(&settled, &["S1-a1"]) else {
        panic!();
    };
    assert_eq!(
        (settlement.allowed, settlement.by),
        (false, SettledBy::ClientsGone)
    );
    let result = client.result_of("c1").await;
    assert_eq!(result, (CallEnd::Done, "I could not".to_owned()));
    assert_eq!(client.end_of_turn().await, Outcome::Completed);
}

#[tokio::test(start_paused = true)]
async fn one_is_steered_stopped_and_read_by_its_name() {
    let script = [
        does(&[("task", "one"), ("task", "two")]),
        does(&[("shell", "make")]),
        Line::Hangs(vec![]),
        says("as you like"),
        says("fine"),
    ];
    let mut client = Client::of(testing::ports(script)).await;
    client.prompt("go");
    let call = client.asked_by(&["S1-a1"]).await;
    let order = |order| Command::Agent {
        agent: AgentId::new("S1-a1"),
        order,
    };
    let steer = client.ask(order(AgentOrder::Steer(Content::text("rather so"))));
    assert_eq!(client.answer_to(steer).await, Ok(Reply::Queued));
    let state = client.ask(Command::GetState);
    let Ok(Reply::State(state)) = client.answer_to(state).await else {
        panic!();
    };
    let names: Vec<&str> = state.agents.iter().map(|it| it.agent.as_str()).collect();
    assert_eq!(names, ["S1-a1", "S1-a2"]);
    assert_eq!(state.approvals.len(), 1);
    client.allow(&call).await;
    let ticket = client.ask(Command::Agent {
        agent: AgentId::new("S1-a2"),
        order: AgentOrder::Interrupt,
    });
    assert_eq!(client.answer_to(ticket).await, Ok(Reply::Done));
    assert_eq!(client.end_of_turn().await, Outcome::Completed);
    let read = client.ask(order(AgentOrder::GetMessages { limit: Some(2) }));
    let Ok(Reply::Messages(messages)) = client.answer_to(read).await else {
        panic!();
    };
    assert!(matches!(&messages[..], [
        Message::User { source: Source::Steer, .. },
        Message::Assistant { message, .. },
    ] if &*message.text == "as you like"));
    let gone = client.ask(order(AgentOrder::Interrupt));
    assert_eq!(
        client.answer_to(gone).await,
        Err(Refusal::NoSuchAgent(AgentId::new("S1-a1")))
    );
}

#[tokio::test(start_paused = true)]
async fn depth_and_number_have_limits() {
    let script = [
        does(&[("task", "one")]),
        does(&[("task", "two")]),
        says("I did it myself"),
        does(&[("task", "back"), ("task", "back"), ("task", "three")]),
        Line::Hangs(vec![]),
        says("later"),
    ];
    let few = |settings: &mut Settings| {
        settings.limits.agents = 1;
        settings.limits.agent_depth = 1;
    };
    let mut client = Client::with(testing::ports(script), few).await;
    client.prompt("go");
    let told = client
        .event(|it| matches!(it, Happening::AgentSaid { happening, .. } if matches!(**happening, Happening::CallEnded(_))))
        .await;
    let Some(Happening::CallEnded(result)) = of(&told, &["S1-a1"]) else {
        panic!();
    };
    assert_eq!(
        &*result.text,
        "no sub-agent can be started here: do it yourself"
    );
    assert_eq!(client.result_of("c1").await.1, "I did it myself");
    // One runs in the background: a second has no room, a third waits for it.
    let second = client.result_of("c3").await;
    assert_eq!(second.0, CallEnd::Failed);
    assert!(
        second.1.starts_with("1 sub-agents run already"),
        "{second:?}"
    );
    let interrupt = Command::Agent {
        agent: AgentId::new("S1-a2"),
        order: AgentOrder::Interrupt,
    };
    client.ask(interrupt);
    assert_eq!(client.result_of("c4").await.1, "later");
    // The script is at its end.
    assert!(matches!(client.end_of_turn().await, Outcome::Failed(_)));
}
