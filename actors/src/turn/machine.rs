//! The steps of one turn.

use std::time::Duration;

use greenroom_protocol::session::{
    AbortedBy, AssistantMessage, CallEnd, CompactionReason, Content, Failure, FailureKind,
    Happening, LimitKind, Millis, Mode, ModelChoice, Outcome, SettledBy, Source, Stop, Text,
    TurnId, Usage,
};

use super::answer::Answer;
use super::batch::{Batch, BatchProgress};
use super::pausing::Pause;
use super::summing_up::Why;
use super::telling::tell_message;
use crate::ports::{Chunk, ModelAnswer, ModelError, ModelRequest};
use crate::session::{Core, Effect, Summing, Timer, WorkId};

/// The turn that runs.
#[derive(Debug)]
pub struct Turn {
    id: TurnId,
    pub(super) started: Millis,
    pub(super) mode: Mode,
    pub(super) model: ModelChoice,
    pub(super) steps: u32,
    pub(super) usage: Usage,
    pub(super) phase: Phase,
    /// It has summed up since the model's last answer: not twice in a row.
    pub(super) has_summed: bool,
}

#[derive(Debug)]
pub(super) enum Phase {
    /// The model writes.
    Answering(Answer),
    /// Calls are judged, asked about, run.
    Acting(Batch),
    /// The conversation grew too long: the model sums it up first.
    Summing(Summing, Why),
    /// A limit was met: somebody is asked whether it goes on.
    Pausing(Pause),
    /// Nothing is under way: between two steps, or closed.
    Resting,
}

/// Whether a turn goes on.
#[derive(Debug, PartialEq, Eq)]
#[must_use]
pub enum Progress {
    /// Something is under way.
    Going,
    /// There is nothing more to do; all that was open is closed.
    Ended(Outcome),
}

impl Turn {
    pub(crate) fn new(core: &Core, id: TurnId) -> Turn {
        let mode = core.mode.clone();
        let model = match core.settings.modes.spec(&mode) {
            Some(spec) => core.model.changed(spec.model.clone()),
            None => core.model.clone(),
        };
        Turn::begun(id, core.now, mode, model)
    }

    pub(super) fn begun(id: TurnId, started: Millis, mode: Mode, model: ModelChoice) -> Turn {
        Turn {
            id,
            started,
            mode,
            model,
            steps: 0,
            usage: Usage::default(),
            phase: Phase::Resting,
            has_summed: false,
        }
    }

    pub(crate) fn id(&self) -> TurnId {
        self.id
    }

    /// The prompt is admitted: tells so, and calls the model.
    pub(crate) fn start(
        &mut self,
        core: &mut Core,
        prompt: Content,
        title: Option<Text>,
    ) -> Progress {
        self.tell_start(core);
        if let Some(title) = title {
            core.title = title.clone();
            core.tell(Happening::Titled { title });
        }
        core.deliver(prompt, Source::Prompt);
        self.begin(core)
    }

    /// What came of work in the background starts a turn.
    pub(crate) fn wake(&mut self, core: &mut Core) -> Progress {
        self.tell_start(core);
        self.begin(core)
    }

    fn begin(&mut self, core: &mut Core) -> Progress {
        core.deliver_waiting();
        if let Some(after) = core.settings.limits.turn_time {
            let timer = Timer::TurnTime(self.id);
            core.out.push(Effect::SetTimer { timer, after });
        }
        self.think(core)
    }

    /// Calls the model, unless a limit is met; sums up first when there is little
    /// room left.
    pub(super) fn think(&mut self, core: &mut Core) -> Progress {
        if let Some(limit) = self.limit_met(core) {
            return self.stop_at(core, limit);
        }
        core.tell_unknown_price(&self.model);
        if self.lacks_room(core) && self.sum_up(core, CompactionReason::Threshold, Why::Threshold) {
            return Progress::Going;
        }
        self.steps += 1;
        let work = core.next_work();
        self.phase = Phase::Answering(Answer::begin(core, work));
        let request = Box::new(ModelRequest {
            session: core.settings.id.clone(),
            depth: core.settings.lineage.depth,
            model: self.model.clone(),
            system: core.settings.system_in(&self.mode),
            messages: core.conversation.clone(),
            tools: core.tools_in(&self.mode),
            answer_tokens: core.settings.limits.answer_tokens,
        });
        core.out.push(Effect::CallModel { work, request });
        Progress::Going
    }

    pub(crate) fn model_said(
        &mut self,
        core: &mut Core,
        work: WorkId,
        chunks: Vec<Chunk>,
    ) -> Progress {
        match &mut self.phase {
            Phase::Answering(answer) if answer.work == work => answer.add(core, chunks),
            Phase::Summing(summing, _) if summing.work == work => summing.said(chunks),
            _ => (),
        }
        Progress::Going
    }

    pub(crate) fn checkpoint_due(&mut self, core: &mut Core, work: WorkId) -> Progress {
        if let Phase::Answering(answer) = &mut self.phase
            && answer.work == work
        {
            answer.checkpoint_due(core);
        }
        Progress::Going
    }

    pub(crate) fn model_retries(
        &mut self,
        core: &mut Core,
        work: WorkId,
        (attempt, attempts, after): (u32, u32, Duration),
        failure: Failure,
        usage: Option<Usage>,
    ) -> Progress {
        let is_summing = match &mut self.phase {
            Phase::Answering(answer) if answer.work == work => false,
            Phase::Summing(summing, _) if summing.work == work => {
                summing.count(core, usage);
                true
            }
            _ => return Progress::Going,
        };
        match is_summing {
            true => self.usage = self.usage.plus(usage.unwrap_or_default()),
            false => self.count(core, usage),
        }
        let after_ms = u64::try_from(after.as_millis()).unwrap_or(u64::MAX);
        core.tell(Happening::Retrying {
            attempt,
            attempts,
            after_ms,
            failure,
        });
        Progress::Going
    }

    pub(crate) fn model_answered(
        &mut self,
        core: &mut Core,
        work: WorkId,
        result: Result<ModelAnswer, ModelError>,
    ) -> Progress {
        let mut answer = match std::mem::replace(&mut self.phase, Phase::Resting) {
            Phase::Answering(answer) if answer.work == work => answer,
            Phase::Summing(summing, why) if summing.work == work => {
                return self.summed_up(core, summing, why, result);
            }
            other => {
                self.phase = other; // A report of work that is over.
                return Progress::Going;
            }
        };
        match result {
            Ok(ModelAnswer { mut message, usage }) => {
                if message.stop == Stop::Refusal {
                    // What it began before it declined is not to be done.
                    message.calls.clear();
                    message.raw = None;
                }
                self.has_summed = false;
                answer.settle(core, &mut message);
                if usage.is_none() {
                    // What an earlier answer told is the size no more.
                    core.context = 0;
                }
                self.count(core, usage);
                for call in &mut message.calls {
                    call.id = core.next_call();
                }
                self.message_ended(core, &answer, message)
            }
            Err(error) => {
                self.count(core, error.usage);
                let message = answer.cut(Stop::Failed);
                let before = core.conversation.len();
                tell_message(core, &answer, message);
                // Behind a part of an answer there is nothing to answer.
                let said_nothing = core.conversation.len() == before;
                let failure = Failure {
                    kind: error.kind,
                    message: error.message.into(),
                };
                let why = Why::Overflow(failure.clone());
                let is_overflow = error.kind == FailureKind::TooLong && said_nothing;
                if is_overflow && self.sum_up(core, CompactionReason::Overflow, why) {
                    return Progress::Going;
                }
                Progress::Ended(Outcome::Failed(failure))
            }
        }
    }

    fn count(&mut self, core: &mut Core, usage: Option<Usage>) {
        if let Some(usage) = usage {
            self.usage = self.usage.plus(usage);
            core.count(usage);
            core.tell(Happening::Used { usage });
        }
    }

    fn message_ended(
        &mut self,
        core: &mut Core,
        answer: &Answer,
        message: AssistantMessage,
    ) -> Progress {
        let stop = message.stop;
        let calls = message.calls.clone();
        tell_message(core, answer, message);
        if !calls.is_empty() {
            let acting = (self.mode.clone(), self.model.clone());
            let (batch, progress) = Batch::begin(core, acting, calls);
            self.phase = Phase::Acting(batch);
            return self.batch_went_on(core, progress);
        }
        if (core.queue.len() > 0 || core.queue.has_results())
            && let Some(limit) = self.limit_met(core)
        {
            // Nobody would answer what was delivered now: the queue is kept.
            return self.stop_at(core, limit);
        }
        if core.deliver_waiting() {
            return self.think(core);
        }
        if let Some(follow_up) = core.queue.take_follow_up() {
            core.deliver(follow_up, Source::FollowUp);
            return self.think(core);
        }
        Progress::Ended(match stop {
            Stop::Refusal => Outcome::Refused,
            Stop::MaxTokens => Outcome::Limit(LimitKind::AnswerLength),
            Stop::End | Stop::Calls | Stop::Aborted | Stop::Failed | Stop::Interrupted => {
                Outcome::Completed
            }
        })
    }

    pub(super) fn batch_went_on(&mut self, core: &mut Core, progress: BatchProgress) -> Progress {
        match progress {
            BatchProgress::Going => Progress::Going,
            BatchProgress::Finished => {
                if self.limit_met(core).is_none() {
                    core.deliver_waiting();
                }
                self.think(core)
            }
        }
    }

    /// Closes what is open, before its time.
    pub(crate) fn close(&mut self, core: &mut Core, outcome: &Outcome) {
        let (stop, end, by) = match outcome {
            Outcome::Interrupted(_) => (Stop::Interrupted, CallEnd::Unknown, SettledBy::Restart),
            Outcome::Failed(_) => (Stop::Failed, CallEnd::Aborted, SettledBy::Abort),
            Outcome::Aborted(AbortedBy::ClientGone) => {
                (Stop::Aborted, CallEnd::Aborted, SettledBy::ClientsGone)
            }
            _ => (Stop::Aborted, CallEnd::Aborted, SettledBy::Abort),
        };
        // Their calls are closed with the others.
        let _ended = core.stop_agents(|agent| !agent.background, outcome, by);
        match std::mem::replace(&mut self.phase, Phase::Resting) {
            Phase::Answering(answer) => {
                let message = answer.cut(stop);
                tell_message(core, &answer, message);
            }
            Phase::Acting(mut batch) => batch.close(core, end, by),
            Phase::Summing(summing, _) => {
                let failure = Failure {
                    kind: FailureKind::Aborted,
                    message: "the turn was ended; the conversation is as before".into(),
                };
                // It is the turn's end that is told.
                let _ = summing.end(core, Err(failure));
            }
            Phase::Pausing(pause) => pause.close(core, false, by),
            Phase::Resting => (),
        }
    }

    pub(crate) fn ended(&self, outcome: Outcome, now: Millis) -> Happening {
        Happening::TurnEnded {
            turn: self.id,
            outcome,
            steps: self.steps,
            usage: self.usage,
            duration_ms: now.0.saturating_sub(self.started.0),
        }
    }
}
