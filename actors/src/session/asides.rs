//! Answers that take their time and change nothing: lists of sessions, exports.
//! They run beside turns; whoever asked for one is waited for.

use greenroom_protocol::session::{
    ExportRequest, Refusal, Reply, SessionListing, SubscriberId, Text, Ticket,
};

use super::input::Effect;
use super::machine::Session;
use crate::ports::{ExportFault, Exported, StoreError};

impl Session {
    pub(super) fn list(&mut self, by: SubscriberId, ticket: Ticket, everywhere: bool) {
        self.pending.push((by, ticket));
        let root = (!everywhere).then(|| self.root());
        self.core.out.push(Effect::List { by, ticket, root });
    }

    pub(super) fn listed(
        &mut self,
        by: SubscriberId,
        ticket: Ticket,
        result: Result<Vec<SessionListing>, StoreError>,
    ) {
        let outcome = match result {
            Ok(listings) => Ok(Reply::Sessions(self.with_own(listings))),
            Err(error) => Err(Refusal::Storage(error.message.into())),
        };
        self.settle_aside(by, ticket, outcome);
    }

    /// Of this session memory knows more than its journal: that it runs.
    fn with_own(&self, mut listings: Vec<SessionListing>) -> Vec<SessionListing> {
        let own = listings
            .iter_mut()
            .find(|listing| listing.id == self.core.settings.id);
        if let Some(own) = own {
            own.status = self.status();
            own.usage = self.core.usage;
        }
        listings
    }

    pub(super) fn export(&mut self, by: SubscriberId, ticket: Ticket, request: ExportRequest) {
        self.pending.push((by, ticket));
        self.core.out.push(Effect::Export {
            by,
            ticket,
            request,
        });
    }

    pub(super) fn exported(
        &mut self,
        by: SubscriberId,
        ticket: Ticket,
        result: Result<Exported, ExportFault>,
    ) {
        let outcome = match result {
            Ok(Exported { path, redacted }) => Ok(Reply::Exported { path, redacted }),
            Err(fault) => Err(Refusal::NotExported(fault.0.into())),
        };
        self.settle_aside(by, ticket, outcome);
    }

    pub(super) fn settle_aside(
        &mut self,
        by: SubscriberId,
        ticket: Ticket,
        outcome: Result<Reply, Refusal>,
    ) {
        self.pending.retain(|pending| *pending != (by, ticket));
        self.core.answer(by, ticket, outcome);
        self.let_leave();
    }

    fn root(&self) -> Text {
        self.core.settings.root.to_string_lossy().into()
    }
}
