//! The session as it looks from the outside, by its effects alone, and what it
//! has promised.

// Helpers of tests are tests too, which clippy cannot see in this folder.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use greenroom_actors::session::{Effect, Node, WorkId};
use greenroom_protocol::session::{
    CallId, Category, Command, Event, Happening, Refusal, Reply, Ticket, TurnId,
};
use proptest::prelude::*;

use crate::agents::Agents;
use crate::beside::Beside;
use crate::requests::check_request;

/// What is known of the session from the outside, by its effects alone.
#[derive(Debug, Default)]
pub struct World {
    pub tickets: u64,
    pub last_seq: u64,
    pub turn: Option<TurnId>,
    pub prompts_accepted: usize,
    pub turns_ended: usize,
    pub work: Option<WorkId>,
    pub writing: Option<String>,
    pub judging: BTreeMap<CallId, (String, String)>,
    pub running: BTreeMap<CallId, bool>,
    pub told: BTreeSet<CallId>,
    pub ended: BTreeSet<CallId>,
    pub due: BTreeSet<CallId>,
    pub approvals: BTreeSet<CallId>,
    pub questions: BTreeSet<CallId>,
    pub journal: Vec<Event>,
    /// The entries before the journal's, of a fork.
    pub origin: Vec<Node>,
    /// Commands without an answer: those that take their time.
    pub open: BTreeSet<Ticket>,
    pub compacting: bool,
    /// What the session waits for, in the order in which it asked.
    pub beside: VecDeque<Beside>,
    /// How many forks there were.
    pub forks: usize,
    /// The sub-agents that run.
    pub agents: Agents,
}

impl World {
    pub fn check(
        &mut self,
        command: Option<Command>,
        effects: &[Effect],
    ) -> Result<(), TestCaseError> {
        let now = Ticket(self.tickets);
        let asked = command.is_some();
        if asked {
            self.open.insert(now);
        }
        let takes_time = matches!(
            command,
            Some(
                Command::Compact { .. }
                    | Command::Fork { .. }
                    | Command::Rewind { .. }
                    | Command::ListSessions { .. }
                    | Command::Export(_)
            )
        );
        let mut refused_at_once = false;
        for effect in effects {
            let (ticket, outcome) = match effect {
                Effect::Answer {
                    ticket, outcome, ..
                } => (ticket, outcome.is_ok()),
                Effect::HandOver { ticket, .. } => (ticket, true),
                _ => continue,
            };
            prop_assert!(self.open.remove(ticket), "one answer a command");
            refused_at_once |= asked && *ticket == now && !outcome;
        }
        let at_once = asked && !takes_time;
        prop_assert!(!at_once || !self.open.contains(&now), "answered at once");
        if refused_at_once {
            prop_assert_eq!(effects.len(), 1, "a refused command has no effect");
        }
        for effect in effects {
            match effect {
                Effect::Answer {
                    outcome: Ok(Reply::Started(_)),
                    ..
                } => {
                    self.prompts_accepted += 1;
                }
                Effect::Answer {
                    outcome: Err(refusal),
                    ..
                } => {
                    prop_assert_ne!(refusal, &Refusal::Internal);
                }
                Effect::CallModel { work, request } => {
                    let busy = self.turn.is_some() || self.compacting;
                    prop_assert!(busy, "work is part of a turn or of a compaction");
                    prop_assert!(self.work.is_none(), "one model call at a time");
                    prop_assert!(self.due.is_empty(), "all calls have results");
                    check_request(&request.messages)?;
                    self.work = Some(*work);
                }
                Effect::Judge {
                    call, tool, input, ..
                } => {
                    self.judging
                        .insert(call.clone(), (tool.to_string(), input.0.to_string()));
                }
                Effect::RunTool { call, planned, .. } => {
                    prop_assert!(self.told.contains(call));
                    let reads = planned.category == Category::Read;
                    let waits_for = self.agents.in_foreground();
                    prop_assert!(reads || !waits_for, "changes wait for sub-agents");
                    let alone = self.running.values().all(|reads| *reads);
                    prop_assert!(
                        reads || self.running.is_empty(),
                        "changes run by themselves"
                    );
                    prop_assert!(!reads || alone, "reads wait for a change that runs");
                    self.running.insert(call.clone(), reads);
                }
                Effect::StopTurn => {
                    self.work = None;
                    self.judging.clear();
                    self.running.clear();
                }
                Effect::Tell(event) => self.told(event)?,
                Effect::ReadTree => self.beside.push_back(Beside::Tree),
                Effect::RecordFork { .. } => self.beside.push_back(Beside::Fork),
                Effect::AskTitle(request) => {
                    check_request(&request.messages)?;
                    self.beside.push_back(Beside::Title);
                }
                Effect::List { ticket, .. } => self.beside.push_back(Beside::List(*ticket)),
                Effect::Export { ticket, .. } => self.beside.push_back(Beside::Export(*ticket)),
                Effect::StartAgent { agent, .. } => self.agents.start(agent)?,
                Effect::TellAgent { agent, command } => self.agents.hear(agent, command)?,
                Effect::HandOver { .. }
                | Effect::StopAgent { .. }
                | Effect::LeaveAgents
                | Effect::ReadMessages { .. }
                | Effect::Answer { .. }
                | Effect::StartTurn
                | Effect::SetTimer { .. }
                | Effect::Left { .. } => (),
            }
        }
        Ok(())
    }

    fn told(&mut self, event: &Arc<Event>) -> Result<(), TestCaseError> {
        prop_assert!(event.seq > self.last_seq, "numbers grow");
        self.last_seq = event.seq;
        if event.happening.is_durable() {
            self.journal.push((**event).clone());
        }
        let in_turn = self.turn.is_some();
        match &event.happening {
            Happening::TurnStarted { turn, .. } => {
                prop_assert!(!in_turn, "turns don't overlap");
                self.turn = Some(*turn);
            }
            Happening::AgentStarted {
                agent,
                call,
                background,
                ..
            } => {
                prop_assert!(in_turn && self.due.contains(call));
                self.agents.told_start(agent, *background)?;
            }
            Happening::AgentSaid { path, happening } => self.agents.told(path, happening)?,
            Happening::AgentEnded { agent, .. } => self.agents.told_end(agent)?,
            Happening::TurnEnded { turn, .. } => {
                prop_assert_eq!(self.turn.take(), Some(*turn));
                prop_assert!(!self.compacting, "no compaction is left open");
                prop_assert!(self.writing.is_none(), "no message is left open");
                prop_assert!(self.approvals.is_empty(), "no approval is left open");
                prop_assert!(self.questions.is_empty(), "no question is left open");
                prop_assert!(self.due.is_empty(), "every call has its result");
                self.turns_ended += 1;
            }
            Happening::MessageStarted { .. } => {
                prop_assert!(in_turn && self.writing.is_none());
                self.writing = Some(String::new());
            }
            Happening::TextAdded { text, .. } => {
                prop_assert!(self.writing.is_some(), "pieces belong to a message");
                self.writing.as_mut().unwrap().push_str(text);
            }
            Happening::MessageEnded { message, .. } => {
                let written = self.writing.take();
                prop_assert_eq!(written.as_deref(), Some(&*message.text));
                self.due
                    .extend(message.calls.iter().map(|call| call.id.clone()));
            }
            Happening::CallStarted(call) => {
                prop_assert!(self.due.contains(&call.id));
                prop_assert!(self.told.insert(call.id.clone()), "a call is told once");
            }
            Happening::ApprovalAsked(approval) => {
                prop_assert!(self.told.contains(&approval.call));
                prop_assert!(self.approvals.insert(approval.call.clone()));
            }
            Happening::ApprovalSettled(settled) => {
                prop_assert!(self.approvals.remove(&settled.call), "settled once");
            }
            Happening::QuestionAsked(ask) => {
                prop_assert!(self.questions.insert(ask.call.clone()));
            }
            Happening::QuestionSettled { call, .. } => {
                prop_assert!(self.questions.remove(call), "settled once");
            }
            Happening::CallEnded(result) => {
                prop_assert!(self.told.contains(&result.call), "told before its end");
                prop_assert!(self.ended.insert(result.call.clone()), "one result a call");
                prop_assert!(self.due.remove(&result.call));
                prop_assert!(!self.approvals.contains(&result.call));
                prop_assert!(!self.questions.contains(&result.call));
            }
            Happening::BatchEnded { .. } => prop_assert!(self.due.is_empty()),
            Happening::CompactionStarted { .. } => {
                prop_assert!(!self.compacting);
                prop_assert!(
                    self.writing.is_none() && self.due.is_empty(),
                    "between steps"
                );
                self.compacting = true;
            }
            Happening::CompactionEnded { .. } => {
                prop_assert!(self.compacting);
                self.compacting = false;
            }
            Happening::Rewound { .. } => prop_assert!(!in_turn && !self.compacting),
            _ => (),
        }
        Ok(())
    }
}
