//! The files under the database.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use redb::backends::FileBackend;
use redb::{Builder, Database, DatabaseError};
use rustix::fs::OFlags;

use super::ahead::AheadFile;

/// Where a database lives. There is one of these in the daemon; tests have
/// another that fails on demand.
pub(super) trait Disk: Send + 'static {
    /// Opens the database, which is made when it is not there.
    fn create(&self) -> Result<Database, DatabaseError>;

    /// Opens the database that was there before.
    fn reopen(&self) -> Result<Database, DatabaseError>;

    /// The file of the log ahead, which is made when it is asked for and not
    /// there.
    fn ahead(&self, make: bool) -> io::Result<Option<Box<dyn AheadFile>>>;

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

    fn ahead(&self, make: bool) -> io::Result<Option<Box<dyn AheadFile>>> {
        let path = self.path.with_extension("ahead");
        let is_new = !path.try_exists()?;
        if is_new && !make {
            return Ok(None);
        }
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(make).mode(0o600);
        // Nothing but a regular file is written over, nor waited for.
        let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
        options.custom_flags(flags.bits().cast_signed());
        let file = options.open(&path)?;
        if !file.metadata()?.is_file() {
            return Err(io::Error::other("it is not a regular file"));
        }
        if is_new && let Some(folder) = folder_of(&path) {
            File::open(folder)?.sync_all()?;
        }
        Ok(Some(Box::new(file)))
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
