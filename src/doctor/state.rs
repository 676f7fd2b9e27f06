//! The state folder and the store in it.

use std::fs;
use std::path::Path;

use super::report::{Area, Finding};

/// Less is a warning, in bytes.
const LITTLE_SPACE: u64 = 1 << 30;
/// Less is a failure, in bytes.
const NO_SPACE: u64 = 64 << 20;

/// What the caller knows of the store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StoreState {
    /// There is none yet; the first session makes it.
    Absent,
    /// It can be opened. What is in it, for people.
    Free(String),
    /// Another process has it. Which, for people.
    Held(String),
    /// It cannot be opened: the reason and, if known, the next step.
    Broken(String),
}

pub(super) fn look(
    home: &Path,
    store: Box<dyn FnOnce(&Path) -> StoreState + Send>,
) -> Vec<Finding> {
    let mut findings = vec![folder(home)];
    findings.extend(privacy(home));
    findings.extend(space(home));
    findings.push(match store(home) {
        StoreState::Absent => Finding::ok(Area::State, "no store yet; the first session makes it"),
        StoreState::Free(detail) => {
            Finding::ok(Area::State, format!("the store is fine: {detail}"))
        }
        StoreState::Held(holder) => Finding::warn(
            Area::State,
            format!("the store is held by {holder}"),
            "end that process, or use --no-session, or another $GREENROOM_HOME",
        ),
        StoreState::Broken(reason) => Finding::fail(
            Area::State,
            format!("the store cannot be opened: {reason}"),
            "keep a copy of the folder, then set $GREENROOM_HOME to a new one",
        ),
    });
    findings
}

/// Whether it may be written. The folder is not made: that is a session's act.
fn folder(home: &Path) -> Finding {
    let shown = home.display();
    let unwritable = |error: &dyn std::fmt::Display| {
        Finding::fail(
            Area::State,
            format!("{shown} cannot be written: {error}"),
            "give this user the right to, or set $GREENROOM_HOME to another folder",
        )
    };
    if home.is_dir() {
        return match try_to_write(home) {
            Ok(()) => Finding::ok(Area::State, format!("{shown} can be written")),
            Err(error) => unwritable(&error),
        };
    }
    if home.symlink_metadata().is_ok() {
        return unwritable(&"it is there and no folder");
    }
    match nearest_existing(home) {
        Some(above) if above.is_dir() => match may_write(above) {
            Ok(()) => Finding::ok(Area::State, format!("{shown} will be made when needed")),
            Err(error) => unwritable(&error),
        },
        _ => unwritable(&"there is no folder above it"),
    }
}

fn try_to_write(folder: &Path) -> std::io::Result<()> {
    let probe = folder.join(format!(
        ".doctor-{}-{:08x}",
        std::process::id(),
        fastrand::u32(..)
    ));
    let written = fs::OpenOptions::new()
        .write(true)
        .create_new(true)
        .open(&probe)
        .and_then(|mut file| std::io::Write::write_all(&mut file, b"doctor"));
    let removed = fs::remove_file(&probe);
    written.and(removed)
}

#[cfg(unix)]
fn may_write(folder: &Path) -> std::io::Result<()> {
    use rustix::fs::{Access, access};
    Ok(access(folder, Access::WRITE_OK | Access::EXEC_OK)?)
}

#[cfg(not(unix))]
fn may_write(folder: &Path) -> std::io::Result<()> {
    try_to_write(folder)
}

fn nearest_existing(path: &Path) -> Option<&Path> {
    path.ancestors()
        .find(|above| above.symlink_metadata().is_ok())
}

/// Conversations are private.
#[cfg(unix)]
fn privacy(home: &Path) -> Option<Finding> {
    use std::os::unix::fs::PermissionsExt;
    let metadata = fs::metadata(home).ok()?;
    let is_open = metadata.is_dir() && metadata.permissions().mode() & 0o077 != 0;
    is_open.then(|| {
        Finding::warn(
            Area::State,
            format!("others may look into {}", home.display()),
            format!("chmod 700 {}", home.display()),
        )
    })
}

#[cfg(not(unix))]
fn privacy(_: &Path) -> Option<Finding> {
    None
}

#[cfg(unix)]
fn space(home: &Path) -> Option<Finding> {
    let there = nearest_existing(home)?;
    let volume = rustix::fs::statvfs(there).ok()?;
    Some(judge_space(volume.f_bavail.saturating_mul(volume.f_frsize)))
}

#[cfg(not(unix))]
fn space(_: &Path) -> Option<Finding> {
    None
}

pub(super) fn judge_space(free: u64) -> Finding {
    let mib = free >> 20;
    let what = match mib {
        10_240.. => format!("{} GiB are free", mib >> 10),
        mib => format!("{mib} MiB are free"),
    };
    let next = "make room on that disk, or set $GREENROOM_HOME to another one";
    match free {
        0..NO_SPACE => Finding::fail(Area::State, what, next),
        NO_SPACE..LITTLE_SPACE => Finding::warn(Area::State, what, next),
        _ => Finding::ok(Area::State, what),
    }
}
