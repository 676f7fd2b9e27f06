//! The state of a session, for who asks and for who joins.

use greenroom_protocol::session::{Approval, Ask, Outcome, SessionInfo, Snapshot, Status};

use super::machine::Session;

impl Session {
    /// The state between the last event and the next, for who joins.
    pub fn snapshot(&self) -> Snapshot {
        Snapshot {
            turn: self.turn.as_ref().map(|turn| turn.in_flight_with_text()),
            ..self.state()
        }
    }

    /// The same for who asks. Who asks has joined, and was told the text so
    /// far: it may be long, and a copy of it with each answer would keep the
    /// session from going on.
    pub fn state(&self) -> Snapshot {
        let core = &self.core;
        let approvals: Vec<Approval> = core.approvals.open().map(|it| (**it).clone()).collect();
        let questions: Vec<Ask> = core
            .approvals
            .open_questions()
            .map(|it| (**it).clone())
            .collect();
        Snapshot {
            info: SessionInfo {
                id: core.settings.id.clone(),
                title: core.title.clone(),
                root: core.settings.root.to_string_lossy().into(),
                mode: core.mode.clone(),
                model: core.model.clone(),
                status: self.status(),
                saved: core.settings.saved,
                context: core.context,
                context_window: (core.settings.facts)(&core.model).and_then(|it| it.context_window),
                usage: core.usage,
                turns: core.turns_ended,
                created: core.created,
                fork_of: core.fork_of.clone(),
            },
            seq: core.counters.seq,
            turn: self.turn.as_ref().map(|turn| turn.in_flight()),
            approvals,
            questions,
            queue: core.queue.sizes(),
            plan: core.plan.clone(),
            messages: core.conversation.len(),
            opening: self.opening,
            grants: core.approvals.granted(),
            agents: core.agents.all_in_flight(),
        }
    }

    /// What the session is doing.
    pub(super) fn status(&self) -> Status {
        match (&self.turn, &self.last_outcome) {
            (Some(_), _) if self.core.approvals.is_empty() => Status::Running,
            (Some(_), _) => Status::Waiting,
            (None, Some(Outcome::Failed(_))) => Status::Failed,
            (None, _) => Status::Idle,
        }
    }
}
