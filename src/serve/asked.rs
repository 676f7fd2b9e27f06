//! Commands that have no answer yet.

use std::collections::BTreeMap;

use greenroom_protocol::session::Ticket;

/// What a dialect keeps of each command until its answer comes.
#[derive(Debug)]
pub(super) struct Open<A> {
    asked: BTreeMap<Ticket, (u32, A)>,
    last: u64,
}

impl<A> Open<A> {
    pub fn new() -> Open<A> {
        Open {
            asked: BTreeMap::new(),
            last: 0,
        }
    }

    /// A number for the next command.
    pub fn next(&mut self) -> Ticket {
        self.last += 1;
        Ticket(self.last)
    }

    /// Keeps a command that was sent to the session's actor of this number.
    pub fn keep(&mut self, ticket: Ticket, generation: u32, asked: A) {
        self.asked.insert(ticket, (generation, asked));
    }

    /// Its answer is there.
    pub fn settle(&mut self, ticket: Ticket) -> Option<A> {
        self.asked.remove(&ticket).map(|(_, asked)| asked)
    }

    /// Commands that went to actors before this number: they get no answer.
    pub fn lost_before(&mut self, generation: u32) -> Vec<A> {
        let lost: Vec<Ticket> = self
            .asked
            .iter()
            .filter(|(_, (sent_to, _))| *sent_to < generation)
            .map(|(ticket, _)| *ticket)
            .collect();
        lost.into_iter()
            .filter_map(|ticket| self.settle(ticket))
            .collect()
    }

    pub fn len(&self) -> usize {
        self.asked.len()
    }
}
