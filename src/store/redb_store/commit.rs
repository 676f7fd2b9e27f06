//! Transactions of the database: what they write, and what is known when one
//! fails.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use greenroom_actors::ports::{Batch, StoreError};
use redb::Database;

use super::ahead::AheadKey;
use super::append::{self, AppendFault};
use super::{fault, schema};

/// What one transaction writes.
pub(super) struct Write<'a> {
    pub(super) pending: &'a [Batch],
    pub(super) batches: &'a [Batch],
    /// The log's new key.
    pub(super) key: Option<AheadKey>,
}

/// Why a commit did not take place, or not for sure.
pub(super) enum CommitFault {
    Refused(StoreError),
    /// Nothing was written.
    Failed(StoreError),
    /// Something may have been written.
    Doubtful(StoreError),
}

impl CommitFault {
    /// In words.
    pub(super) fn reason(self) -> StoreError {
        match self {
            CommitFault::Refused(reason)
            | CommitFault::Failed(reason)
            | CommitFault::Doubtful(reason) => reason,
        }
    }
}

/// All of it or nothing.
pub(super) fn commit(
    path: &Path,
    database: &Database,
    has_tables: bool,
    write: &Write<'_>,
    quick_repair: bool,
) -> Result<(), CommitFault> {
    let mut committing = false;
    let work = || -> Result<(), AppendFault> {
        let mut transaction = database.begin_write()?;
        transaction.set_quick_repair(quick_repair);
        if !has_tables {
            schema::create(&transaction)?;
        }
        append::write(&transaction, write.pending)?;
        append::write(&transaction, write.batches)?;
        if let Some(key) = write.key {
            schema::name_ahead_key(&transaction, key)?;
        }
        committing = true;
        transaction.commit()?;
        Ok(())
    };
    let reason = match catch_unwind(AssertUnwindSafe(work)) {
        Ok(Ok(())) => return Ok(()),
        Ok(Err(AppendFault::Refused(reason))) => return Err(CommitFault::Refused(reason)),
        Ok(Err(AppendFault::Database(error))) => fault::explain(path, &error),
        Err(_) => fault::panicked(path),
    };
    Err(match committing {
        true => CommitFault::Doubtful(reason),
        false => CommitFault::Failed(reason),
    })
}

/// An empty commit, after which a crash costs nothing.
pub(super) fn seal(database: &Database) -> Result<(), redb::Error> {
    let mut transaction = database.begin_write()?;
    transaction.set_quick_repair(true);
    transaction.commit()?;
    Ok(())
}

/// Takes out what was refused and may be there.
pub(super) fn take_out(database: &Database, refused: &[Batch]) -> Result<(), redb::Error> {
    if refused.is_empty() {
        return Ok(());
    }
    let mut transaction = database.begin_write()?;
    transaction.set_quick_repair(true);
    if append::undo(&transaction, refused)? {
        transaction.commit()?;
    }
    Ok(())
}
