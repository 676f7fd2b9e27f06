//! What a session and its turn share: the conversation, the counters, and the
//! list of effects.

use std::sync::Arc;

use greenroom_protocol::session::{
    AgentId, CallId, Content, EntryId, Event, Happening, Message, Millis, Mode, ModelChoice,
    PlanItem, Refusal, Reply, Source, SubscriberId, Text, Ticket, TurnId, Usage,
};

use super::budget::Budget;
use super::estimate;
use super::input::{Effect, WorkId};
use super::moving::ForkOf;
use super::queue::Queue;
use super::settings::Settings;
use super::toolset::Extras;
use crate::approvals::Approvals;
use crate::subagents::Agents;

/// The state that outlives a turn.
#[derive(Debug)]
pub(crate) struct Core {
    pub settings: Settings,
    /// Of the next turn.
    pub mode: Mode,
    /// Of the next turn.
    pub model: ModelChoice,
    pub conversation: Arc<Vec<Message>>,
    pub queue: Queue,
    pub approvals: Approvals,
    /// Tools that it has besides.
    pub extras: Extras,
    /// The sub-agents that run.
    pub agents: Agents,
    pub plan: Vec<PlanItem>,
    pub title: Text,
    pub usage: Usage,
    pub budget: Budget,
    /// Tokens of the last model call, its answer included.
    pub context: u64,
    pub turns_ended: u64,
    pub created: Millis,
    pub fork_of: ForkOf,
    pub counters: Counters,
    /// Nobody is left who could answer.
    pub nobody_there: bool,
    /// What the guard warned of last: it is told once, not at each call.
    warnings: Vec<Text>,
    /// When the input that is being handled came. Never decreases.
    pub now: Millis,
    /// What is to be done, in order.
    pub out: Vec<Effect>,
}

/// The last number given of each kind.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Counters {
    pub seq: u64,
    pub entry: u64,
    pub call: u64,
    pub turn: u64,
    pub agent: u64,
    pub work: u64,
}

impl Core {
    pub fn new(settings: Settings, now: Millis) -> Core {
        Core {
            mode: settings.mode.clone().unwrap_or_default(),
            model: settings
                .model
                .clone()
                .unwrap_or_else(|| settings.default_model.clone()),
            settings,
            conversation: Arc::default(),
            queue: Queue::default(),
            approvals: Approvals::default(),
            extras: Extras::default(),
            agents: Agents::default(),
            plan: Vec::new(),
            title: Text::from(""),
            usage: Usage::default(),
            budget: Budget::default(),
            context: 0,
            turns_ended: 0,
            created: now,
            fork_of: None,
            counters: Counters::default(),
            nobody_there: false,
            warnings: Vec::new(),
            now,
            out: Vec::new(),
        }
    }

    /// Tells what happened, under the next number.
    pub fn tell(&mut self, happening: Happening) {
        self.counters.seq += 1;
        let event = Event {
            seq: self.counters.seq,
            at: self.now,
            happening,
        };
        self.out.push(Effect::Tell(Arc::new(event)));
    }

    /// Tells people what the guard warns of, when that is new, and when it is
    /// over.
    pub fn warn(&mut self, warnings: Vec<Text>) {
        if warnings.is_empty() && !self.warnings.is_empty() {
            let text = "the guard's rules are in order again".into();
            self.tell(Happening::Noticed { text });
        }
        for text in &warnings {
            if !self.warnings.contains(text) {
                let text = text.clone();
                self.tell(Happening::Noticed { text });
            }
        }
        self.warnings = warnings;
    }

    /// The one answer to a command.
    pub fn answer(&mut self, to: SubscriberId, ticket: Ticket, outcome: Result<Reply, Refusal>) {
        let at = self.now;
        self.out.push(Effect::Answer {
            to,
            ticket,
            outcome,
            at,
        });
    }

    /// Gives a message to the model, and tells so.
    pub fn deliver(&mut self, content: Content, source: Source) {
        let entry = self.next_entry();
        self.converse(Message::User {
            entry,
            at: self.now,
            content: content.clone(),
            source,
        });
        self.tell(Happening::UserMessage {
            entry,
            content,
            source,
        });
    }

    /// Gives all waiting steers, and what came of work in the background, to the
    /// model. False when there was nothing.
    pub fn deliver_waiting(&mut self) -> bool {
        let steers = self.queue.take_steers();
        let results = self.queue.take_results();
        let any = !steers.is_empty() || !results.is_empty();
        for steer in steers {
            self.deliver(steer, Source::Steer);
        }
        for result in results {
            self.deliver(result, Source::Agent);
        }
        any
    }

    pub fn converse(&mut self, message: Message) {
        Arc::make_mut(&mut self.conversation).push(message);
    }

    pub fn drop_queue(&mut self) {
        if self.queue.clear() {
            self.tell(Happening::QueueDropped);
        }
    }

    pub fn next_entry(&mut self) -> EntryId {
        self.counters.entry += 1;
        EntryId(self.counters.entry)
    }

    pub fn next_call(&mut self) -> CallId {
        self.counters.call += 1;
        CallId::new(format!(
            "{}{}",
            self.settings.lineage.calls, self.counters.call
        ))
    }

    pub fn next_turn(&mut self) -> TurnId {
        self.counters.turn += 1;
        TurnId(self.counters.turn)
    }

    pub fn next_agent(&mut self) -> AgentId {
        self.counters.agent += 1;
        let session = &self.settings.id;
        AgentId::new(format!("{session}-a{}", self.counters.agent))
    }

    pub fn next_work(&mut self) -> WorkId {
        self.counters.work += 1;
        WorkId(self.counters.work)
    }

    /// Tokens that the next model call sends, about: those of the last one, and
    /// what came since. Not every provider tells what it read.
    pub fn context_now(&self) -> u64 {
        let is_answer = |message: &Message| matches!(message, Message::Assistant { .. });
        let told = (self.context > 0).then(|| self.conversation.iter().rposition(is_answer));
        match told.flatten() {
            Some(last) => {
                let since = self.conversation.get(last + 1..).unwrap_or_default();
                self.context + estimate::tokens(since)
            }
            None => estimate::tokens(&self.conversation),
        }
    }

    /// Adds what one model call used.
    pub fn count(&mut self, usage: Usage) {
        self.usage = self.usage.plus(usage);
        self.context = usage.context();
        self.note_output(usage.output);
    }
}
