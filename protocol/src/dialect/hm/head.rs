//! The fields that every line of this wire begins with.

use crate::session::{AgentId, Millis, SessionId};
use crate::wire::json::{Fields, object};
use crate::wire::{Frames, Stamps};

/// Writes lines with their header: `v`, `type`, `session`, `time`.
#[derive(Debug, Default)]
pub(super) struct Head {
    /// Nothing until the connection is greeted.
    session: Option<SessionId>,
    /// The path to the sub-agent whose lines are written.
    within: Vec<SessionId>,
    stamps: Stamps,
}

impl Head {
    pub(super) fn set_session(&mut self, session: SessionId) {
        self.session = Some(session);
    }

    /// From here on lines are those of a sub-agent, by the path to it.
    pub(super) fn enter(&mut self, path: &[AgentId]) {
        self.within = path.iter().map(|it| SessionId::new(it.as_str())).collect();
    }

    /// Lines are the session's own again.
    pub(super) fn leave(&mut self) {
        self.within.clear();
    }

    /// Whose lines they are, and who started that one.
    fn speaker(&self) -> (&str, Option<&str>) {
        let own = self.session.as_ref().map_or("", SessionId::as_str);
        match self.within.split_last() {
            None => (own, None),
            Some((agent, starters)) => {
                let starter = starters.last().map_or(own, SessionId::as_str);
                (agent.as_str(), Some(starter))
            }
        }
    }

    /// Adds one line; `body` adds its fields behind the header.
    pub(super) fn line(
        &mut self,
        out: &mut Frames,
        kind: &str,
        at: Millis,
        body: impl FnOnce(&mut Fields<'_>),
    ) {
        let mut stamps = std::mem::take(&mut self.stamps);
        let (session, parent) = self.speaker();
        out.push(|bytes| {
            object(bytes, |fields| {
                fields.number("v", 1);
                fields.text("type", kind);
                fields.text("session", session);
                fields.value("time", |bytes| {
                    bytes.push(b'"');
                    stamps.write(bytes, at);
                    bytes.push(b'"');
                });
                fields.some_text("parent", parent);
                body(fields);
            });
        });
        self.stamps = stamps;
    }
}
