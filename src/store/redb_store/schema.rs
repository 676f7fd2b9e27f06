//! The tables, and the version of their layout.

use redb::{
    Database, ReadTransaction, ReadableDatabase, TableDefinition, TableError, TableHandle,
    WriteTransaction,
};

use super::ahead::AheadKey;

/// The layout that this build reads and writes.
const SCHEMA: u64 = 1;

/// `schema` → the layout's version; `ahead` → the key of the log's frames that
/// are not in this file yet.
const META: TableDefinition<'static, &'static str, u64> = TableDefinition::new("meta");

/// A session's name → its number and its workspace. Written once, when the
/// session begins.
pub(super) const SESSIONS: TableDefinition<'static, &'static str, (u64, &'static str)> =
    TableDefinition::new("session");

/// A session's number → what lists show of it, but for when it last changed:
/// that stands in its last event. Where it is missing, the journal is read.
pub(super) const LISTINGS: TableDefinition<'static, u64, &'static [u8]> =
    TableDefinition::new("listing");

/// A session's number and an event's `seq` → the event's record.
pub(super) const EVENTS: TableDefinition<'static, (u64, u64), &'static [u8]> =
    TableDefinition::new("event");

/// A large value's name and the number of a piece → the piece.
pub(super) const BLOBS: TableDefinition<'static, (&'static [u8; 32], u32), &'static [u8]> =
    TableDefinition::new("blob");

/// What a file was found to hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Found {
    /// Nothing yet: the first append makes the tables.
    Empty,
    /// Our tables.
    Ours,
    /// Tables of a layout that this build does not know.
    Version(u64),
    /// Somebody else's tables.
    Foreign,
}

/// Tells what the file holds, without writing to it.
pub(super) fn inspect(database: &Database) -> Result<Found, redb::Error> {
    let transaction = database.begin_read()?;
    let meta = match transaction.open_table(META) {
        Ok(meta) => meta,
        Err(TableError::TableDoesNotExist(_)) => return inspect_without_meta(&transaction),
        Err(TableError::Storage(error)) => return Err(error.into()),
        Err(_) => return Ok(Found::Foreign),
    };
    Ok(match meta.get("schema")?.map(|version| version.value()) {
        Some(SCHEMA) => Found::Ours,
        Some(other) => Found::Version(other),
        None => Found::Foreign,
    })
}

fn inspect_without_meta(transaction: &ReadTransaction) -> Result<Found, redb::Error> {
    let has_tables = transaction.list_tables()?.next().is_some();
    let has_multimaps = transaction.list_multimap_tables()?.next().is_some();
    Ok(if has_tables || has_multimaps {
        Found::Foreign
    } else {
        Found::Empty
    })
}

/// The key that frames of the log have if they are not in this database yet.
pub(super) fn ahead_key(database: &Database) -> Result<Option<AheadKey>, redb::Error> {
    let meta = database.begin_read()?.open_table(META)?;
    Ok(meta.get("ahead")?.map(|key| AheadKey(key.value())))
}

/// Names another key: frames under the one before are void from here on.
pub(super) fn name_ahead_key(
    transaction: &WriteTransaction,
    AheadKey(key): AheadKey,
) -> Result<(), redb::Error> {
    transaction.open_table(META)?.insert("ahead", key)?;
    Ok(())
}

/// Makes the tables, in the transaction of the first append: a session that
/// begins in a new file then waits for one commit and not for two.
pub(super) fn create(transaction: &WriteTransaction) -> Result<(), redb::Error> {
    let mut meta = transaction.open_table(META)?;
    meta.insert("schema", SCHEMA)?;
    drop(meta);
    drop(transaction.open_table(SESSIONS)?);
    drop(transaction.open_table(LISTINGS)?);
    drop(transaction.open_table(EVENTS)?);
    drop(transaction.open_table(BLOBS)?);
    tracing::debug!(table = META.name(), schema = SCHEMA, "journal tables made");
    Ok(())
}
