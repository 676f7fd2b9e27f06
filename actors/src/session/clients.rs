//! The paths to a session's clients: who is on them, and what may go out.

use std::sync::Arc;

use greenroom_protocol::session::{Event, Millis, Reply, SubscriberId, Ticket};
use ractor::ActorRef;

use super::actor::State;
use crate::outbox::{Out, Outbox};
use crate::subagents::SubagentsMsg;
use crate::tools::ToolsMsg;

/// While so much waits for the journal, workers wait too.
const MOST_HELD: usize = 128;

pub(super) struct Client {
    pub(super) outbox: Outbox,
    /// The last event before it joined.
    pub(super) since: u64,
}

/// What waits for the journal.
pub(super) enum Held {
    To(SubscriberId, Out),
    Event(Arc<Event>),
    Run(ActorRef<ToolsMsg>, ToolsMsg),
    Pool(ActorRef<SubagentsMsg>, SubagentsMsg),
}

impl State {
    /// A client of the session that this is a fork of: it gets the state, then
    /// its answer.
    pub(super) fn arrive(
        &mut self,
        client: SubscriberId,
        outbox: Outbox,
        ticket: Ticket,
        at: Millis,
    ) {
        self.join(client, outbox, at);
        let outcome = Ok(Reply::Forked(Box::new(self.session.state())));
        let answered = Out::Answered {
            ticket,
            outcome,
            at,
        };
        self.pass(Held::To(client, answered));
    }

    pub(super) fn join(&mut self, client: SubscriberId, outbox: Outbox, at: Millis) {
        self.was_joined = true;
        let since = self.session.seq();
        self.clients.insert(client, Client { outbox, since });
        let joined = self.joined(at);
        self.pass(Held::To(client, joined));
    }

    pub(super) fn joined(&self, at: Millis) -> Out {
        let state = Box::new(self.session.snapshot());
        Out::Joined { state, at }
    }

    /// Whether nobody else is there who could answer.
    pub(super) fn is_last(&self, client: SubscriberId) -> bool {
        let mut clients = self.clients.keys();
        clients.all(|other| *other == client || self.session.is_leaving(*other))
    }

    pub(super) fn pass(&mut self, held: Held) {
        if let Some(held) = self.gate.pass(held) {
            self.release(held);
        }
    }

    /// Makes room for further reports, unless much waits for the journal: what
    /// a fast stream says meanwhile would reach its readers all at once.
    pub(super) fn release_permits(&mut self) {
        if self.gate.len() >= MOST_HELD {
            return;
        }
        for permit in self.permits.drain(..) {
            permit.release(self.clients.values().map(|client| &client.outbox));
        }
    }

    pub(super) fn release(&mut self, held: Held) {
        match held {
            Held::To(id, out) => {
                let left = matches!(out, Out::Left);
                if let Some(client) = self.clients.get(&id) {
                    client.outbox.push(out);
                } else if let Some(outbox) = self.moved.get(&id) {
                    outbox.push(out);
                }
                if left {
                    self.clients.remove(&id);
                }
            }
            Held::Event(event) => {
                for client in self.clients.values() {
                    if client.since < event.seq {
                        client.outbox.push(Out::Happened(event.clone()));
                    }
                }
            }
            Held::Run(tools, run) => {
                // The turn may be over by now; then nothing is to run.
                let _ = tools.cast(run);
            }
            Held::Pool(pool, message) => {
                let _ = pool.cast(message);
            }
        }
    }
}
