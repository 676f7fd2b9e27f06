//! The port: requests go to the writing thread, reads to the runtime's
//! blocking threads.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use greenroom_actors::ports::{Batch, Store, StoreError, StoredSession, Work};
use greenroom_protocol::session::{Event, SessionId, SessionListing, Text};
use redb::Database;
use tokio::sync::{Semaphore, oneshot};

use super::disk::{Disk, FileDisk};
use super::fault;
use super::keeper::Keeper;
use super::lock::Lock;
use super::read::{self, ReadFault};
use super::schema::{self, Found};
use super::shared::Shared;
use super::writer::{Append, Pace, Request, Settle, Writer};

/// Appends that may wait for the writing thread; more of them wait in their
/// own futures.
const QUEUE: usize = 64;
/// How long the end of a store waits for the writing thread.
const CLOSING: Duration = Duration::from_secs(5);

/// What may be set of a store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RedbSettings {
    /// Memory that the database's cache may take, in bytes. By default 16 MiB.
    pub cache_bytes: usize,
}

impl Default for RedbSettings {
    fn default() -> RedbSettings {
        RedbSettings {
            cache_bytes: 16 << 20,
        }
    }
}

/// Journals in one file, which one process owns until the store is dropped.
///
/// Its futures need a tokio runtime. They wait for a thread of the system, so
/// that a test under a paused clock takes `MemoryStore` instead: there the
/// clock would run ahead meanwhile.
pub struct RedbStore {
    path: PathBuf,
    shared: Arc<Shared>,
    requests: mpsc::Sender<Request>,
    places: Arc<Semaphore>,
}

impl RedbStore {
    /// Opens the journal file `path` (`journal.redb` in the state folder). It
    /// is made when it is not there, for its owner alone (0600), with its
    /// folders (0700). `journal.lock` beside it is held until the store is
    /// dropped.
    ///
    /// Fails, naming the next step, when another process holds the journal,
    /// when the file is not ours or of a later build, and when the file system
    /// refuses.
    pub fn open(path: &Path, settings: RedbSettings) -> Result<RedbStore, StoreError> {
        let disk = FileDisk::new(path, settings.cache_bytes)
            .map_err(|error| fault::explain(path, &error.into()))?;
        let lock = Lock::take(path)?;
        RedbStore::start(Box::new(disk), Some(lock), Pace::default())
    }

    /// Starts a store on any disk.
    pub(super) fn start(
        disk: Box<dyn Disk>,
        lock: Option<Lock>,
        pace: Pace,
    ) -> Result<RedbStore, StoreError> {
        let (database, found) = open_database(&*disk)?;
        let keeper = Keeper::open(pace, disk, database, found)?;
        let path = keeper.path().to_owned();
        let shared = keeper.shared().clone();
        let (requests, received) = mpsc::channel();
        let writer = Writer::new(pace, keeper, received, lock);
        let thread = thread::Builder::new().name("journal".to_owned());
        thread.spawn(move || writer.run()).map_err(|error| StoreError {
            message: format!("the journal's thread cannot be started ({error}): raise the limit of threads and try again"),
        })?;
        Ok(RedbStore {
            path,
            shared,
            requests,
            places: Arc::new(Semaphore::new(QUEUE)),
        })
    }

    /// Waits until all that was acknowledged before can be read.
    fn settle(&self) -> Work<Result<(), StoreError>> {
        let path = self.path.clone();
        let places = self.places.clone();
        let requests = self.requests.clone();
        let shared = self.shared.clone();
        Box::pin(async move {
            if !shared.is_behind() {
                return Ok(());
            }
            let closed = || fault::closed(&path);
            let _place = places.acquire_owned().await.map_err(|_| closed())?;
            let (done, settled) = oneshot::channel();
            let settle = Settle { done, _place };
            requests
                .send(Request::Settle(settle))
                .map_err(|_| closed())?;
            settled.await.map_err(|_| closed())?
        })
    }

    /// Reads on a blocking thread.
    fn read<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Database) -> Result<T, ReadFault> + Send + 'static,
    ) -> Work<Result<T, StoreError>> {
        let shared = self.shared.clone();
        let path = self.path.clone();
        let settled = self.settle();
        Box::pin(async move {
            settled.await?;
            let reading = tokio::task::spawn_blocking(move || shared.with(work));
            match reading.await {
                Ok(Ok(Ok(found))) => Ok(found),
                Ok(Ok(Err(ReadFault::Record(reason)))) | Ok(Err(reason)) => Err(reason),
                Ok(Ok(Err(ReadFault::Database(error)))) => Err(fault::explain(&path, &error)),
                Err(stopped) if stopped.is_panic() => Err(fault::panicked(&path)),
                Err(_) => Err(fault::closed(&path)),
            }
        })
    }
}

impl Store for RedbStore {
    /// Nothing is asked before the future is first polled. Dropped later, all
    /// of it is written or nothing.
    fn append(&self, batches: Vec<Batch>) -> Work<Result<(), StoreError>> {
        let path = self.path.clone();
        let places = self.places.clone();
        let requests = self.requests.clone();
        Box::pin(async move {
            let closed = || fault::closed(&path);
            let place = places.acquire_owned().await.map_err(|_| closed())?;
            let (done, outcome) = oneshot::channel();
            let append = Append {
                batches,
                done,
                _place: place,
            };
            requests
                .send(Request::Append(append))
                .map_err(|_| closed())?;
            outcome.await.map_err(|_| closed())?
        })
    }

    fn load(&self, session: SessionId) -> Work<Result<Option<StoredSession>, StoreError>> {
        self.read(move |database| read::load(database, &session))
    }

    fn page(&self, session: SessionId, after: u64) -> Work<Result<Vec<Event>, StoreError>> {
        self.read(move |database| read::page(database, &session, after))
    }

    fn list(&self, root: Option<Text>) -> Work<Result<Vec<SessionListing>, StoreError>> {
        self.read(move |database| read::list(database, root.as_ref()))
    }

    fn is_durable(&self, _: &SessionId) -> bool {
        true
    }
}

impl Drop for RedbStore {
    /// Waits until the file is closed and free for the next process, some
    /// milliseconds; a hanging disk is left alone after 5 seconds.
    fn drop(&mut self) {
        let (end, ended) = mpsc::channel();
        if self.requests.send(Request::Close(end)).is_ok() {
            // Nothing is ever sent: the wait ends when the thread drops its
            // end, as the last thing that it does.
            let _ = ended.recv_timeout(CLOSING);
        }
    }
}

fn open_database(disk: &dyn Disk) -> Result<(Database, Found), StoreError> {
    let path = disk.path();
    let work = || -> Result<(Database, Found), redb::Error> {
        let database = disk.create()?;
        let found = schema::inspect(&database)?;
        Ok((database, found))
    };
    let opened = match catch_unwind(AssertUnwindSafe(work)) {
        Ok(opened) => opened.map_err(|error| fault::explain(path, &error))?,
        Err(_) => return Err(fault::panicked(path)),
    };
    let refusal = match opened.1 {
        Found::Empty | Found::Ours => return Ok(opened),
        Found::Version(version) => format!(
            "the journal {} has layout version {version} and this build reads version 1: use the build that made it, or a later one",
            path.display()
        ),
        Found::Foreign => format!("{} is not a journal: name another file", path.display()),
    };
    Err(StoreError { message: refusal })
}
