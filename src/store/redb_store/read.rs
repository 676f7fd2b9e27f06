//! What is read: one journal, or the list of them. Readers see the last
//! commit and never wait for a writer.

use greenroom_actors::ports::{StoreError, StoredSession, listing};
use greenroom_protocol::session::{
    Event, Millis, Mode, ModelChoice, SessionId, SessionListing, Status, Text, Usage,
};
use redb::{Database, ReadOnlyTable, ReadTransaction, ReadableDatabase, TableError};

use super::blobs::StoredBlobs;
use super::schema::{BLOBS, EVENTS, LISTINGS, SESSIONS};
use crate::store::format::{self, FormatError};

type Events = ReadOnlyTable<(u64, u64), &'static [u8]>;

/// Why something could not be read.
#[derive(Debug)]
pub(super) enum ReadFault {
    /// The database failed.
    Database(redb::Error),
    /// A record is not what was written.
    Record(StoreError),
}

impl<E: Into<redb::Error>> From<E> for ReadFault {
    fn from(error: E) -> ReadFault {
        ReadFault::Database(error.into())
    }
}

/// Bytes of records after which a page ends; large values beside them count.
const PAGE_BYTES: usize = 1 << 20;

/// A whole journal; nothing when there is none.
pub(super) fn load(
    database: &Database,
    session: &SessionId,
) -> Result<Option<StoredSession>, ReadFault> {
    let events = journal_of(database, session, 0, usize::MAX)?;
    Ok(events.map(|events| StoredSession { events }))
}

/// The next events of a journal, at least one if there is one.
pub(super) fn page(
    database: &Database,
    session: &SessionId,
    after: u64,
) -> Result<Vec<Event>, ReadFault> {
    let events = journal_of(database, session, after, PAGE_BYTES)?;
    Ok(events.unwrap_or_default())
}

fn journal_of(
    database: &Database,
    session: &SessionId,
    after: u64,
    bytes: usize,
) -> Result<Option<Vec<Event>>, ReadFault> {
    let transaction = database.begin_read()?;
    let (Some(sessions), Some(events)) = (
        existing(transaction.open_table(SESSIONS))?,
        existing(transaction.open_table(EVENTS))?,
    ) else {
        return Ok(None);
    };
    let Some(number) = sessions.get(session.as_str())?.map(|row| row.value().0) else {
        return Ok(None);
    };
    journal(&transaction, &events, (session, number), (after, bytes)).map(Some)
}

/// Events behind one, until so many bytes of records are read.
fn journal(
    transaction: &ReadTransaction,
    events: &Events,
    (session, number): (&SessionId, u64),
    (after, bytes): (u64, usize),
) -> Result<Vec<Event>, ReadFault> {
    let mut blobs = StoredBlobs::new(existing(transaction.open_table(BLOBS))?);
    let mut journal = Vec::new();
    let mut read = 0;
    for entry in events.range((number, after.saturating_add(1))..=(number, u64::MAX))? {
        let (key, record) = entry?;
        let seq = key.value().1;
        let event = format::decode(record.value(), &mut blobs)
            .map_err(|fault| unreadable(session, seq, &fault))?;
        if event.seq != seq {
            let fault = FormatError::Damaged(format!("it stands in the place of event {seq}"));
            return Err(unreadable(session, event.seq, &fault));
        }
        journal.push(event);
        read += record.value().len();
        if read + blobs.bytes_read() >= bytes {
            break;
        }
    }
    Ok(journal)
}

/// The number of a session's last event; 0 when there is none.
pub(super) fn last_seq(database: &Database, session: &SessionId) -> Result<u64, ReadFault> {
    let transaction = database.begin_read()?;
    let (Some(sessions), Some(events)) = (
        existing(transaction.open_table(SESSIONS))?,
        existing(transaction.open_table(EVENTS))?,
    ) else {
        return Ok(0);
    };
    let Some(number) = sessions.get(session.as_str())?.map(|row| row.value().0) else {
        return Ok(0);
    };
    let mut range = events.range((number, 0)..=(number, u64::MAX))?;
    let last = range.next_back().transpose()?;
    Ok(last.map_or(0, |(key, _)| key.value().1))
}

/// The sessions of one workspace, or all, the latest changed first.
pub(super) fn list(
    database: &Database,
    root: Option<&Text>,
) -> Result<Vec<SessionListing>, ReadFault> {
    let transaction = database.begin_read()?;
    let (Some(sessions), Some(events)) = (
        existing(transaction.open_table(SESSIONS))?,
        existing(transaction.open_table(EVENTS))?,
    ) else {
        return Ok(Vec::new());
    };
    let listings = existing(transaction.open_table(LISTINGS))?;
    let mut listed = Vec::new();
    for entry in sessions.range::<&str>(..)? {
        let (name, row) = entry?;
        let (number, of_root) = row.value();
        if root.is_some_and(|root| root.as_ref() != of_root) {
            continue;
        }
        let id = SessionId::new(name.value());
        let row = match &listings {
            Some(listings) => listings.get(number)?,
            None => None,
        };
        let kept = row.and_then(|row| format::decode_listing(row.value()).ok());
        let found = match kept {
            Some(kept) => Some(SessionListing {
                updated: updated(&events, &id, number)?,
                ..kept
            }),
            None => folded(&transaction, &events, &id, number)?,
        };
        listed.push(found.unwrap_or_else(|| nameless(id, of_root)));
    }
    listing::latest_first(&mut listed);
    Ok(listed)
}

/// A session whose journal is damaged. It sorts last, and opening it tells why.
fn nameless(id: SessionId, root: &str) -> SessionListing {
    SessionListing {
        id,
        title: "".into(),
        mode: Mode::default(),
        model: ModelChoice {
            provider: "".into(),
            model: "".into(),
            effort: None,
        },
        root: root.into(),
        parent: None,
        fork_of: None,
        status: Status::Failed,
        updated: Millis::default(),
        turns: 0,
        usage: Usage::default(),
    }
}

/// The listing of a session whose own is not kept. Nothing of a damaged
/// journal: it must not take the other sessions' list with it.
fn folded(
    transaction: &ReadTransaction,
    events: &Events,
    session: &SessionId,
    number: u64,
) -> Result<Option<SessionListing>, ReadFault> {
    match journal(transaction, events, (session, number), (0, usize::MAX)) {
        Ok(journal) => Ok(listing::of(session, &journal)),
        Err(ReadFault::Record(error)) => {
            tracing::warn!(%session, %error, "a journal cannot be listed");
            Ok(None)
        }
        Err(fault) => Err(fault),
    }
}

/// When a session's last event happened. A damaged one must not take the other
/// sessions' list with it: its session sorts last, and opening it tells why.
fn updated(events: &Events, session: &SessionId, number: u64) -> Result<Millis, ReadFault> {
    let mut range = events.range((number, 0)..=(number, u64::MAX))?;
    let Some(last) = range.next_back() else {
        return Ok(Millis::default());
    };
    let (_, record) = last?;
    Ok(format::written_at(record.value()).unwrap_or_else(|fault| {
        tracing::warn!(%session, %fault, "the last event of a journal cannot be read");
        Millis::default()
    }))
}

/// Before the first append there are no tables.
fn existing<T>(table: Result<T, TableError>) -> Result<Option<T>, ReadFault> {
    match table {
        Ok(table) => Ok(Some(table)),
        Err(TableError::TableDoesNotExist(_)) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

fn unreadable(session: &SessionId, seq: u64, fault: &FormatError) -> ReadFault {
    ReadFault::Record(StoreError {
        message: format!("event {seq} of session {session} cannot be read: {fault}"),
    })
}
