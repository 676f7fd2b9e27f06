//! Files opened and replaced so that nothing but a regular file is touched, and
//! no link is followed: the paths come resolved from [`super::paths`], so a
//! link on the way means that somebody swapped something.

mod replace;

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::Read;
use std::os::fd::OwnedFd;
use std::path::Path;

use rustix::fs::{AtFlags, CWD, FileType, Mode, OFlags, ResolveFlags, Stat};
use rustix::io::Errno;
use thiserror::Error;

pub(super) use replace::Expected;

/// Why a file is not opened or written. The words go after the file's name.
#[derive(Debug, Error)]
pub(super) enum DiskFault {
    /// Nothing is there.
    #[error("does not exist")]
    Missing,
    /// It is a folder.
    #[error("is a folder")]
    Folder,
    /// It is a device, a socket, a pipe.
    #[error("is a {0}, not a regular file")]
    Special(&'static str),
    /// A link came to be on the path.
    #[error("leads elsewhere than when the call was planned: a link was put in its way")]
    Moved,
    /// Its content is not what it was expected to be.
    #[error("changed on disk since the call was planned")]
    Changed,
    /// Its mode forbids writing.
    #[error("is read-only")]
    ReadOnly,
    /// Nobody waits for the work any more.
    #[error("was left alone: the call was stopped")]
    Stopped,
    /// The system says no.
    #[error("cannot be used: {0}")]
    System(std::io::Error),
}

impl From<Errno> for DiskFault {
    fn from(errno: Errno) -> DiskFault {
        match errno {
            Errno::NOENT => DiskFault::Missing,
            Errno::LOOP => DiskFault::Moved,
            other => DiskFault::System(other.into()),
        }
    }
}

impl From<std::io::Error> for DiskFault {
    fn from(error: std::io::Error) -> DiskFault {
        match Errno::from_io_error(&error) {
            Some(errno) => errno.into(),
            None => DiskFault::System(error),
        }
    }
}

/// Opens a regular file for reading; never blocks on a pipe or a device.
pub(super) fn open_file(path: &Path) -> Result<File, DiskFault> {
    Spot::find(path)?.open()
}

/// Opens a folder, as a place that stays the same whatever its name becomes.
pub(super) fn open_folder(path: &Path) -> Result<OwnedFd, DiskFault> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let no_links = ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
    match rustix::fs::openat2(CWD, path, flags, Mode::empty(), no_links) {
        Ok(folder) => Ok(folder),
        // Old kernels and some sandboxes don't have the call.
        Err(Errno::NOSYS | Errno::PERM) => open_folder_then_check(path),
        Err(errno) => Err(errno.into()),
    }
}

/// Opens as usual, then looks at what was opened.
fn open_folder_then_check(path: &Path) -> Result<OwnedFd, DiskFault> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let folder = rustix::fs::openat(CWD, path, flags, Mode::empty())?;
    if opened_path(&folder)? != path {
        return Err(DiskFault::Moved);
    }
    Ok(folder)
}

fn opened_path(folder: &OwnedFd) -> Result<std::path::PathBuf, DiskFault> {
    use std::os::fd::AsRawFd;
    let link = format!("/proc/self/fd/{}", folder.as_raw_fd());
    Ok(std::fs::read_link(link)?)
}

/// Reads a whole file, or nothing when it is longer than `most` bytes.
pub(super) fn read_whole(file: &File, most: usize) -> Result<Option<Vec<u8>>, DiskFault> {
    let mut content = Vec::new();
    file.take(most as u64 + 1).read_to_end(&mut content)?;
    Ok((content.len() <= most).then_some(content))
}

/// A name in an open folder: where a file is, or is to be.
pub(super) struct Spot {
    folder: OwnedFd,
    name: OsString,
}

impl Spot {
    /// The spot of a resolved path whose folder exists.
    pub fn find(path: &Path) -> Result<Spot, DiskFault> {
        let (parent, name) = split(path)?;
        let folder = open_folder(parent)?;
        Ok(Spot::of(folder, name))
    }

    /// The spot of a resolved path; missing folders are made.
    pub fn make(path: &Path) -> Result<Spot, DiskFault> {
        let (parent, name) = split(path)?;
        Ok(Spot::of(make_folder(parent)?, name))
    }

    fn of(folder: OwnedFd, name: &OsStr) -> Spot {
        Spot {
            folder,
            name: name.to_os_string(),
        }
    }

    /// Opens the regular file that is there.
    pub fn open(&self) -> Result<File, DiskFault> {
        // Looked at first, because opening alone has effects on some devices;
        // and again afterwards, because it may have been swapped.
        check_regular(&self.look()?)?;
        let flags =
            OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY;
        let file = rustix::fs::openat(&self.folder, &self.name, flags, Mode::empty())?;
        check_regular(&rustix::fs::fstat(&file)?)?;
        Ok(File::from(file))
    }

    fn look(&self) -> Result<Stat, DiskFault> {
        Ok(rustix::fs::statat(
            &self.folder,
            &self.name,
            AtFlags::SYMLINK_NOFOLLOW,
        )?)
    }
}

fn split(path: &Path) -> Result<(&Path, &OsStr), DiskFault> {
    match (path.parent(), path.file_name()) {
        (Some(parent), Some(name)) => Ok((parent, name)),
        _ => Err(DiskFault::Folder),
    }
}

fn check_regular(facts: &Stat) -> Result<(), DiskFault> {
    match FileType::from_raw_mode(facts.st_mode) {
        FileType::RegularFile => Ok(()),
        FileType::Directory => Err(DiskFault::Folder),
        FileType::Symlink => Err(DiskFault::Moved),
        FileType::Fifo => Err(DiskFault::Special("named pipe")),
        FileType::Socket => Err(DiskFault::Special("socket")),
        FileType::CharacterDevice | FileType::BlockDevice => Err(DiskFault::Special("device")),
        FileType::Unknown => Err(DiskFault::Special("special file")),
    }
}

fn make_folder(path: &Path) -> Result<OwnedFd, DiskFault> {
    let mut missing = Vec::new();
    let mut existing = path;
    let mut folder = loop {
        match open_folder(existing) {
            Ok(folder) => break folder,
            Err(DiskFault::Missing) => {
                let (parent, name) = split(existing)?;
                missing.push(name);
                existing = parent;
            }
            Err(fault) => return Err(fault),
        }
    };
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC | OFlags::NOFOLLOW;
    for name in missing.into_iter().rev() {
        match rustix::fs::mkdirat(&folder, name, Mode::from_raw_mode(0o777)) {
            Ok(()) | Err(Errno::EXIST) => {}
            Err(errno) => return Err(errno.into()),
        }
        folder = rustix::fs::openat(&folder, name, flags, Mode::empty())?;
    }
    Ok(folder)
}

#[cfg(test)]
mod tests;
