//! A disk in memory that fails on demand, and loses power.
//!
//! It knows the difference between what was written and what was synced. What
//! was not synced when the power goes, or when a sync fails, reaches the disk
//! in part: any of the writes, and each of them torn at any sector.

use std::fmt;
use std::io::{Error, ErrorKind};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard};

use redb::{Builder, Database, DatabaseError, StorageBackend};

use super::disk::Disk;

const SECTOR: usize = 512;

/// Clones are the same disk.
#[derive(Clone)]
pub(super) struct FlakyDisk(Arc<Mutex<State>>);

struct State {
    /// What is there after a power cut.
    synced: Vec<u8>,
    /// What reads show.
    shown: Vec<u8>,
    /// What was written since the last sync.
    unsynced: Vec<Change>,
    trouble: Option<Trouble>,
    random: fastrand::Rng,
}

enum Change {
    Write(usize, Vec<u8>),
    Length(usize),
}

impl Change {
    fn apply(&self, bytes: &mut Vec<u8>) {
        match self {
            Change::Length(len) => bytes.resize(*len, 0),
            Change::Write(offset, new) => write(bytes, *offset, new),
        }
    }
}

/// A failure to come.
#[derive(Debug, Clone, Copy)]
pub(super) struct Trouble {
    /// Writes and syncs that still succeed.
    pub(super) after: u32,
    /// What the others fail with.
    pub(super) with: ErrorKind,
    /// Whether only one fails.
    pub(super) once: bool,
}

impl FlakyDisk {
    /// An empty disk. All chance on it comes from the seed.
    pub(super) fn new(seed: u64) -> FlakyDisk {
        FlakyDisk(Arc::new(Mutex::new(State {
            synced: Vec::new(),
            shown: Vec::new(),
            unsynced: Vec::new(),
            trouble: None,
            random: fastrand::Rng::with_seed(seed),
        })))
    }

    /// Lets it fail from some write or sync on.
    pub(super) fn trouble(&self, trouble: Trouble) {
        self.state().trouble = Some(trouble);
    }

    /// Lets it work again.
    pub(super) fn mend(&self) {
        self.state().trouble = None;
    }

    /// Cuts the power and turns it on again. No store may be open on it.
    pub(super) fn cut_power(&self) {
        let mut state = self.state();
        state.trouble = None;
        state.lose_unsynced();
        state.shown = state.synced.clone();
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap()
    }

    fn open(&self) -> Result<Database, DatabaseError> {
        Builder::new()
            .set_cache_size(1 << 20)
            .create_with_backend(self.clone())
    }
}

impl State {
    /// Counts a write or a sync, and fails it when its time has come.
    fn count(&mut self) -> Result<(), Error> {
        let Some(trouble) = &mut self.trouble else {
            return Ok(());
        };
        if trouble.after > 0 {
            trouble.after -= 1;
            return Ok(());
        }
        let error = Error::from(trouble.with);
        if trouble.once {
            self.trouble = None;
        }
        Err(error)
    }

    fn lose_unsynced(&mut self) {
        for change in std::mem::take(&mut self.unsynced) {
            match change {
                Change::Length(len) if self.random.bool() => self.synced.resize(len, 0),
                Change::Length(_) => {}
                Change::Write(offset, bytes) => self.write_torn(offset, &bytes),
            }
        }
    }

    fn write_torn(&mut self, offset: usize, bytes: &[u8]) {
        let fate = self.random.u8(0..3);
        for (number, sector) in bytes.chunks(SECTOR).enumerate() {
            let arrives = match fate {
                0 => true,
                1 => false,
                _ => self.random.bool(),
            };
            if arrives {
                write(&mut self.synced, offset + number * SECTOR, sector);
            }
        }
    }
}

fn write(bytes: &mut Vec<u8>, offset: usize, new: &[u8]) {
    let end = offset + new.len();
    if bytes.len() < end {
        bytes.resize(end, 0);
    }
    bytes[offset..end].copy_from_slice(new);
}

impl Disk for FlakyDisk {
    fn create(&self) -> Result<Database, DatabaseError> {
        self.open()
    }

    /// As Linux does when its cache is dropped: what waits to be written is
    /// still shown, what a failed sync has lost no longer is.
    fn reopen(&self) -> Result<Database, DatabaseError> {
        let mut guard = self.state();
        let state = &mut *guard;
        state.shown = state.synced.clone();
        for change in &state.unsynced {
            change.apply(&mut state.shown);
        }
        drop(guard);
        self.open()
    }

    fn len(&self) -> u64 {
        self.state().shown.len() as u64
    }

    fn path(&self) -> &Path {
        Path::new("/flaky/journal.redb")
    }
}

impl StorageBackend for FlakyDisk {
    fn len(&self) -> Result<u64, Error> {
        Ok(self.state().shown.len() as u64)
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> Result<(), Error> {
        let state = self.state();
        let offset = offset as usize;
        let Some(found) = state.shown.get(offset..offset + out.len()) else {
            return Err(Error::from(ErrorKind::UnexpectedEof));
        };
        out.copy_from_slice(found);
        Ok(())
    }

    fn set_len(&self, len: u64) -> Result<(), Error> {
        let mut state = self.state();
        state.count()?;
        state.shown.resize(len as usize, 0);
        state.unsynced.push(Change::Length(len as usize));
        Ok(())
    }

    fn write(&self, offset: u64, data: &[u8]) -> Result<(), Error> {
        let mut state = self.state();
        state.count()?;
        write(&mut state.shown, offset as usize, data);
        let change = Change::Write(offset as usize, data.to_vec());
        state.unsynced.push(change);
        Ok(())
    }

    fn sync_data(&self) -> Result<(), Error> {
        let mut state = self.state();
        if let Err(error) = state.count() {
            state.lose_unsynced();
            return Err(error);
        }
        // Only what is known to be unsynced is written: what a failed sync has
        // lost stays lost, however long it is still shown.
        for change in std::mem::take(&mut state.unsynced) {
            change.apply(&mut state.synced);
        }
        Ok(())
    }
}

impl fmt::Debug for FlakyDisk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("FlakyDisk")
    }
}
