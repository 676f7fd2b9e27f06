//! Removes kept outputs: those that are old, and the oldest when all of them are
//! more than may be kept.

use std::fs::{self, Metadata};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// Older ones go, in seconds.
const OLDEST: i64 = 14 * 24 * 60 * 60;

struct Kept {
    path: PathBuf,
    /// In seconds and billionths, as the file system has it.
    written: (i64, i64),
    bytes: u64,
}

/// Tidies up below a folder, so that at most so many bytes are left. The newest
/// file, which has just been written, tells what time it is, and stays.
pub(super) fn tidy(folder: &Path, newest: &Path, most: u64) {
    let Ok(now) = fs::metadata(newest).map(|facts| written(&facts)) else {
        return;
    };
    let mut kept = all(folder);
    kept.sort_by_key(|file| std::cmp::Reverse(file.written));
    let mut room = most;
    for file in &kept {
        let age = now.0.saturating_sub(file.written.0);
        let fits = file.bytes <= room && age <= OLDEST;
        if fits || file.path == newest {
            room = room.saturating_sub(file.bytes);
            continue;
        }
        // Once one goes, so do all that are older.
        room = 0;
        if let Err(error) = fs::remove_file(&file.path) {
            tracing::warn!(%error, file = %file.path.display(), "an old output is not removed");
        }
        if let Some(session) = file.path.parent() {
            // As long as others are in it, it stays.
            let _ = fs::remove_dir(session);
        }
    }
}

fn written(facts: &Metadata) -> (i64, i64) {
    (facts.mtime(), facts.mtime_nsec())
}

/// The files of all sessions; nothing but `<session>/<name>.txt` is looked at.
fn all(folder: &Path) -> Vec<Kept> {
    let entries = |folder: &Path| fs::read_dir(folder).into_iter().flatten().flatten();
    let mut kept = Vec::new();
    for session in entries(folder) {
        if !session.file_type().is_ok_and(|kind| kind.is_dir()) {
            continue;
        }
        for file in entries(&session.path()) {
            let path = file.path();
            let Ok(facts) = file.metadata() else {
                continue;
            };
            if !facts.is_file() || path.extension().is_none_or(|it| it != "txt") {
                continue;
            }
            kept.push(Kept {
                path,
                written: written(&facts),
                bytes: facts.len(),
            });
        }
    }
    kept
}
