//! The shape of every event of this wire.

use crate::session::Millis;
use crate::wire::json::{Fields, object};
use crate::wire::{Frames, Stamps};

/// Writes events: `type`, `timestamp`, and the rest in `data`.
#[derive(Debug, Default)]
pub(super) struct Head {
    stamps: Stamps,
}

impl Head {
    /// Adds one event; `data` adds the fields of its `data`.
    pub(super) fn event(
        &mut self,
        out: &mut Frames,
        kind: &str,
        at: Millis,
        data: impl FnOnce(&mut Fields<'_>),
    ) {
        let stamps = &mut self.stamps;
        out.push(|bytes| {
            object(bytes, |fields| {
                fields.text("type", kind);
                fields.value("timestamp", |bytes| {
                    bytes.push(b'"');
                    stamps.write(bytes, at);
                    bytes.push(b'"');
                });
                fields.object("data", data);
            });
        });
    }
}
