//! What lists show of a session, kept in the transaction of the events that
//! change it.

use greenroom_actors::ports::listing;
use greenroom_protocol::session::{Event, SessionId, SessionListing};
use redb::{ReadableTable, WriteTransaction};

use super::schema::LISTINGS;
use crate::store::format;

/// The listing of one batch's session. Read at the first event that may change
/// it: most batches have none.
pub(super) struct Listed<'a> {
    session: &'a SessionId,
    found: Option<(u64, SessionListing)>,
    is_changed: bool,
    /// It could not be read: the list will read the journal.
    is_lost: bool,
}

impl<'a> Listed<'a> {
    pub fn new(session: &'a SessionId) -> Listed<'a> {
        Listed {
            session,
            found: None,
            is_changed: false,
            is_lost: false,
        }
    }

    /// Takes in an event of the session with this number.
    pub fn take(
        &mut self,
        transaction: &WriteTransaction,
        number: u64,
        event: &Event,
    ) -> Result<(), redb::Error> {
        if self.is_lost {
            return Ok(());
        }
        if let Some(listing) = listing::begin(self.session, event) {
            self.found = Some((number, listing));
            self.is_changed = true;
            return Ok(());
        }
        if !listing::changes(event) {
            return Ok(());
        }
        if self.found.is_none() {
            let table = transaction.open_table(LISTINGS)?;
            let row = table.get(number)?;
            let stored = row.and_then(|row| format::decode_listing(row.value()).ok());
            match stored {
                Some(stored) => self.found = Some((number, stored)),
                None => self.is_lost = true,
            }
        }
        if let Some((_, listing)) = &mut self.found {
            listing::follow(listing, event);
            self.is_changed = true;
        }
        Ok(())
    }

    /// Writes it, if it changed.
    pub fn write(self, transaction: &WriteTransaction) -> Result<(), redb::Error> {
        let Some((number, listing)) = self.found.filter(|_| self.is_changed) else {
            return Ok(());
        };
        let mut table = transaction.open_table(LISTINGS)?;
        match format::encode_listing(&listing) {
            Ok(record) => drop(table.insert(number, record.as_slice())?),
            Err(fault) => {
                tracing::warn!(session = %self.session, %fault, "a session's listing is not kept");
                table.remove(number)?;
            }
        }
        Ok(())
    }
}
