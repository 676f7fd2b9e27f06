//! A session from its journal: the same state as before, with the turn that
//! was cut closed as interrupted.

use greenroom_protocol::session::{
    AgentInFlight, EntryId, Event, Happening, Interruption, Millis, Mode, Opening, Outcome, Source,
    Stop, Usage,
};

use super::core::{Core, Counters};
use super::estimate;
use super::input::Effect;
use super::load::Loaded;
use super::machine::Session;
use super::settings::Settings;
use super::tree::{Tree, call_number};
use crate::turn::CutTurn;

/// Numbers of events that a process may have given without recording them
/// (pieces) between two durable events: numbering goes on behind them.
const SEQ_JUMP: u64 = 1 << 24;

impl Session {
    /// Folds a journal, oldest event first. The effects tell that the session
    /// is resumed, and close what was open; they change nothing that was told.
    pub fn rebuild(
        settings: Settings,
        journal: &Loaded,
        now: Millis,
        why: Interruption,
    ) -> (Session, Vec<Effect>) {
        Session::rebuild_above(Counters::default(), settings, journal, now, why)
    }

    /// The same session from its journal, when memory is ahead of it: numbers
    /// that were given are not given again.
    pub(super) fn reread(&self, journal: &Loaded, now: Millis) -> (Session, Vec<Effect>) {
        let settings = self.core.settings.clone();
        let why = Interruption::Restart;
        Session::rebuild_above(self.core.counters, settings, journal, now, why)
    }

    fn rebuild_above(
        given: Counters,
        settings: Settings,
        journal: &Loaded,
        now: Millis,
        why: Interruption,
    ) -> (Session, Vec<Effect>) {
        let mut core = Core::new(settings, now);
        core.counters = given;
        let last_call = Tree::last_call(&journal.origin);
        core.counters.call = core.counters.call.max(last_call);
        let tree = Tree::of_path(journal.origin.clone());
        core.context = estimate::tokens(&tree.conversation());
        let mut fold = Fold {
            core,
            tree,
            cut: None,
            last_outcome: None,
            told: false,
            settled: 0,
        };
        for event in &journal.events {
            fold.tree.take(event);
            fold.take(event);
        }
        let Fold {
            mut core,
            tree,
            cut,
            last_outcome,
            ..
        } = fold;
        core.conversation = tree.conversation().into();
        core.counters.seq += SEQ_JUMP;
        core.tell(Happening::Resumed);
        let opening = match cut {
            Some(_) => Opening::ResumedAfterInterruption,
            None => Opening::Resumed,
        };
        let mut session = Session::with_core(core, opening);
        session.last_outcome = last_outcome;
        session.turn = cut.map(CutTurn::into_turn);
        session.end_turn_now(Outcome::Interrupted(why));
        session.agents_were_cut(why);
        // Once a process: what clients changed since stands.
        if why != Interruption::Restart {
            session.take_settings();
        }
        let effects = std::mem::take(&mut session.core.out);
        (session, effects)
    }

    /// A mode or a model that this process was started with stands above the
    /// journal's.
    fn take_settings(&mut self) {
        let core = &mut self.core;
        let mode = match core.settings.mode.clone() {
            Some(mode) => mode,
            None if core.settings.modes.knows(&core.mode) => core.mode.clone(),
            // The configuration has it no more: the policy of it is not known.
            None => Mode::Ask,
        };
        if mode != core.mode {
            core.mode = mode.clone();
            core.tell(Happening::ModeChanged { mode });
        }
        let known = (core.settings.facts)(&core.model).is_some();
        let model = match core.settings.model.clone() {
            Some(model) => model,
            None if known => return,
            None => core.settings.default_model.clone(),
        };
        if model != core.model {
            core.model = model.clone();
            core.tell(Happening::ModelChanged { model });
        }
    }
}

struct Fold {
    core: Core,
    tree: Tree,
    cut: Option<CutTurn>,
    last_outcome: Option<Outcome>,
    /// The last model call told what it used.
    told: bool,
    /// The conversation's size before what was used last: that may be a
    /// summary's, which says nothing of it.
    settled: u64,
}

impl Fold {
    fn take(&mut self, event: &Event) {
        let core = &mut self.core;
        let at = event.at;
        core.now = core.now.max(at);
        core.counters.seq = core.counters.seq.max(event.seq);
        match &event.happening {
            Happening::Opened {
                mode,
                model,
                fork_of,
                ..
            } => {
                core.created = at;
                core.fork_of = fork_of.clone();
                if let Some((_, entry)) = fork_of {
                    see_entry(core, *entry);
                }
                core.mode = mode.clone();
                core.model = model.clone();
            }
            Happening::Titled { title } => core.title = title.clone(),
            Happening::TurnStarted { turn, mode, model } => {
                core.counters.turn = core.counters.turn.max(turn.0);
                self.cut = Some(CutTurn::started(*turn, at, mode.clone(), model.clone()));
            }
            Happening::UserMessage { entry, source, .. } => {
                see_entry(core, *entry);
                match source {
                    Source::Steer => core.queue.forget_steer(),
                    Source::FollowUp => drop(core.queue.take_follow_up()),
                    Source::Agent => core.queue.forget_result(),
                    Source::Prompt | Source::Summary => (),
                }
            }
            Happening::Queued {
                content, source, ..
            } => match source {
                Source::Steer => core.queue.push_steer(content.clone()),
                Source::Agent => core.queue.push_result(content.clone()),
                _ => core.queue.push_follow_up(content.clone()),
            },
            Happening::QueueDropped => drop(core.queue.clear()),
            Happening::Used { usage } => {
                self.told = true;
                // Outside of turns it is a compaction's: what that leaves is
                // not what it read.
                match &mut self.cut {
                    Some(cut) => {
                        core.count(*usage);
                        cut.used(*usage);
                    }
                    None => core.usage = core.usage.plus(*usage),
                }
            }
            Happening::MessageStarted { entry } => {
                self.told = false;
                see_entry(core, *entry);
                self.in_cut(|cut, _| cut.message_started(*entry));
            }
            Happening::Checkpoint { text, thinking, .. } => {
                self.in_cut(|cut, _| cut.checkpoint(text, thinking));
            }
            Happening::MessageEnded { message, .. } => {
                let is_cut = [Stop::Aborted, Stop::Failed, Stop::Interrupted];
                if !self.told && !is_cut.contains(&message.stop) {
                    core.context = 0;
                }
                for call in &message.calls {
                    let number = call_number(&call.id);
                    core.counters.call = core.counters.call.max(number);
                }
                self.in_cut(|cut, _| cut.message_ended(message));
            }
            Happening::CallStarted(call) => self.in_cut(|cut, _| cut.call_started(call)),
            Happening::ApprovalAsked(approval) => {
                self.in_cut(|cut, core| cut.approval_asked(&mut core.approvals, approval));
            }
            Happening::ApprovalSettled(settlement) => {
                self.in_cut(|cut, core| cut.approval_settled(&mut core.approvals, settlement));
            }
            Happening::QuestionAsked(ask) => {
                let number = call_number(&ask.call);
                core.counters.call = core.counters.call.max(number);
                self.in_cut(|cut, core| cut.question_asked(&mut core.approvals, ask));
            }
            Happening::QuestionSettled { call, .. } => {
                self.in_cut(|cut, core| cut.question_settled(&mut core.approvals, call));
            }
            Happening::CallRunning { call, .. } => self.in_cut(|cut, _| cut.call_running(at, call)),
            Happening::CallEnded(result) => self.in_cut(|cut, _| cut.call_ended(result)),
            Happening::BatchEnded { entry } => {
                see_entry(core, *entry);
                self.in_cut(|cut, _| cut.batch_ended());
            }
            Happening::AgentStarted {
                agent,
                call,
                name,
                task,
                background,
            } => core.agent_found(AgentInFlight {
                agent: agent.clone(),
                call: call.clone(),
                name: name.clone(),
                task: task.clone(),
                background: *background,
                started: at,
                usage: Usage::default(),
                steps: 0,
            }),
            Happening::AgentEnded {
                agent,
                outcome,
                text,
                usage,
            } => core.agent_end_found(agent, outcome, text, *usage),
            Happening::PlanChanged { items } => core.plan = items.clone(),
            Happening::ModeChanged { mode } => core.mode = mode.clone(),
            Happening::ModelChanged { model } => core.model = model.clone(),
            Happening::ConversationReset => {
                drop(core.queue.take_results());
                core.plan.clear();
                core.context = 0;
            }
            // As when it happened: no provider has told the size since.
            Happening::Rewound { .. } => {
                core.context = estimate::tokens(&self.tree.conversation());
            }
            Happening::CompactionEnded {
                compacted, context, ..
            } => {
                if let Some(compacted) = compacted {
                    see_entry(core, compacted.entry);
                }
                core.context = match compacted {
                    Some(_) => *context,
                    None => self.settled,
                };
            }
            Happening::TurnEnded { outcome, .. } => {
                core.turns_ended += 1;
                self.cut = None;
                self.last_outcome = Some(outcome.clone());
            }
            // They say nothing of the state, or are never recorded.
            Happening::Resumed
            | Happening::FileChanged { .. }
            | Happening::CallJudged { .. }
            | Happening::CompactionStarted { .. }
            | Happening::AgentSaid { .. }
            | Happening::TextAdded { .. }
            | Happening::ThinkingAdded { .. }
            | Happening::CallDrafted { .. }
            | Happening::CallOutput { .. }
            | Happening::Retrying { .. }
            | Happening::Throttled { .. }
            | Happening::Noticed { .. } => (),
        }
        if !matches!(event.happening, Happening::Used { .. }) {
            self.settled = self.core.context;
        }
    }

    fn in_cut(&mut self, act: impl FnOnce(&mut CutTurn, &mut Core)) {
        if let Some(cut) = &mut self.cut {
            act(cut, &mut self.core);
        }
    }
}

fn see_entry(core: &mut Core, entry: EntryId) {
    core.counters.entry = core.counters.entry.max(entry.0);
}
