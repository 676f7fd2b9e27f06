//! The file under the database.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use redb::backends::FileBackend;
use redb::{Builder, Database, DatabaseError};

/// Where a database lives. There is one of these in the daemon; tests have
/// another that fails on demand.
pub(super) trait Disk: Send + 'static {
    /// Opens the database, which is made when it is not there.
    fn create(&self) -> Result<Database, DatabaseError>;

    /// Opens the database that was there before.
    fn reopen(&self) -> Result<Database, DatabaseError>;

    /// How many bytes the database takes.
    fn len(&self) -> u64;

    /// Where it is, for messages.
    fn path(&self) -> &Path;
}

/// A file of the file system, readable for its owner alone.
pub(super) struct FileDisk {
    path: PathBuf,
    cache_bytes: usize,
}

impl FileDisk {
    /// Makes the folder of `path` (0700), with those above it.
    pub(super) fn new(path: &Path, cache_bytes: usize) -> io::Result<FileDisk> {
        if let Some(folder) = folder_of(path) {
            DirBuilder::new()
                .recursive(true)
                .mode(0o700)
                .create(folder)?;
        }
        Ok(FileDisk {
            path: path.to_owned(),
            cache_bytes,
        })
    }

    fn open(&self, options: &OpenOptions) -> Result<Database, DatabaseError> {
        let file = options.open(&self.path)?;
        Builder::new()
            .set_cache_size(self.cache_bytes)
            .create_with_backend(FileBackend::new(file)?)
    }
}

impl Disk for FileDisk {
    fn create(&self) -> Result<Database, DatabaseError> {
        let is_new = self.len() == 0;
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).mode(0o600);
        let database = self.open(&options)?;
        if is_new && let Some(folder) = folder_of(&self.path) {
            // Else a power cut could take the file's name, with all that was
            // acknowledged in it.
            File::open(folder)?.sync_all()?;
        }
        Ok(database)
    }

    fn reopen(&self) -> Result<Database, DatabaseError> {
        let mut options = OpenOptions::new();
        options.read(true).write(true);
        forget_cached(&self.path)?;
        self.open(&options)
    }

    fn len(&self) -> u64 {
        std::fs::metadata(&self.path).map_or(0, |metadata| metadata.len())
    }

    fn path(&self) -> &Path {
        &self.path
    }
}

/// The folder that holds `path`; nothing when there is none to make.
fn folder_of(path: &Path) -> Option<&Path> {
    path.parent()
        .filter(|folder| !folder.as_os_str().is_empty())
}

/// After a failed sync, Linux shows the pages that it could not write as if it
/// had. Dropped from its cache, they are read again as the disk has them, and
/// the database finds its last whole commit.
#[cfg(target_os = "linux")]
fn forget_cached(path: &Path) -> io::Result<()> {
    let file = File::open(path)?;
    rustix::fs::fadvise(&file, 0, None, rustix::fs::Advice::DontNeed)?;
    Ok(())
}

#[cfg(not(target_os = "linux"))]
fn forget_cached(_: &Path) -> io::Result<()> {
    Ok(())
}
