//! Sub-agents, as the session's commands and reports concern them.

use std::sync::Arc;

use greenroom_protocol::session::{
    AbortedBy, AgentId, AgentInFlight, AgentOrder, Command, Happening, Interruption, Message,
    Outcome, Refusal, Reply, SessionId, SettledBy, SubscriberId, Text, Ticket,
};

use super::commands::not_empty;
use super::input::Effect;
use super::machine::Session;
use crate::ports::StoreError;
use crate::turn::Turn;

impl Session {
    /// Why an order for a sub-agent is not obeyed. Changes nothing.
    pub(super) fn admits_order(&self, agent: &AgentId, order: &AgentOrder) -> Result<(), Refusal> {
        let is_there = match order {
            AgentOrder::Steer(content) => {
                not_empty(content)?;
                self.core.agents.way_to(agent).is_some()
            }
            AgentOrder::Interrupt => self.core.agents.way_to(agent).is_some(),
            // Also of one that has ended: its journal tells.
            AgentOrder::GetMessages { .. } => {
                let own = self.core.settings.id.as_str();
                let below = agent.as_str().strip_prefix(own);
                below.is_some_and(|below| below.starts_with("-a"))
            }
        };
        match is_there {
            true => Ok(()),
            false => Err(Refusal::NoSuchAgent(agent.clone())),
        }
    }

    /// Obeys an order that was admitted.
    pub(super) fn order_agent(
        &mut self,
        (by, ticket): (SubscriberId, Ticket),
        agent: AgentId,
        order: AgentOrder,
    ) {
        let own = self.core.agents.way_to(&agent).cloned();
        match (order, own) {
            (AgentOrder::GetMessages { limit }, _) => {
                self.pending.push((by, ticket));
                self.core.out.push(Effect::ReadMessages {
                    by,
                    ticket,
                    limit,
                    session: SessionId::new(agent.as_str()),
                });
            }
            (AgentOrder::Interrupt, Some(own)) if own == agent => {
                self.core.answer(by, ticket, Ok(Reply::Done));
                let is_it = |it: &AgentInFlight| it.agent == agent;
                self.stop_agents(is_it, &Outcome::Aborted(AbortedBy::Client));
            }
            (AgentOrder::Steer(content), Some(own)) if own == agent => {
                self.core.answer(by, ticket, Ok(Reply::Queued));
                let command = Command::Steer(content);
                self.core.out.push(Effect::TellAgent { agent, command });
            }
            (order, Some(own)) => {
                let reply = match order {
                    AgentOrder::Steer(_) => Reply::Queued,
                    _ => Reply::Done,
                };
                self.core.answer(by, ticket, Ok(reply));
                let command = Command::Agent { agent, order };
                let agent = own;
                self.core.out.push(Effect::TellAgent { agent, command });
            }
            (_, None) => {
                let refusal = Refusal::NoSuchAgent(agent);
                self.core.answer(by, ticket, Err(refusal));
            }
        }
    }

    /// The journal of a sub-agent was read, or could not be.
    pub(super) fn messages_read(
        &mut self,
        by: SubscriberId,
        ticket: Ticket,
        session: &SessionId,
        result: Result<Option<Vec<Message>>, StoreError>,
    ) {
        let outcome = match result {
            Ok(Some(messages)) => Ok(Reply::Messages(messages)),
            Ok(None) => Err(Refusal::NoSuchAgent(AgentId::new(session.as_str()))),
            Err(error) => Err(Refusal::Storage(error.message.into())),
        };
        self.settle_aside(by, ticket, outcome);
    }

    /// Something happened in a sub-agent. What it used may have been too much: then
    /// all of them are stopped, and the turn meets the limit with its next step.
    pub(super) fn agent_said(&mut self, agent: &AgentId, happening: &Arc<Happening>) {
        self.core.agent_said(agent, happening);
        let said = match &**happening {
            Happening::AgentSaid { happening, .. } => happening,
            _ => happening,
        };
        if matches!(**said, Happening::Used { .. })
            && let Some(limit) = self.core.overspent()
        {
            self.stop_agents(|_| true, &Outcome::Limit(limit));
        }
    }

    /// A sub-agent has ended by itself, or failed.
    pub(super) fn agent_ended(&mut self, agent: &AgentId, outcome: Outcome, text: Text) {
        let Some(ended) = self.core.agent_ended(agent, outcome, text) else {
            return; // It was stopped before.
        };
        match &mut self.turn {
            Some(turn) => {
                let progress = turn.agent_ended(&mut self.core, ended);
                self.went_on(progress);
            }
            None => self.wake(),
        }
    }

    /// Those that worked in the background are gone with their process.
    pub(super) fn agents_were_cut(&mut self, why: Interruption) {
        let outcome = Outcome::Interrupted(why);
        let all = |_: &AgentInFlight| true;
        let _ended = self.core.stop_agents(all, &outcome, SettledBy::Restart);
    }

    /// Ends all sub-agents, also those in the background.
    pub(super) fn stop_all_agents(&mut self, by: AbortedBy) {
        self.stop_agents(|_| true, &Outcome::Aborted(by));
    }

    fn stop_agents(&mut self, which: impl Fn(&AgentInFlight) -> bool, outcome: &Outcome) {
        let ended = self.core.stop_agents(which, outcome, SettledBy::Abort);
        for ended in ended {
            if let Some(turn) = &mut self.turn {
                let progress = turn.agent_ended(&mut self.core, ended);
                self.went_on(progress);
            }
        }
    }

    /// Starts a turn with what came of work in the background, where that is
    /// wanted and nothing stands against it.
    pub(super) fn wake(&mut self) {
        let may = self.turn.is_none()
            && self.core.settings.limits.wakes
            && self.core.queue.has_results()
            && self.storage_allows().is_ok()
            && self.is_free().is_ok();
        if !may {
            return;
        }
        let id = self.core.next_turn();
        self.core.out.push(Effect::StartTurn);
        let mut turn = Turn::new(&self.core, id);
        let progress = turn.wake(&mut self.core);
        self.turn = Some(turn);
        self.went_on(progress);
    }
}
