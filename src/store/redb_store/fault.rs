//! What goes wrong under the store, as messages with a next step.

use std::io::ErrorKind;
use std::path::Path;

use greenroom_actors::ports::StoreError;

/// The store's own error for a fault of the database under `path`.
pub(super) fn explain(path: &Path, error: &redb::Error) -> StoreError {
    let path = path.display();
    let message = match error {
        redb::Error::Io(io) => match io.kind() {
            ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
                format!("no space is left for the journal {path}: free some and try again")
            }
            ErrorKind::FileTooLarge => format!(
                "the journal {path} may not grow: raise the limit of file sizes (ulimit -f) and try again"
            ),
            ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => format!(
                "the journal {path} may not be written ({io}): make it writable for this user, or name another place"
            ),
            ErrorKind::InvalidData => {
                format!("{path} is not a journal ({io}): move it away, or name another file")
            }
            _ => format!(
                "the journal {path} cannot be read or written ({io}): look at the disk and try again"
            ),
        },
        redb::Error::DatabaseAlreadyOpen => format!(
            "the journal {path} is open in another program: close that one, or name another file"
        ),
        redb::Error::UpgradeRequired(version) => format!(
            "the journal {path} has the old database format {version}: move it away to begin anew"
        ),
        redb::Error::PreviousIo | redb::Error::DatabaseClosed | redb::Error::LockPoisoned(_) => {
            format!("the journal {path} failed before and is being opened anew: try again")
        }
        other => format!(
            "the journal {path} is damaged ({other}): restore it from a copy, or move it away to begin anew"
        ),
    };
    StoreError { message }
}

/// The error for a panic in the database: it panics over files that somebody
/// else has changed.
pub(super) fn panicked(path: &Path) -> StoreError {
    StoreError {
        message: format!(
            "the journal {} could not be understood (the log has more): restore it from a copy, or move it away to begin anew",
            path.display()
        ),
    }
}

/// The error after the store's end.
pub(super) fn closed(path: &Path) -> StoreError {
    StoreError {
        message: format!("the journal {} is closed: open it anew", path.display()),
    }
}
