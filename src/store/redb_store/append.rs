//! One append: all of its batches in one transaction.

use greenroom_actors::ports::{Batch, StoreError};
use redb::{ReadableTable, ReadableTableMetadata, Table, WriteTransaction};

use super::blobs;
use super::schema::{BLOBS, EVENTS, LISTINGS, SESSIONS};
use crate::store::format::{self, Attachments};
use crate::store::rules;

use super::listed::Listed;

/// Why a transaction was not filled. Nothing of it is kept.
#[derive(Debug)]
pub(super) enum AppendFault {
    /// The batches are not what a journal takes; the database is as well as
    /// before.
    Refused(StoreError),
    /// The database failed.
    Database(redb::Error),
}

impl<E: Into<redb::Error>> From<E> for AppendFault {
    fn from(error: E) -> AppendFault {
        AppendFault::Database(error.into())
    }
}

/// Fills the transaction. The caller commits it, or drops it after a fault.
pub(super) fn write(transaction: &WriteTransaction, batches: &[Batch]) -> Result<(), AppendFault> {
    let mut sessions = transaction.open_table(SESSIONS)?;
    let mut events = transaction.open_table(EVENTS)?;
    let mut record = Vec::new();
    for batch in batches {
        let name = batch.session.as_str();
        let mut number = sessions.get(name)?.map(|row| row.value().0);
        let mut last = number.map_or(Ok(0), |number| last_seq(&events, number))?;
        let mut listed = Listed::new(&batch.session);
        for event in &batch.events {
            rules::check_next(&batch.session, last, event).map_err(AppendFault::Refused)?;
            let number = match number {
                Some(number) => number,
                None => {
                    let next = next_number(&events)?;
                    let root = rules::opened_root(event).map_or("", |root| root.as_ref());
                    sessions.insert(name, (next, root))?;
                    *number.insert(next)
                }
            };
            let mut large = Attachments::default();
            format::encode(event, &mut record, &mut large).map_err(|fault| {
                AppendFault::Refused(StoreError {
                    message: format!(
                        "event {} of session {name} cannot be stored: {fault}",
                        event.seq
                    ),
                })
            })?;
            events.insert((number, event.seq), record.as_slice())?;
            write_large(transaction, &large)?;
            listed.take(transaction, number, event)?;
            last = event.seq;
        }
        listed.write(transaction)?;
    }
    Ok(())
}

/// Takes exactly what `batches` would have added out again: their commit failed
/// without telling whether it took place, and its caller was told that it did
/// not. Says whether there was anything to take out.
///
/// Only for batches that were checked by [`write`]: their events came after
/// all that was acknowledged.
pub(super) fn undo(transaction: &WriteTransaction, batches: &[Batch]) -> Result<bool, redb::Error> {
    let mut sessions = transaction.open_table(SESSIONS)?;
    let mut events = transaction.open_table(EVENTS)?;
    let before = events.len()?;
    for batch in batches {
        let name = batch.session.as_str();
        let Some(number) = sessions.get(name)?.map(|row| row.value().0) else {
            continue;
        };
        let Some(first) = batch.events.first() else {
            continue;
        };
        events.retain_in((number, first.seq)..=(number, u64::MAX), |_, _| false)?;
        // It tells of what is taken out; the list reads the journal from now on.
        transaction.open_table(LISTINGS)?.remove(number)?;
        if last_seq(&events, number)? == 0 {
            sessions.remove(name)?;
        }
    }
    Ok(events.len()? != before)
}

/// The number of a session's last event; 0 when it has none.
fn last_seq(
    events: &Table<'_, (u64, u64), &'static [u8]>,
    number: u64,
) -> Result<u64, redb::StorageError> {
    let mut range = events.range((number, 0)..=(number, u64::MAX))?;
    let last = range.next_back().transpose()?;
    Ok(last.map_or(0, |(key, _)| key.value().1))
}

/// Every session has an event, so that the last event's session is the newest.
/// Numbers rise, and so the journals that are written to now stand at the end
/// of the table, where it grows with the fewest pages.
fn next_number(events: &Table<'_, (u64, u64), &'static [u8]>) -> Result<u64, redb::StorageError> {
    Ok(events
        .last()?
        .map_or(1, |(key, _)| key.value().0.saturating_add(1)))
}

fn write_large(transaction: &WriteTransaction, large: &Attachments<'_>) -> Result<(), redb::Error> {
    if large.values.is_empty() {
        return Ok(());
    }
    let mut table = transaction.open_table(BLOBS)?;
    for (id, bytes) in &large.values {
        blobs::write(&mut table, *id, bytes)?;
    }
    Ok(())
}
