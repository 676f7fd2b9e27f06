//! A file replaced as a whole: readers see the old content or the new one.

use std::fs::File;
use std::io::Write;
use std::os::fd::OwnedFd;

use rustix::fs::{Access, AtFlags, Gid, Mode, OFlags, RenameFlags, Stat, Uid};
use rustix::io::Errno;

use super::super::call::Stop;
use super::{DiskFault, Spot, check_regular, read_whole};

/// What must be at a spot for it to be written.
#[derive(Debug, Clone, Copy)]
pub(in crate::tool) enum Expected<'a> {
    /// Nothing.
    Nothing,
    /// A file of just this content.
    Content(&'a [u8]),
}

impl Spot {
    /// Puts a whole content there, durably and in one step: a temporary file in
    /// the same folder is written, synced and renamed. An existing file's mode
    /// (and, as far as allowed, its owner) is kept; extended attributes and
    /// hard links are not.
    pub fn replace(
        &self,
        content: &[u8],
        expected: Expected<'_>,
        stop: &Stop,
    ) -> Result<(), DiskFault> {
        let old = self.check(expected)?;
        let draft = Draft::write(self, content, old.as_ref())?;
        // Checked again: writing and syncing took a while.
        self.check(expected)?;
        if stop.is_set() {
            return Err(DiskFault::Stopped);
        }
        draft.publish(old.is_some())?;
        // The rename's own durability is a courtesy: not every file system can.
        let _ = rustix::fs::fsync(&self.folder);
        Ok(())
    }

    fn check(&self, expected: Expected<'_>) -> Result<Option<Stat>, DiskFault> {
        match (expected, self.look()) {
            (Expected::Nothing, Err(DiskFault::Missing)) => Ok(None),
            (Expected::Nothing, Ok(_)) => Err(DiskFault::Changed),
            (Expected::Content(_), Err(DiskFault::Missing)) => Err(DiskFault::Changed),
            (_, Err(fault)) => Err(fault),
            (Expected::Content(content), Ok(facts)) => {
                check_regular(&facts)?;
                let now = read_whole(&self.open()?, content.len())?;
                if now.as_deref() != Some(content) {
                    return Err(DiskFault::Changed);
                }
                // A rename would go over a read-only file without a word.
                rustix::fs::accessat(&self.folder, &self.name, Access::WRITE_OK, AtFlags::EACCESS)
                    .map_err(|_| DiskFault::ReadOnly)?;
                Ok(Some(facts))
            }
        }
    }
}

/// The temporary file; removed when it is not published.
struct Draft<'a> {
    spot: &'a Spot,
    name: Option<String>,
}

impl<'a> Draft<'a> {
    fn write(spot: &'a Spot, content: &[u8], old: Option<&Stat>) -> Result<Draft<'a>, DiskFault> {
        // A file that replaces a private one must not be readable for a moment.
        let mode = if old.is_some() { 0o600 } else { 0o666 };
        let (file, draft) = Draft::create(spot, Mode::from_raw_mode(mode))?;
        let mut file = File::from(file);
        file.write_all(content)?;
        if let Some(old) = old {
            keep_owner_and_mode(&file, old)?;
        }
        file.sync_all()?;
        Ok(draft)
    }

    fn create(spot: &'a Spot, mode: Mode) -> Result<(OwnedFd, Draft<'a>), DiskFault> {
        let flags =
            OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let mut tries = 0;
        loop {
            let name = format!(".greenroom-{:016x}.tmp", fastrand::u64(..));
            match rustix::fs::openat(&spot.folder, &name, flags, mode) {
                Ok(file) => {
                    let name = Some(name);
                    return Ok((file, Draft { spot, name }));
                }
                Err(Errno::EXIST) if tries < 8 => tries += 1,
                Err(errno) => return Err(errno.into()),
            }
        }
    }

    fn publish(mut self, over_another: bool) -> Result<(), DiskFault> {
        let Some(draft) = &self.name else {
            return Ok(());
        };
        let folder = &self.spot.folder;
        let name = &self.spot.name;
        if over_another {
            rustix::fs::renameat(folder, draft, folder, name)?;
        } else {
            match rustix::fs::renameat_with(folder, draft, folder, name, RenameFlags::NOREPLACE) {
                Ok(()) => {}
                Err(Errno::EXIST) => return Err(DiskFault::Changed),
                // Some file systems don't know the flag; it was checked just now.
                Err(Errno::INVAL | Errno::NOSYS) => {
                    rustix::fs::renameat(folder, draft, folder, name)?;
                }
                Err(errno) => return Err(errno.into()),
            }
        }
        self.name = None;
        Ok(())
    }
}

impl Drop for Draft<'_> {
    fn drop(&mut self) {
        if let Some(name) = &self.name {
            let _ = rustix::fs::unlinkat(&self.spot.folder, name, AtFlags::empty());
        }
    }
}

fn keep_owner_and_mode(file: &File, old: &Stat) -> Result<(), DiskFault> {
    let new = rustix::fs::fstat(file)?;
    if (new.st_uid, new.st_gid) != (old.st_uid, old.st_gid) {
        // Only root may give files away; a file of one's own is better than none.
        let owner = Uid::from_raw(old.st_uid);
        let group = Gid::from_raw(old.st_gid);
        let _ = rustix::fs::fchown(file, Some(owner), Some(group));
    }
    rustix::fs::fchmod(file, Mode::from_raw_mode(old.st_mode))?;
    Ok(())
}
