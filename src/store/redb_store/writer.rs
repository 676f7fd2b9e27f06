//! The one thread that writes.
//!
//! Commits. Redb can commit in two ways. The plain one syncs the file once,
//! and after a crash all pages are read to find the last whole commit. A
//! "quick-repair" commit syncs twice and writes more, and after it nothing
//! needs to be read. Somebody waits for each commit, so commits are plain while
//! the file is small enough that reading it takes no time, and when nothing
//! was written for a moment, an empty quick-repair commit seals the file.
//! Then a crash costs milliseconds at the next start, whenever it comes.
//!
//! Failures. After a failed write redb refuses to go on until it is opened
//! anew, and the commit in question may have taken place. The thread opens the
//! file anew, takes the doubtful events out if they are there, and goes on; as
//! long as that fails it tries again with the next append, and once a second.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::time::Duration;

use greenroom_actors::ports::{Batch, StoreError};
use redb::Database;
use tokio::sync::{OwnedSemaphorePermit, oneshot};

use super::append::{self, AppendFault};
use super::disk::Disk;
use super::schema::{self, Found};
use super::shared::Shared;
use super::{fault, lock::Lock};

/// When what is not a plain commit is done.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pace {
    /// How long nothing must be written before the file is sealed.
    pub(super) quiet: Duration,
    /// How often a broken file is tried anew.
    pub(super) retry: Duration,
    /// From this length on, in bytes, every commit is a quick-repair one.
    pub(super) large: u64,
}

impl Default for Pace {
    /// Reading all pages of a file takes some 2.5 ms a megabyte.
    fn default() -> Pace {
        Pace {
            quiet: Duration::from_secs(1),
            retry: Duration::from_secs(1),
            large: 128 << 20,
        }
    }
}

/// What the thread is asked.
pub(super) enum Request {
    /// To append.
    Append(Append),
    /// To end. What was asked before is done before, and what is given here
    /// is dropped when the file is closed and free.
    Close(Sender<()>),
}

/// One append.
pub(super) struct Append {
    pub(super) batches: Vec<Batch>,
    pub(super) done: oneshot::Sender<Result<(), StoreError>>,
    /// The append's place in the queue, free again when it is done.
    pub(super) _place: OwnedSemaphorePermit,
}

/// The thread's state.
pub(super) struct Writer {
    pace: Pace,
    disk: Box<dyn Disk>,
    shared: Arc<Shared>,
    requests: Receiver<Request>,
    /// Whether the file has our tables.
    has_tables: bool,
    /// Whether a crash now would cost a look at all pages.
    unsealed: bool,
    /// What a failed commit may have written.
    doubtful: Vec<Batch>,
    /// Released after the database is closed.
    _lock: Option<Lock>,
}

/// Why a commit did not take place, or not for sure.
enum CommitFault {
    Refused(StoreError),
    /// Nothing was written.
    Failed(StoreError),
    /// Something may have been written.
    Doubtful(StoreError),
}

impl Writer {
    pub(super) fn new(
        pace: Pace,
        disk: Box<dyn Disk>,
        shared: Arc<Shared>,
        requests: Receiver<Request>,
        found: Found,
        lock: Option<Lock>,
    ) -> Writer {
        Writer {
            pace,
            disk,
            shared,
            requests,
            has_tables: found == Found::Ours,
            unsealed: false,
            doubtful: Vec::new(),
            _lock: lock,
        }
    }

    /// Serves until it is asked to end or nobody is left who could ask.
    pub(super) fn run(mut self) {
        let waiting = loop {
            match self.next_request() {
                Ok(Request::Append(append)) => self.serve(append),
                Err(RecvTimeoutError::Timeout) => self.use_quiet(),
                Ok(Request::Close(waiting)) => break Some(waiting),
                Err(RecvTimeoutError::Disconnected) => break None,
            }
        };
        self.shared.close(fault::closed(self.disk.path()));
        drop(self);
        drop(waiting);
    }

    fn next_request(&self) -> Result<Request, RecvTimeoutError> {
        if !self.shared.is_open() {
            return self.requests.recv_timeout(self.pace.retry);
        }
        if self.unsealed {
            return self.requests.recv_timeout(self.pace.quiet);
        }
        self.requests
            .recv()
            .map_err(|_| RecvTimeoutError::Disconnected)
    }

    fn serve(&mut self, append: Append) {
        let outcome = self.append(append.batches);
        // Nobody waits any more when the append's future was dropped: what was
        // written stays written.
        let _ = append.done.send(outcome);
    }

    fn append(&mut self, batches: Vec<Batch>) -> Result<(), StoreError> {
        if batches.iter().all(|batch| batch.events.is_empty()) {
            return Ok(());
        }
        if !self.shared.is_open() {
            self.recover()?;
        }
        match self.commit(&batches) {
            Ok(()) => Ok(()),
            Err(CommitFault::Refused(reason)) => Err(reason),
            Err(CommitFault::Failed(reason)) => {
                self.reopen(&reason);
                Err(reason)
            }
            Err(CommitFault::Doubtful(reason)) => {
                self.doubtful = batches;
                self.reopen(&reason);
                Err(reason)
            }
        }
    }

    fn commit(&mut self, batches: &[Batch]) -> Result<(), CommitFault> {
        let quick_repair = self.disk.len() >= self.pace.large;
        let has_tables = self.has_tables;
        let path = self.disk.path();
        let mut committing = false;
        let work = |database: &Database| -> Result<(), AppendFault> {
            let mut transaction = database.begin_write()?;
            transaction.set_quick_repair(quick_repair);
            if !has_tables {
                schema::create(&transaction)?;
            }
            append::write(&transaction, batches)?;
            committing = true;
            transaction.commit()?;
            Ok(())
        };
        let outcome = catch_unwind(AssertUnwindSafe(|| self.shared.with(work)));
        let reason = match outcome {
            Ok(Ok(Ok(()))) => {
                self.has_tables = true;
                self.unsealed = !quick_repair;
                return Ok(());
            }
            Ok(Ok(Err(AppendFault::Refused(reason)))) | Ok(Err(reason)) => {
                return Err(CommitFault::Refused(reason));
            }
            Ok(Ok(Err(AppendFault::Database(error)))) => fault::explain(path, &error),
            Err(_) => fault::panicked(path),
        };
        Err(if committing {
            CommitFault::Doubtful(reason)
        } else {
            CommitFault::Failed(reason)
        })
    }

    /// Closes the database after a failure, and tries to open it anew.
    fn reopen(&mut self, reason: &StoreError) {
        tracing::warn!(error = %reason, "a write to the journal failed");
        self.shared.close(reason.clone());
        if let Err(error) = self.recover() {
            tracing::warn!(%error, "the journal cannot be opened anew yet");
        }
    }

    /// Opens the closed database anew, without what a failed commit may have
    /// left in it.
    fn recover(&mut self) -> Result<(), StoreError> {
        let path = self.disk.path();
        let doubtful = &self.doubtful;
        let had_tables = self.has_tables;
        let work = || -> Result<(Database, Found), redb::Error> {
            let database = self.disk.reopen()?;
            let found = schema::inspect(&database)?;
            if had_tables && found != Found::Ours {
                let lost = "it no longer holds the journals that it held".to_owned();
                return Err(redb::Error::Corrupted(lost));
            }
            if found == Found::Ours && !doubtful.is_empty() {
                take_out(&database, doubtful)?;
            }
            Ok((database, found))
        };
        let recovered = match catch_unwind(AssertUnwindSafe(work)) {
            Ok(recovered) => recovered.map_err(|error| fault::explain(path, &error)),
            Err(_) => Err(fault::panicked(path)),
        };
        let (database, found) =
            recovered.inspect_err(|reason| self.shared.close(reason.clone()))?;
        self.shared.open(database);
        self.has_tables = found == Found::Ours;
        self.unsealed = true;
        self.doubtful.clear();
        tracing::info!(path = %path.display(), "the journal is open again");
        Ok(())
    }

    /// Nothing was asked for a while.
    fn use_quiet(&mut self) {
        if !self.shared.is_open() {
            // The reason stands in the log and in the answer to the append
            // that failed.
            let _ = self.recover();
            return;
        }
        self.unsealed = false;
        let path = self.disk.path();
        let sealed = catch_unwind(AssertUnwindSafe(|| self.shared.with(seal)));
        let reason = match sealed {
            Ok(Ok(Ok(()))) | Ok(Err(_)) => return,
            Ok(Ok(Err(error))) => fault::explain(path, &error),
            Err(_) => fault::panicked(path),
        };
        self.reopen(&reason);
    }
}

/// An empty commit, after which a crash costs nothing.
fn seal(database: &Database) -> Result<(), redb::Error> {
    let mut transaction = database.begin_write()?;
    transaction.set_quick_repair(true);
    transaction.commit()?;
    Ok(())
}

fn take_out(database: &Database, doubtful: &[Batch]) -> Result<(), redb::Error> {
    let mut transaction = database.begin_write()?;
    transaction.set_quick_repair(true);
    if append::undo(&transaction, doubtful)? {
        transaction.commit()?;
    }
    Ok(())
}
