//! The fields that every line of this wire begins with.

use crate::session::{Millis, SessionId};
use crate::wire::json::{Fields, object};
use crate::wire::{Frames, Stamps};

/// Writes lines with their header: `v`, `type`, `session`, `time`.
#[derive(Debug, Default)]
pub(super) struct Head {
    /// Nothing until the connection is greeted.
    session: Option<SessionId>,
    stamps: Stamps,
}

impl Head {
    pub(super) fn set_session(&mut self, session: SessionId) {
        self.session = Some(session);
    }

    /// Adds one line; `body` adds its fields behind the header.
    pub(super) fn line(
        &mut self,
        out: &mut Frames,
        kind: &str,
        at: Millis,
        body: impl FnOnce(&mut Fields<'_>),
    ) {
        let session = self.session.as_ref().map_or("", SessionId::as_str);
        let stamps = &mut self.stamps;
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
                body(fields);
            });
        });
    }
}
