//! What a session decides. It knows no task, no clock and no I/O: time comes
//! with each input, and what is to be done goes out as effects, in order.

use greenroom_protocol::session::{
    AbortedBy, AgentInFlight, Failure, FailureKind, Happening, LimitKind, Message, Millis, Opening,
    Outcome, Refusal, SubscriberId, Text, Ticket,
};

use super::core::Core;
use super::input::{Effect, Input, Timer};
use super::settings::Settings;
use super::titling::Titling;
use super::work::Work;
use crate::turn::{Progress, Turn};

/// One session.
#[derive(Debug)]
pub struct Session {
    pub(super) core: Core,
    pub(super) turn: Option<Turn>,
    /// What is under way beside turns.
    pub(super) work: Option<Work>,
    /// A title that a model writes.
    pub(super) titling: Option<Titling>,
    /// Commands that are answered later, and change nothing.
    pub(super) pending: Vec<(SubscriberId, Ticket)>,
    /// How the last turn ended.
    pub(super) last_outcome: Option<Outcome>,
    /// Clients that leave when what they wait for has ended.
    pub(super) leaving: Vec<SubscriberId>,
    /// The journal can't be written: nothing that must be durable is begun.
    pub(super) storage_fault: Option<Text>,
    pub(super) opening: Opening,
}

impl Session {
    /// A new session; its first effect tells that it was opened.
    pub fn open(settings: Settings, now: Millis) -> (Session, Vec<Effect>) {
        let mut core = Core::new(settings, now);
        let opened = Happening::Opened {
            root: core.settings.root.to_string_lossy().into(),
            mode: core.mode.clone(),
            model: core.model.clone(),
            fork_of: None,
            parent: core.settings.lineage.parent.clone(),
        };
        core.tell(opened);
        let effects = std::mem::take(&mut core.out);
        let opening = Opening::New;
        (Session::with_core(core, opening), effects)
    }

    pub(super) fn with_core(core: Core, opening: Opening) -> Session {
        Session {
            core,
            turn: None,
            work: None,
            titling: None,
            pending: Vec::new(),
            last_outcome: None,
            leaving: Vec::new(),
            storage_fault: None,
            opening,
        }
    }

    /// What it was opened with.
    pub fn settings(&self) -> &Settings {
        &self.core.settings
    }

    /// The sub-agents that run, oldest first.
    pub fn agents(&self) -> Vec<AgentInFlight> {
        self.core.agents.in_flight()
    }

    /// True when no turn runs.
    pub fn is_idle(&self) -> bool {
        self.turn.is_none()
    }

    /// What the model reads with the next step.
    pub fn conversation(&self) -> &[Message] {
        &self.core.conversation
    }

    /// Why the journal can't be written, when it can't.
    pub fn storage_fault(&self) -> Option<&Text> {
        self.storage_fault.as_ref()
    }

    /// The last number given to an event.
    pub fn seq(&self) -> u64 {
        self.core.counters.seq
    }

    /// Takes one input at a time of day; returns what is to be done, in order.
    pub fn handle(&mut self, at: Millis, input: Input) -> Vec<Effect> {
        self.core.now = self.core.now.max(at);
        match input {
            Input::Asked {
                by,
                ticket,
                command,
            } => self.asked(by, ticket, command),
            Input::ClientLeaves { by, abort, last } => self.client_leaves(by, abort, last),
            Input::StorageFailed { reason } => self.storage_failed(reason),
            Input::TurnFailed => self.fail_now(Failure {
                kind: FailureKind::Internal,
                message: "a part of the turn failed inside; the log has more".into(),
            }),
            Input::TreeRead { tree, fresh } => self.tree_read(tree.map(|tree| *tree), *fresh),
            Input::ForkRecorded(recorded) => self.fork_recorded(recorded),
            Input::Listed { by, ticket, result } => self.listed(by, ticket, result),
            Input::Exported { by, ticket, result } => self.exported(by, ticket, result),
            Input::TitleWritten(result) => self.title_written(*result),
            Input::JobEnded(ended) => self.job_ended(&ended),
            Input::ToolsChanged { specs, notices } => self.core.tools_changed(specs, notices),
            Input::AgentSaid { agent, happening } => self.agent_said(&agent, &happening),
            Input::AgentEnded {
                agent,
                outcome,
                text,
            } => self.agent_ended(&agent, outcome, text),
            Input::MessagesRead {
                by,
                ticket,
                session,
                result,
            } => self.messages_read(by, ticket, &session, result),
            Input::TimeCame(Timer::TurnTime(id)) => {
                if self.turn.as_ref().is_some_and(|turn| turn.id() == id) {
                    self.end_turn_now(Outcome::Limit(LimitKind::Time));
                }
            }
            work => self.work_reported(work),
        }
        std::mem::take(&mut self.core.out)
    }

    /// Reports of the turn's workers, or of a compaction's. Without either they
    /// are late.
    fn work_reported(&mut self, report: Input) {
        let Some(turn) = &mut self.turn else {
            return self.compaction_reported(report);
        };
        let core = &mut self.core;
        let progress = match report {
            Input::ModelSaid { work, chunks } => turn.model_said(core, work, chunks),
            Input::ModelRetries {
                work,
                attempt,
                attempts,
                after,
                failure,
                usage,
            } => turn.model_retries(core, work, (attempt, attempts, after), failure, usage),
            Input::ModelAnswered { work, result } => turn.model_answered(core, work, result),
            Input::CallJudged {
                call,
                judged,
                warnings,
            } => {
                if let Some(warnings) = warnings {
                    core.warn(warnings);
                }
                turn.call_judged(core, call, judged)
            }
            Input::ToolSaid { call, pieces } => turn.tool_said(core, call, pieces),
            Input::ToolRan { call, ran } => turn.tool_ran(core, call, ran),
            Input::TimeCame(Timer::Checkpoint(work)) => turn.checkpoint_due(core, work),
            Input::TimeCame(Timer::Deadline(call)) => turn.deadline_passed(core, &call),
            // Handled before: they are no reports.
            Input::Asked { .. }
            | Input::ClientLeaves { .. }
            | Input::StorageFailed { .. }
            | Input::TurnFailed
            | Input::TreeRead { .. }
            | Input::ForkRecorded(_)
            | Input::Listed { .. }
            | Input::Exported { .. }
            | Input::TitleWritten(_)
            | Input::JobEnded(_)
            | Input::ToolsChanged { .. }
            | Input::AgentSaid { .. }
            | Input::AgentEnded { .. }
            | Input::MessagesRead { .. }
            | Input::TimeCame(Timer::TurnTime(_)) => Progress::Going,
        };
        self.went_on(progress);
    }

    /// Ends the turn when it has nothing more to do.
    pub(super) fn went_on(&mut self, progress: Progress) {
        if let Progress::Ended(outcome) = progress {
            self.turn_ended(outcome);
        }
    }

    /// Closes whatever the turn has open, and ends it. Without a turn nothing
    /// is to do.
    pub(super) fn end_turn_now(&mut self, outcome: Outcome) {
        let Some(turn) = &mut self.turn else {
            return;
        };
        turn.close(&mut self.core, &outcome);
        self.turn_ended(outcome);
    }

    fn turn_ended(&mut self, outcome: Outcome) {
        let Some(turn) = self.turn.take() else {
            return;
        };
        self.core.out.push(Effect::StopTurn);
        self.core.turns_ended += 1;
        self.core.tell(turn.ended(outcome.clone(), self.core.now));
        self.last_outcome = Some(outcome);
        self.tell_title();
        self.let_leave();
    }

    /// Lets those go who wanted to, and have nothing left to wait for.
    pub(super) fn let_leave(&mut self) {
        // Nobody will read the reports of those in the background.
        if self.core.nobody_there && self.turn.is_none() && !self.leaving.is_empty() {
            self.stop_all_agents(AbortedBy::ClientGone);
        }
        for client in std::mem::take(&mut self.leaving) {
            match self.keeps(client) {
                true => self.leaving.push(client),
                false => self.core.out.push(Effect::Left { client }),
            }
        }
    }

    /// Somebody is there who can answer.
    pub fn client_joined(&mut self) {
        self.core.nobody_there = false;
    }

    /// Whether a client has said that it leaves.
    pub(super) fn is_leaving(&self, client: SubscriberId) -> bool {
        self.leaving.contains(&client)
    }

    fn client_leaves(&mut self, by: SubscriberId, abort: Option<AbortedBy>, last: bool) {
        if let Some(by) = abort {
            self.core.drop_queue();
            self.end_turn_now(Outcome::Aborted(by));
            self.stop_all_agents(by);
            self.abort_compaction();
        } else if last {
            self.core.nobody_there = true;
            if !self.core.agents.is_empty() {
                self.core.out.push(Effect::LeaveAgents);
            }
            if let Some(turn) = &mut self.turn {
                let progress = turn.nobody_there(&mut self.core);
                self.went_on(progress);
            }
        }
        self.leaving.push(by);
        self.let_leave();
    }

    fn storage_failed(&mut self, reason: Text) {
        self.storage_fault = Some(reason.clone());
        self.fail_now(Failure {
            kind: FailureKind::Storage,
            message: reason,
        });
    }

    /// Ends the running turn, or the running compaction, as failed.
    fn fail_now(&mut self, failure: Failure) {
        self.end_compaction(Err(failure.clone()));
        self.end_turn_now(Outcome::Failed(failure));
    }

    /// Whether something durable may be begun.
    pub(super) fn storage_allows(&self) -> Result<(), Refusal> {
        match &self.storage_fault {
            None => Ok(()),
            Some(reason) => Err(Refusal::Storage(reason.clone())),
        }
    }
}

#[cfg(test)]
mod tests;
