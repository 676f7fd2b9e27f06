//! A disk in memory, with the files of one journal, that fails on demand and
//! loses power.
//!
//! It knows the difference between what was written and what was synced. What
//! was not synced when the power goes, or when a sync fails, reaches the disk
//! in part: any of the writes, and each of them torn at any sector.

use std::fmt;
use std::io::{Error, ErrorKind};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard};

use redb::{Builder, Database, DatabaseError, StorageBackend};

use super::ahead::AheadFile;
use super::disk::Disk;

const SECTOR: usize = 512;

/// Clones are the same disk.
#[derive(Clone)]
pub(super) struct FlakyDisk(Arc<Mutex<State>>);

/// One of its files.
#[derive(Clone)]
struct FlakyFile {
    disk: FlakyDisk,
    which: Which,
}

#[derive(Clone, Copy)]
enum Which {
    Database,
    Ahead,
}

struct State {
    database: Platter,
    ahead: Platter,
    /// Whether the log's file was made.
    has_ahead: bool,
    trouble: Option<Trouble>,
    random: fastrand::Rng,
}

/// What a file holds.
#[derive(Default)]
struct Platter {
    /// What is there after a power cut.
    synced: Vec<u8>,
    /// What reads show.
    shown: Vec<u8>,
    /// What was written since the last sync.
    unsynced: Vec<Change>,
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
            database: Platter::default(),
            ahead: Platter::default(),
            has_ahead: false,
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

    /// What the database and the log show.
    pub(super) fn shown(&self) -> (Vec<u8>, Vec<u8>) {
        let state = self.state();
        (state.database.shown.clone(), state.ahead.shown.clone())
    }

    /// Cuts the power and turns it on again. No store may be open on it.
    pub(super) fn cut_power(&self) {
        let mut guard = self.state();
        let state = &mut *guard;
        state.trouble = None;
        for platter in [&mut state.database, &mut state.ahead] {
            platter.lose_unsynced(&mut state.random);
            platter.shown = platter.synced.clone();
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap()
    }

    fn file(&self, which: Which) -> FlakyFile {
        FlakyFile {
            disk: self.clone(),
            which,
        }
    }

    fn open(&self) -> Result<Database, DatabaseError> {
        Builder::new()
            .set_cache_size(1 << 20)
            .create_with_backend(self.file(Which::Database))
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

    fn platter(&mut self, which: Which) -> &mut Platter {
        match which {
            Which::Database => &mut self.database,
            Which::Ahead => &mut self.ahead,
        }
    }
}

impl Platter {
    fn lose_unsynced(&mut self, random: &mut fastrand::Rng) {
        for change in std::mem::take(&mut self.unsynced) {
            match change {
                Change::Length(len) if random.bool() => self.synced.resize(len, 0),
                Change::Length(_) => {}
                Change::Write(offset, bytes) => self.write_torn(offset, &bytes, random),
            }
        }
    }

    fn write_torn(&mut self, offset: usize, bytes: &[u8], random: &mut fastrand::Rng) {
        let fate = random.u8(0..3);
        for (number, sector) in bytes.chunks(SECTOR).enumerate() {
            let arrives = match fate {
                0 => true,
                1 => false,
                _ => random.bool(),
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
        let platter = &mut guard.database;
        platter.shown = platter.synced.clone();
        for change in &platter.unsynced {
            change.apply(&mut platter.shown);
        }
        drop(guard);
        self.open()
    }

    fn ahead(&self, make: bool) -> std::io::Result<Option<Box<dyn AheadFile>>> {
        let mut state = self.state();
        state.has_ahead |= make;
        let has_ahead = state.has_ahead;
        drop(state);
        Ok(has_ahead.then(|| Box::new(self.file(Which::Ahead)) as Box<dyn AheadFile>))
    }

    fn len(&self) -> u64 {
        self.state().database.shown.len() as u64
    }

    fn path(&self) -> &Path {
        Path::new("/flaky/journal.redb")
    }
}

impl FlakyFile {
    fn length(&self) -> u64 {
        self.disk.state().platter(self.which).shown.len() as u64
    }

    fn read_at(&self, offset: u64, out: &mut [u8]) -> Result<(), Error> {
        let mut state = self.disk.state();
        let offset = offset as usize;
        let shown = &state.platter(self.which).shown;
        let Some(found) = shown.get(offset..offset + out.len()) else {
            return Err(Error::from(ErrorKind::UnexpectedEof));
        };
        out.copy_from_slice(found);
        Ok(())
    }

    fn change(&self, change: Change) -> Result<(), Error> {
        let mut state = self.disk.state();
        state.count()?;
        let platter = state.platter(self.which);
        change.apply(&mut platter.shown);
        platter.unsynced.push(change);
        Ok(())
    }

    fn sync_all(&self) -> Result<(), Error> {
        let mut guard = self.disk.state();
        let state = &mut *guard;
        let failed = state.count();
        let platter = match self.which {
            Which::Database => &mut state.database,
            Which::Ahead => &mut state.ahead,
        };
        if failed.is_err() {
            platter.lose_unsynced(&mut state.random);
            return failed;
        }
        // Only what is known to be unsynced is written: what a failed sync has
        // lost stays lost, however long it is still shown.
        for change in std::mem::take(&mut platter.unsynced) {
            change.apply(&mut platter.synced);
        }
        Ok(())
    }
}

impl StorageBackend for FlakyFile {
    fn len(&self) -> Result<u64, Error> {
        Ok(self.length())
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> Result<(), Error> {
        self.read_at(offset, out)
    }

    fn set_len(&self, len: u64) -> Result<(), Error> {
        self.change(Change::Length(len as usize))
    }

    fn write(&self, offset: u64, data: &[u8]) -> Result<(), Error> {
        self.change(Change::Write(offset as usize, data.to_vec()))
    }

    fn sync_data(&self) -> Result<(), Error> {
        self.sync_all()
    }
}

impl AheadFile for FlakyFile {
    fn len(&self) -> Result<u64, Error> {
        Ok(self.length())
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> Result<(), Error> {
        self.read_at(offset, out)
    }

    fn write(&self, offset: u64, bytes: &[u8]) -> Result<(), Error> {
        self.change(Change::Write(offset as usize, bytes.to_vec()))
    }

    fn sync(&self) -> Result<(), Error> {
        self.sync_all()
    }
}

impl fmt::Debug for FlakyFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("FlakyFile")
    }
}
