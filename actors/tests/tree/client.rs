//! One client of one session, and the lines of a script.

use std::sync::Arc;
use std::time::Duration;

use greenroom_actors::outbox::{Out, OutboxReader, Wants, outbox};
use greenroom_actors::ports::{Chunk, ModelError, Ports};
use greenroom_actors::root::Root;
use greenroom_actors::session::{Seed, SessionMsg, Settings};
use greenroom_actors::sessions::SessionHandle;
use greenroom_actors::testing::{Line, answer, settings};
use greenroom_protocol::session::{
    CallId, Command, Content, Decision, Event, Failure, FailureKind, Happening, Outcome, Refusal,
    Reply, Scope, Ticket, Verdict,
};

/// One client of one session.
pub struct Client {
    pub root: Root,
    pub session: SessionHandle,
    pub reader: OutboxReader,
    pub outs: std::collections::VecDeque<Out>,
    tickets: u64,
}

impl Client {
    pub async fn of(ports: Ports) -> Client {
        Client::with(ports, |_| ()).await
    }

    pub async fn with(ports: Ports, change: impl FnOnce(&mut Settings)) -> Client {
        let mut settings = settings("S1");
        change(&mut settings);
        let root = Root::start(ports).await.unwrap();
        let (outbox, reader) = outbox(Wants {
            soft_bytes: 1 << 20,
            tool_output: true,
        });
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

    pub fn ask(&mut self, command: Command) -> Ticket {
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

    pub fn prompt(&mut self, text: &str) -> Ticket {
        self.ask(Command::Prompt(Content::text(text)))
    }

    pub async fn next(&mut self) -> Out {
        while self.outs.is_empty() {
            let mut outs = Vec::new();
            let wait = Duration::from_secs(24 * 3600);
            let taken = tokio::time::timeout(wait, self.reader.take(&mut outs, 64));
            taken.await.expect("the session goes on talking");
            self.outs.extend(outs);
        }
        self.outs.pop_front().unwrap()
    }

    pub async fn answer_to(&mut self, wanted: Ticket) -> Result<Reply, Refusal> {
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

    pub async fn event(&mut self, wanted: impl Fn(&Happening) -> bool) -> Arc<Event> {
        loop {
            if let Out::Happened(event) = self.next().await
                && wanted(&event.happening)
            {
                return event;
            }
        }
    }

    pub async fn end_of_turn(&mut self) -> Outcome {
        let ended = self
            .event(|it| matches!(it, Happening::TurnEnded { .. }))
            .await;
        match &ended.happening {
            Happening::TurnEnded { outcome, .. } => outcome.clone(),
            _ => unreachable!(),
        }
    }

    pub async fn allow(&mut self, call: &str) {
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

pub fn says(text: &str) -> Line {
    Line::Says(vec![Chunk::Text(text.into())], answer(text))
}

pub fn overloaded() -> ModelError {
    ModelError::passing(FailureKind::Overloaded, "overloaded")
}

pub fn failed(outcome: &Outcome) -> FailureKind {
    match outcome {
        Outcome::Failed(Failure { kind, .. }) => *kind,
        other => panic!("{other:?}"),
    }
}
