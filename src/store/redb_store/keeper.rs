//! What is done with appends. Small ones stand in the log ahead first, and go
//! into the database with the next checkpoint: when nothing was written for a
//! moment, when the log is full, when somebody reads, at the end. Large ones go
//! into the database at once, behind those that wait.
//!
//! Checkpoints name a new key for the log in their own transaction. After a
//! commit that failed half-way, that key tells whether it took place.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;

use greenroom_actors::ports::{Batch, StoreError};
use greenroom_protocol::session::SessionId;
use redb::Database;

use super::ahead::{Ahead, AheadKey};
use super::commit::{CommitFault, Write, commit, seal};
use super::disk::Disk;
use super::recovery::take_in;
use super::schema::Found;
use super::shared::Shared;
use super::writer::Pace;
use super::{fault, frame, read};
use crate::store::rules;

/// A longer append goes into the database at once.
const LONGEST_BODY: usize = 128 << 10;

/// The state of what is written.
pub(super) struct Keeper {
    pub(super) pace: Pace,
    pub(super) disk: Box<dyn Disk>,
    pub(super) shared: Arc<Shared>,
    /// Whether the file has our tables.
    pub(super) has_tables: bool,
    /// Whether a crash now would cost a look at all pages.
    pub(super) unsealed: bool,
    /// The key that the database names for the log.
    pub(super) key: Option<AheadKey>,
    pub(super) log: Log,
    /// What stands in the log and not in the database.
    pub(super) pending: Vec<Batch>,
    /// The last events of sessions of which some are pending.
    pub(super) lasts: HashMap<SessionId, u64>,
    /// What a failed commit may have written.
    pub(super) doubtful: Option<Doubtful>,
    pub(super) body: Vec<u8>,
}

pub(super) enum Log {
    /// Not looked for yet.
    Unprepared,
    Ready(Ahead),
    /// It can't be had: the database alone is written.
    Without,
}

pub(super) struct Doubtful {
    /// Refused, and perhaps there.
    pub(super) batches: Vec<Batch>,
    /// The key that the database has now if the commit took place.
    pub(super) key: Option<AheadKey>,
}

impl Keeper {
    /// Takes over a database that was just opened, with what stands in the log.
    pub(super) fn open(
        pace: Pace,
        disk: Box<dyn Disk>,
        database: Database,
        found: Found,
    ) -> Result<Keeper, StoreError> {
        let has_tables = found == Found::Ours;
        let path = disk.path();
        let (database, key, file) = guarded(path, || match has_tables {
            true => take_in(&*disk, database),
            false => Ok((database, None, None)),
        })?;
        let log = match (file, key) {
            (Some(file), Some(key)) if pace.ahead > 0 => {
                prepared(Ahead::prepare(file, pace.ahead, key))
            }
            _ => Log::Unprepared,
        };
        Ok(Keeper {
            pace,
            disk,
            shared: Arc::new(Shared::new(database)),
            has_tables,
            unsealed: false,
            key,
            log,
            pending: Vec::new(),
            lasts: HashMap::new(),
            doubtful: None,
            body: Vec::new(),
        })
    }

    /// The database, for those who read.
    pub(super) fn shared(&self) -> &Arc<Shared> {
        &self.shared
    }

    pub(super) fn path(&self) -> &Path {
        self.disk.path()
    }

    /// Whether there is something to do when nothing is asked for a while.
    pub(super) fn has_chores(&self) -> bool {
        self.unsealed || !self.pending.is_empty()
    }

    /// All batches or none, for good.
    pub(super) fn append(&mut self, batches: Vec<Batch>) -> Result<(), StoreError> {
        if batches.iter().all(|batch| batch.events.is_empty()) {
            return Ok(());
        }
        if !self.shared.is_open() {
            self.recover()?;
        }
        if self.fits_ahead(&batches)? {
            return self.write_ahead(batches);
        }
        let quick_repair = self.disk.len() >= self.pace.large;
        self.write_through(&batches, quick_repair)
    }

    /// Makes the log, once, when the first append is over: nobody waits then.
    pub(super) fn prepare(&mut self) {
        let (Log::Unprepared, Some(key)) = (&self.log, self.key) else {
            return;
        };
        self.log = match self.disk.ahead(true) {
            _ if self.pace.ahead == 0 => Log::Without,
            Ok(Some(file)) => prepared(Ahead::prepare(file, self.pace.ahead, key)),
            Ok(None) => Log::Without,
            Err(error) => prepared(Err(error)),
        };
    }

    /// Puts what is pending into the database: then all that was acknowledged
    /// can be read there.
    pub(super) fn checkpoint(&mut self) -> Result<(), StoreError> {
        if !self.shared.is_open() {
            return self.recover();
        }
        if self.pending.is_empty() {
            return Ok(());
        }
        match self.write_through(&[], true) {
            // It failed once, and was made up for.
            Err(_) if self.shared.is_open() && self.pending.is_empty() => Ok(()),
            outcome => outcome,
        }
    }

    /// Nothing was asked for a while.
    pub(super) fn use_quiet(&mut self) {
        if !self.shared.is_open() || !self.pending.is_empty() {
            // The reason stands in the log and in the answer to the append
            // that failed, or will fail.
            let _ = self.checkpoint();
            return;
        }
        if !std::mem::take(&mut self.unsealed) {
            return;
        }
        let path = self.disk.path();
        let sealed = catch_unwind(AssertUnwindSafe(|| self.shared.with(seal)));
        let reason = match sealed {
            Ok(Ok(Ok(()))) | Ok(Err(_)) => return,
            Ok(Ok(Err(error))) => fault::explain(path, &error),
            Err(_) => fault::panicked(path),
        };
        self.reopen(&reason);
    }

    /// The end: all that was acknowledged stands in the database, if it takes
    /// it; else in the log.
    pub(super) fn close(&mut self) {
        if let Err(error) = self.checkpoint() {
            tracing::warn!(%error, "what stands in the log ahead is taken in at the next start");
        }
        self.shared.close(fault::closed(self.disk.path()));
    }

    /// Whether these batches go into the log; then they are encoded, and there
    /// is room.
    fn fits_ahead(&mut self, batches: &[Batch]) -> Result<bool, StoreError> {
        // What can't be encoded is refused by the database's own way, with the
        // event's number.
        let fits = matches!(self.log, Log::Ready(_))
            && matches!(
                frame::encode(batches, LONGEST_BODY, &mut self.body),
                Ok(true)
            );
        if !fits {
            return Ok(false);
        }
        if !self.has_room() {
            self.checkpoint()?;
        }
        Ok(self.has_room())
    }

    fn has_room(&self) -> bool {
        matches!(&self.log, Log::Ready(ahead) if ahead.has_room(self.body.len()))
    }

    fn write_ahead(&mut self, batches: Vec<Batch>) -> Result<(), StoreError> {
        let lasts = self.check(&batches)?;
        let Log::Ready(ahead) = &mut self.log else {
            return Err(fault::closed(self.disk.path()));
        };
        if let Err(error) = ahead.append(&self.body) {
            let reason = fault::explain(self.disk.path(), &redb::Error::Io(error));
            tracing::warn!(error = %reason, "a write to the log ahead of the journal failed");
            if ahead.take_back().is_err() {
                // What was refused may be there: nothing goes on until it is not.
                self.shared.close(reason.clone());
            }
            return Err(reason);
        }
        self.lasts.extend(lasts);
        self.pending.extend(batches);
        // Before it is acknowledged: who reads then must find it.
        self.shared.set_behind(true);
        Ok(())
    }

    /// The rules that the database's own way checks, too; gives the sessions'
    /// new last numbers.
    fn check(&mut self, batches: &[Batch]) -> Result<HashMap<SessionId, u64>, StoreError> {
        let mut lasts: HashMap<SessionId, u64> = HashMap::new();
        for batch in batches {
            let known = lasts.get(&batch.session).or(self.lasts.get(&batch.session));
            let mut last = match known {
                Some(last) => *last,
                None => self.last_in_database(&batch.session)?,
            };
            for event in &batch.events {
                rules::check_next(&batch.session, last, event)?;
                last = event.seq;
            }
            lasts.insert(batch.session.clone(), last);
        }
        Ok(lasts)
    }

    fn last_in_database(&mut self, session: &SessionId) -> Result<u64, StoreError> {
        let looked = catch_unwind(AssertUnwindSafe(|| {
            self.shared
                .with(|database| read::last_seq(database, session))
        }));
        let path = self.disk.path();
        let reason = match looked {
            Ok(Ok(Ok(last))) => return Ok(last),
            Ok(Err(reason)) | Ok(Ok(Err(read::ReadFault::Record(reason)))) => return Err(reason),
            Ok(Ok(Err(read::ReadFault::Database(error)))) => fault::explain(path, &error),
            Err(_) => fault::panicked(path),
        };
        self.reopen(&reason);
        Err(reason)
    }

    /// What is pending, and these batches behind it, in one transaction.
    fn write_through(&mut self, batches: &[Batch], quick_repair: bool) -> Result<(), StoreError> {
        let renames = !self.pending.is_empty() || self.key.is_none();
        let key = renames.then(AheadKey::fresh);
        let write = Write {
            pending: &self.pending,
            batches,
            key,
        };
        let (path, has_tables) = (self.disk.path(), self.has_tables);
        let work = |database: &Database| commit(path, database, has_tables, &write, quick_repair);
        let outcome = match self.shared.with(work) {
            Ok(outcome) => outcome,
            Err(reason) => Err(CommitFault::Refused(reason)),
        };
        match outcome {
            Ok(()) => {
                self.has_tables = true;
                self.unsealed = !quick_repair;
                self.taken_in(key);
                Ok(())
            }
            Err(CommitFault::Refused(reason)) => Err(reason),
            Err(CommitFault::Failed(reason)) => {
                self.reopen(&reason);
                Err(reason)
            }
            Err(CommitFault::Doubtful(reason)) => {
                let batches = batches.to_vec();
                self.doubtful = Some(Doubtful { batches, key });
                self.reopen(&reason);
                Err(reason)
            }
        }
    }

    /// All that was pending is in the database, which names this key if it is
    /// a new one.
    pub(super) fn taken_in(&mut self, key: Option<AheadKey>) {
        if let Some(key) = key {
            self.key = Some(key);
            if let Log::Ready(ahead) = &mut self.log {
                ahead.restart(key);
            }
        }
        self.pending.clear();
        self.lasts.clear();
        self.shared.set_behind(false);
    }
}

fn prepared(outcome: std::io::Result<Ahead>) -> Log {
    match outcome {
        Ok(ahead) => Log::Ready(ahead),
        Err(error) => {
            tracing::info!(%error, "the journal is written without a log ahead, which takes longer");
            Log::Without
        }
    }
}

/// The database panics over files that somebody else has changed, also when it
/// is closed.
pub(super) fn guarded<T>(
    path: &Path,
    work: impl FnOnce() -> Result<T, StoreError>,
) -> Result<T, StoreError> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| Err(fault::panicked(path)))
}
