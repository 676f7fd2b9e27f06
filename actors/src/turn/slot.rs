//! One call of an answer, from the model's request to its result.

use std::sync::Arc;

use greenroom_protocol::session::{
    Amendment, Call, CallEnd, CallInFlight, CallRequest, CallResult, Category, Document, Happening,
    Millis,
};

use crate::ports::{PlannedCall, Ran};
use crate::session::{Core, Judged};

/// A call's place in its batch.
#[derive(Debug)]
pub(super) struct Slot {
    pub request: CallRequest,
    pub state: State,
    /// As clients know it.
    told: Option<Call>,
    /// Somebody was asked about it, or allowed it: a steer doesn't skip it, and
    /// it is not asked about twice.
    pub in_progress: bool,
    /// When it began to run.
    began: Option<Millis>,
}

/// How far a call is.
#[derive(Debug)]
pub(super) enum State {
    /// It waits to be judged.
    New,
    /// It is being planned and judged.
    Judging,
    /// It was judged, but calls before it were not yet.
    Judged(Judged),
    /// It waits for a decision.
    Asked(Box<PlannedCall>),
    /// It waits for an answer.
    Asking,
    /// It may run, when its place comes.
    Ready(Box<PlannedCall>, Option<Amendment>),
    /// It runs.
    Running(Category),
    /// It has its result.
    Done(Arc<CallResult>),
}

impl Slot {
    pub fn new(request: CallRequest) -> Slot {
        Slot {
            request,
            state: State::New,
            told: None,
            in_progress: false,
            began: None,
        }
    }

    /// Clients of an earlier process know of it.
    pub fn rebuilt_told(&mut self, call: &Call) {
        self.told = Some(call.clone());
    }

    /// It runs from now on.
    pub fn begin(&mut self, at: Millis, category: Category) {
        self.began = Some(at);
        self.state = State::Running(category);
    }

    /// As a client that joins must hear of it; nothing before it is told and
    /// after its end.
    pub fn in_flight(&self) -> Option<CallInFlight> {
        let call = self.told.clone().filter(|_| !self.is_done())?;
        let running = matches!(self.state, State::Running(_));
        Some(CallInFlight { call, running })
    }

    pub fn is_done(&self) -> bool {
        matches!(self.state, State::Done(_))
    }

    /// Whether it only looks: such calls run side by side.
    pub fn only_reads(&self, core: &Core) -> bool {
        matches!(self.kind(core), Category::Read | Category::Session)
    }

    /// Whether a sub-agent does it: such calls run side by side too, though what
    /// they do may change things.
    pub fn delegates(&self, core: &Core) -> bool {
        self.kind(core) == Category::Agent
    }

    /// What it is, as it was planned; until then as its tool says.
    fn kind(&self, core: &Core) -> Category {
        match &self.state {
            State::Asked(planned) | State::Ready(planned, _) => planned.category,
            State::Running(category) => *category,
            State::New | State::Judging | State::Judged(_) | State::Asking | State::Done(_) => {
                self.category(core)
            }
        }
    }

    /// What the tool's description says; an unknown tool counts as a session
    /// matter, since it will touch nothing.
    pub fn category(&self, core: &Core) -> Category {
        core.category_of(&self.request.tool)
            .unwrap_or(Category::Session)
    }

    /// Tells clients of the call, once.
    pub fn tell(&mut self, core: &mut Core, planned: Option<&PlannedCall>, input: Document) {
        if self.told.is_some() {
            return;
        }
        let (category, summary) = match planned {
            Some(planned) => (planned.category, planned.summary.clone()),
            None => (self.category(core), self.request.tool.clone()),
        };
        let call = Call {
            id: self.request.id.clone(),
            tool: self.request.tool.clone(),
            category,
            summary,
            input,
        };
        self.told = Some(call.clone());
        core.tell(Happening::CallStarted(call));
    }

    /// Gives it its result, and tells so. Clients hear of a call before its
    /// end, whatever the end.
    pub fn end(&mut self, core: &mut Core, end: CallEnd, ran: Ran) {
        if self.is_done() {
            return;
        }
        let input = self.request.input.clone();
        self.tell(core, None, input);
        for change in &ran.changed {
            core.tell(Happening::FileChanged {
                call: self.request.id.clone(),
                path: change.path.clone(),
                kind: change.kind,
                diff: change.diff.clone(),
            });
        }
        let result = Arc::new(CallResult {
            call: self.request.id.clone(),
            tool: self.request.tool.clone(),
            end,
            text: ran.text.into(),
            images: ran.images,
            exit_code: ran.exit_code,
            truncated: ran.truncated,
            duration_ms: self.began.map_or(0, |at| core.now.0.saturating_sub(at.0)),
        });
        core.tell(Happening::CallEnded(result.clone()));
        self.state = State::Done(result);
    }

    /// As [`Slot::end`], with nothing but words.
    pub fn end_with(&mut self, core: &mut Core, end: CallEnd, text: impl Into<String>) {
        let ran = Ran {
            text: text.into(),
            ..Ran::default()
        };
        self.end(core, end, ran);
    }
}
