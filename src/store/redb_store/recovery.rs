//! Opening, for the first time or anew: with all that was acknowledged, and
//! without what was refused.

use std::fmt::Display;
use std::path::Path;

use greenroom_actors::ports::{Batch, StoreError};
use redb::Database;

use super::ahead::{self, AheadFile, AheadKey};
use super::commit::{CommitFault, Write, commit, take_out};
use super::disk::Disk;
use super::keeper::{Doubtful, Keeper, Log, guarded};
use super::schema::{self, Found};
use super::{fault, frame};

/// A database with all that stands in its log, the log's key and its file.
pub(super) type TakenIn = (Database, Option<AheadKey>, Option<Box<dyn AheadFile>>);

pub(super) fn take_in(disk: &dyn Disk, database: Database) -> Result<TakenIn, StoreError> {
    let path = disk.path();
    let named = schema::ahead_key(&database).map_err(|error| fault::explain(path, &error))?;
    let file = disk
        .ahead(false)
        .map_err(|error| unreadable(path, &error))?;
    let (Some(key), Some(file)) = (named, file) else {
        if named.is_some() {
            let path = path.with_extension("ahead");
            let path = path.display();
            tracing::warn!(%path, "the log beside the journal is not there: if it was taken away, the last moments before a crash are lost");
        }
        return Ok((database, named, None));
    };
    let pending = pending_in(path, &*file, key)?;
    if pending.is_empty() {
        return Ok((database, named, Some(file)));
    }
    let fresh = AheadKey::fresh();
    let write = Write {
        pending: &pending,
        batches: &[],
        key: Some(fresh),
    };
    commit(path, &database, true, &write, true).map_err(CommitFault::reason)?;
    tracing::debug!(appends = pending.len(), "the log ahead was taken in");
    Ok((database, Some(fresh), Some(file)))
}

/// What the log holds that the database does not.
fn pending_in(path: &Path, file: &dyn AheadFile, key: AheadKey) -> Result<Vec<Batch>, StoreError> {
    let bodies = ahead::frames(file, key).map_err(|error| unreadable(path, &error))?;
    let mut pending = Vec::new();
    for body in bodies {
        pending.extend(frame::decode(&body).map_err(|fault| unreadable(path, &fault))?);
    }
    Ok(pending)
}

fn unreadable(path: &Path, fault: &dyn Display) -> StoreError {
    StoreError {
        message: format!(
            "the log {} beside the journal cannot be read ({fault}): mend that, or move it away and lose the last moments before a crash",
            path.with_extension("ahead").display()
        ),
    }
}

impl Keeper {
    /// Closes the database after a failure, and tries to open it anew.
    pub(super) fn reopen(&mut self, reason: &StoreError) {
        tracing::warn!(error = %reason, "a write to the journal failed");
        self.shared.close(reason.clone());
        if let Err(error) = self.recover() {
            tracing::warn!(%error, "the journal cannot be opened anew yet");
        }
    }

    /// Opens the closed database anew, without what a failed write may have
    /// left, and with all that was acknowledged.
    pub(super) fn recover(&mut self) -> Result<(), StoreError> {
        let path = self.disk.path().to_owned();
        let outcome = guarded(&path, || self.opened_anew());
        let database = outcome.inspect_err(|reason| self.shared.close(reason.clone()))?;
        self.shared.open(database);
        tracing::info!(path = %path.display(), "the journal is open again");
        Ok(())
    }

    fn opened_anew(&mut self) -> Result<Database, StoreError> {
        let path = self.disk.path();
        if let Log::Ready(ahead) = &mut self.log {
            let explained = |error| fault::explain(path, &redb::Error::Io(error));
            ahead.take_back().map_err(explained)?;
        }
        let doubtful = self.doubtful.as_ref();
        let had_tables = self.has_tables;
        let work = || -> Result<(Database, Found, Option<AheadKey>), redb::Error> {
            let database = self.disk.reopen()?;
            let found = schema::inspect(&database)?;
            if had_tables && found != Found::Ours {
                let lost = "it no longer holds the journals that it held".to_owned();
                return Err(redb::Error::Corrupted(lost));
            }
            if found != Found::Ours {
                return Ok((database, found, None));
            }
            if let Some(doubtful) = doubtful {
                take_out(&database, &doubtful.batches)?;
            }
            let key = schema::ahead_key(&database)?;
            Ok((database, found, key))
        };
        let (database, found, key) = work().map_err(|error| fault::explain(path, &error))?;
        self.has_tables = found == Found::Ours;
        self.unsealed = true;
        let doubtful = self.doubtful.take();
        if let Some(Doubtful { key: Some(new), .. }) = doubtful
            && key == Some(new)
        {
            // The failed commit took place, but for what was refused.
            self.taken_in(Some(new));
        }
        if !self.pending.is_empty() {
            let fresh = AheadKey::fresh();
            let write = Write {
                pending: &self.pending,
                batches: &[],
                key: Some(fresh),
            };
            let taken = commit(self.disk.path(), &database, self.has_tables, &write, true);
            match taken {
                Ok(()) => self.taken_in(Some(fresh)),
                Err(fault) => {
                    let is_doubtful = matches!(fault, CommitFault::Doubtful(_));
                    self.doubtful = is_doubtful.then(|| Doubtful {
                        batches: Vec::new(),
                        key: Some(fresh),
                    });
                    return Err(fault.reason());
                }
            }
        }
        Ok(database)
    }
}
