//! Opens one file of instructions.

use std::fs::OpenOptions;
use std::io::Read;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;
use thiserror::Error;

use crate::guard::is_credential;

/// A longer file is something else.
const LONGEST: u64 = 1 << 20;

/// What may be read.
#[derive(Debug, Clone)]
pub(super) struct Bound {
    /// Files below it: absolute, links resolved.
    pub folder: PathBuf,
    /// What `~/` stands for.
    pub home: Option<PathBuf>,
}

/// Why a file is not read.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub(super) enum Refused {
    #[error("the file is not there")]
    Missing,
    #[error("the file lies outside of {0}")]
    Outside(String),
    #[error("the file usually holds credentials")]
    Credential,
    #[error("it is not a regular file")]
    Special,
    #[error("the file is longer than 1 MiB")]
    Long,
    #[error("the file is not text in UTF-8")]
    NoText,
    #[error("the file cannot be read: {0}")]
    Unreadable(String),
}

/// The file's real place and its text.
pub(super) fn read(path: &Path, bound: &Bound) -> Result<(PathBuf, String), Refused> {
    let real = path.canonicalize().map_err(|error| refused(&error))?;
    if !real.starts_with(&bound.folder) {
        return Err(Refused::Outside(bound.folder.display().to_string()));
    }
    if is_credential(&real) {
        return Err(Refused::Credential);
    }
    let mut options = OpenOptions::new();
    // A pipe is not waited for.
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
    options.read(true).custom_flags(flags.bits().cast_signed());
    let file = options.open(&real).map_err(|error| refused(&error))?;
    let found = file.metadata().map_err(|error| refused(&error))?;
    if !found.is_file() {
        return Err(Refused::Special);
    }
    if found.len() > LONGEST {
        return Err(Refused::Long);
    }
    let mut bytes = Vec::new();
    file.take(LONGEST)
        .read_to_end(&mut bytes)
        .map_err(|error| refused(&error))?;
    let text = String::from_utf8(bytes).map_err(|_| Refused::NoText)?;
    Ok((real, text))
}

fn refused(error: &std::io::Error) -> Refused {
    match error.kind() {
        std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory => Refused::Missing,
        _ => Refused::Unreadable(error.to_string()),
    }
}
