//! The open database, between the thread that writes and those that read.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{PoisonError, RwLock, RwLockReadGuard};

use greenroom_actors::ports::StoreError;
use redb::Database;

/// The database or the reason why there is none. Whoever uses it keeps it from
/// being closed meanwhile; only the writer closes it, to open it anew.
pub(super) struct Shared {
    slot: RwLock<Slot>,
    /// Some of what was acknowledged is not in the database yet.
    behind: AtomicBool,
}

enum Slot {
    Open(Box<Database>),
    Without(StoreError),
}

impl Shared {
    /// With an open database.
    pub(super) fn new(database: Database) -> Shared {
        Shared {
            slot: RwLock::new(Slot::Open(Box::new(database))),
            behind: AtomicBool::new(false),
        }
    }

    /// Uses the database. Fails with the reason when there is none. Blocks
    /// while the writer opens it anew: not for a runtime's own threads.
    pub(super) fn with<R>(&self, work: impl FnOnce(&Database) -> R) -> Result<R, StoreError> {
        match &*self.read() {
            Slot::Open(database) => Ok(work(database)),
            Slot::Without(reason) => Err(reason.clone()),
        }
    }

    /// True while there is a database.
    pub(super) fn is_open(&self) -> bool {
        matches!(&*self.read(), Slot::Open(_))
    }

    /// Whether the writer must be asked to bring the database up to date
    /// before it is read.
    pub(super) fn is_behind(&self) -> bool {
        self.behind.load(Ordering::Acquire)
    }

    /// The writer says whether something is only in the log ahead.
    pub(super) fn set_behind(&self, behind: bool) {
        self.behind.store(behind, Ordering::Release);
    }

    /// Closes the database, when all who use it have ended. The next ones get
    /// the reason.
    pub(super) fn close(&self, reason: StoreError) {
        *self.slot.write().unwrap_or_else(PoisonError::into_inner) = Slot::Without(reason);
    }

    /// Puts a database in the place of the closed one.
    pub(super) fn open(&self, database: Database) {
        let slot = Slot::Open(Box::new(database));
        *self.slot.write().unwrap_or_else(PoisonError::into_inner) = slot;
    }

    /// The slot is always whole: a holder's panic changes nothing of it.
    fn read(&self) -> RwLockReadGuard<'_, Slot> {
        self.slot.read().unwrap_or_else(PoisonError::into_inner)
    }
}
