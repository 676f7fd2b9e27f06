//! The one thread that writes.
//!
//! Commits. Redb can commit in two ways. The plain one syncs the file once,
//! and after a crash all pages are read to find the last whole commit. A
//! "quick-repair" commit syncs twice and writes more, and after it nothing
//! needs to be read. Checkpoints, for which nobody waits, are of the second
//! kind. An append that goes into the database at once is plain while the file
//! is small enough that reading it takes no time, and when nothing was written
//! for a moment, an empty quick-repair commit seals the file. So a crash costs
//! milliseconds at the next start, whenever it comes.
//!
//! Failures. After a failed write redb refuses to go on until it is opened
//! anew, and the commit in question may have taken place. The thread opens the
//! file anew, takes the doubtful events out if they are there, and goes on; as
//! long as that fails it tries again with the next append, and once a second.

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::time::Duration;

use greenroom_actors::ports::{Batch, StoreError};
use tokio::sync::{OwnedSemaphorePermit, oneshot};

use super::keeper::Keeper;
use super::lock::Lock;

/// When what is not a plain write is done.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pace {
    /// How long nothing must be written before the database is brought up to
    /// date and sealed.
    pub(super) quiet: Duration,
    /// How often a broken file is tried anew.
    pub(super) retry: Duration,
    /// From this length on, in bytes, every commit is a quick-repair one.
    pub(super) large: u64,
    /// The length of the log ahead, in bytes; 0 does without.
    pub(super) ahead: u64,
}

impl Default for Pace {
    /// Reading all pages of a file takes some 2.5 ms a megabyte; taking in a
    /// full log some 10 ms.
    fn default() -> Pace {
        Pace {
            quiet: Duration::from_secs(1),
            retry: Duration::from_secs(1),
            large: 128 << 20,
            ahead: 1 << 20,
        }
    }
}

/// What the thread is asked.
pub(super) enum Request {
    /// To append.
    Append(Append),
    /// To bring the database up to date: somebody wants to read.
    Settle(Settle),
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

/// Somebody who wants to read.
pub(super) struct Settle {
    pub(super) done: oneshot::Sender<Result<(), StoreError>>,
    pub(super) _place: OwnedSemaphorePermit,
}

/// The thread's state.
pub(super) struct Writer {
    pace: Pace,
    keeper: Keeper,
    requests: Receiver<Request>,
    /// Released after the database is closed.
    _lock: Option<Lock>,
}

impl Writer {
    pub(super) fn new(
        pace: Pace,
        keeper: Keeper,
        requests: Receiver<Request>,
        lock: Option<Lock>,
    ) -> Writer {
        Writer {
            pace,
            keeper,
            requests,
            _lock: lock,
        }
    }

    /// Serves until it is asked to end or nobody is left who could ask.
    pub(super) fn run(mut self) {
        let waiting = loop {
            match self.next_request() {
                Ok(Request::Append(append)) => self.serve(append),
                Ok(Request::Settle(settle)) => {
                    let _ = settle.done.send(self.keeper.checkpoint());
                }
                Err(RecvTimeoutError::Timeout) => self.keeper.use_quiet(),
                Ok(Request::Close(waiting)) => break Some(waiting),
                Err(RecvTimeoutError::Disconnected) => break None,
            }
        };
        self.keeper.close();
        drop(self);
        drop(waiting);
    }

    fn next_request(&self) -> Result<Request, RecvTimeoutError> {
        if !self.keeper.shared().is_open() {
            return self.requests.recv_timeout(self.pace.retry);
        }
        if self.keeper.has_chores() {
            return self.requests.recv_timeout(self.pace.quiet);
        }
        self.requests
            .recv()
            .map_err(|_| RecvTimeoutError::Disconnected)
    }

    fn serve(&mut self, append: Append) {
        let outcome = self.keeper.append(append.batches);
        // Nobody waits any more when the append's future was dropped: what was
        // written stays written.
        let _ = append.done.send(outcome);
        self.keeper.prepare();
    }
}
