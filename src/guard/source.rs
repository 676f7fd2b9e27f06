//! Reads files that only their owner may change, and sees whether they changed.

use std::fs::{File, Metadata, OpenOptions};
use std::io::{ErrorKind, Read};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;

use rustix::fs::OFlags;

use super::rules::RulesError;

/// What of a file changes whenever its text does. The time of the last change
/// of the inode cannot be set by anybody.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stamp {
    Missing,
    /// Equal to the stamp of no file.
    Never,
    Is {
        device: u64,
        inode: u64,
        size: u64,
        modified: (i64, i64),
        changed: (i64, i64),
    },
}

impl Stamp {
    /// The stamp of what is at a path now.
    pub fn now(path: &Path) -> Stamp {
        match std::fs::metadata(path) {
            Ok(facts) => Stamp::of(&facts),
            Err(_) => Stamp::Missing,
        }
    }

    fn of(facts: &Metadata) -> Stamp {
        Stamp::Is {
            device: facts.dev(),
            inode: facts.ino(),
            size: facts.size(),
            modified: (facts.mtime(), facts.mtime_nsec()),
            changed: (facts.ctime(), facts.ctime_nsec()),
        }
    }
}

/// Reads a file; nothing when there is none. Refuses what is no plain file, is
/// longer than `longest` bytes, or could have been written by others.
pub(super) fn read(path: &Path, longest: u64) -> Result<Option<String>, RulesError> {
    let cannot = |error: std::io::Error| RulesError::of(path, format!("cannot be read: {error}"));
    // Without waiting for a writer, should it be a pipe.
    let flags = OFlags::NONBLOCK.bits().cast_signed();
    let opened = OpenOptions::new().read(true).custom_flags(flags).open(path);
    let file = match opened {
        Ok(file) => file,
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            return Ok(None);
        }
        Err(error) => return Err(cannot(error)),
    };
    let facts = file.metadata().map_err(cannot)?;
    check(path, &facts, longest)?;
    let mut bytes = Vec::new();
    File::take(file, longest)
        .read_to_end(&mut bytes)
        .map_err(cannot)?;
    match String::from_utf8(bytes) {
        Ok(text) => Ok(Some(text)),
        Err(_) => Err(RulesError::of(path, "it is not UTF-8 text; write it anew")),
    }
}

fn check(path: &Path, facts: &Metadata, longest: u64) -> Result<(), RulesError> {
    if !facts.is_file() {
        return Err(RulesError::of(
            path,
            "it is no plain file; remove it or put a file there",
        ));
    }
    if facts.size() > longest {
        let what = format!("it is longer than {longest} bytes; make it shorter");
        return Err(RulesError::of(path, what));
    }
    let (owner, own) = (facts.uid(), rustix::process::geteuid().as_raw());
    if owner != own && owner != 0 {
        let what = format!(
            "it belongs to user {owner}, so it is not believed; `chown {own}` it after you have read it"
        );
        return Err(RulesError::of(path, what));
    }
    match facts.mode() & 0o022 {
        0 => Ok(()),
        _ => Err(RulesError::of(
            path,
            "others may write it, so it is not believed; `chmod go-w` it after you have read it",
        )),
    }
}
