//! One process owns a journal. The lock is held on a file beside it, which
//! says who holds it: the database's own lock can't say that. What the file
//! says counts only while the lock is held, so that a file left by a dead
//! process does no harm.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use greenroom_actors::ports::StoreError;
use rustix::fs::OFlags;
use rustix::io::Errno;

/// How often a lock is looked at whose holder is dead…
const LOOKS: u32 = 200;
/// … and how long is waited each time.
const BETWEEN_LOOKS: Duration = Duration::from_millis(10);

/// No link is followed, and nothing is waited for.
const FLAGS: OFlags = OFlags::NOFOLLOW.union(OFlags::NONBLOCK);

/// The lock, until it is dropped.
#[derive(Debug)]
pub(super) struct Lock {
    _held: File,
}

impl Lock {
    /// Takes the lock of a journal. Waits for no living holder; but of one that
    /// was killed a child may be left that has not become its own program yet,
    /// and holds the lock until it does: some milliseconds.
    pub(super) fn take(journal: &Path) -> Result<Lock, StoreError> {
        let path = lock_path(journal);
        let mut options = OpenOptions::new();
        options
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            // What the file holds is replaced: a link in its place would have
            // that done to another file, and a pipe would be waited for.
            .custom_flags(FLAGS.bits().cast_signed())
            .mode(0o600);
        let mut file = options
            .open(&path)
            .and_then(regular)
            .map_err(|error| unusable(&path, &error))?;
        let mut looks = 0;
        loop {
            match file.try_lock() {
                Ok(()) => break,
                Err(TryLockError::WouldBlock) if looks < LOOKS && names_nobody(&path) => {
                    looks += 1;
                    thread::sleep(BETWEEN_LOOKS);
                }
                Err(TryLockError::WouldBlock) => return Err(held(journal, &path)),
                Err(TryLockError::Error(error)) => return Err(unusable(&path, &error)),
            }
        }
        // The holder's name is a courtesy: a full disk must not stand against
        // reading an old journal.
        if let Err(error) = write_holder(&mut file) {
            tracing::debug!(path = %path.display(), %error, "the lock's file names no holder");
        }
        Ok(Lock { _held: file })
    }
}

/// Who holds a journal, in words; nothing when it is free. Takes nothing.
pub fn holder_of(journal: &Path) -> Option<String> {
    let path = lock_path(journal);
    let mut options = OpenOptions::new();
    options.read(true).custom_flags(FLAGS.bits().cast_signed());
    let file = options.open(&path).and_then(regular).ok()?;
    match file.try_lock_shared() {
        Err(TryLockError::WouldBlock) => Some(name_of_holder(&path)),
        Ok(()) | Err(TryLockError::Error(_)) => None,
    }
}

/// Nothing but a regular file is a lock.
fn regular(file: File) -> io::Result<File> {
    match file.metadata()?.is_file() {
        true => Ok(file),
        false => Err(io::Error::other("it is not a regular file")),
    }
}

/// `journal.redb` is guarded by `journal.lock`.
fn lock_path(journal: &Path) -> PathBuf {
    journal.with_extension("lock")
}

fn write_holder(file: &mut File) -> io::Result<()> {
    let process = std::process::id();
    let started = start_of(process).unwrap_or_default();
    file.set_len(0)?;
    writeln!(file, "{process} {started}")
}

fn held(journal: &Path, lock: &Path) -> StoreError {
    let holder = name_of_holder(lock);
    StoreError {
        message: format!(
            "the journal {} is in use by {holder}: end that one, or use --no-session, or another $GREENROOM_HOME",
            journal.display()
        ),
    }
}

fn name_of_holder(lock: &Path) -> String {
    living_holder(lock).unwrap_or_else(|| "another process".to_owned())
}

/// Whether the lock is on its way to be free: its holder is dead and a child of
/// it is about to go, or it is ours and we have let it go while a child of ours
/// was being started.
fn names_nobody(lock: &Path) -> bool {
    let text = std::fs::read_to_string(lock).unwrap_or_default();
    let ours = text.split_whitespace().next() == Some(&std::process::id().to_string());
    ours || holder(&text).is_none()
}

fn living_holder(lock: &Path) -> Option<String> {
    let text = std::fs::read_to_string(lock).ok()?;
    holder(&text)
}

fn unusable(lock: &Path, error: &io::Error) -> StoreError {
    if Errno::from_io_error(error) == Some(Errno::LOOP) {
        return StoreError {
            message: format!(
                "the journal's lock {} is a link, which is not followed: remove it",
                lock.display()
            ),
        };
    }
    StoreError {
        message: format!(
            "the journal's lock {} cannot be taken ({error}): make its folder writable for this user, or use --no-session, or another $GREENROOM_HOME",
            lock.display()
        ),
    }
}

/// The holder in words, when the file's text is of a process that lives: a
/// number alone may have gone to another process since.
fn holder(text: &str) -> Option<String> {
    let mut fields = text.split_whitespace();
    let process: u32 = fields.next()?.parse().ok()?;
    let started = fields.next()?;
    if start_of(process)? != started {
        return None;
    }
    let described = match command_of(process) {
        Some(command) => format!("process {process} ({command})"),
        None => format!("process {process}"),
    };
    Some(described)
}

/// When a process was started, in the system's own ticks: with its number it
/// names it for good. It is the 22nd field of `stat`, counted from behind the
/// program's name, which may hold blanks and brackets.
fn start_of(process: u32) -> Option<String> {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    let (_, behind_name) = stat.rsplit_once(')')?;
    behind_name.split_whitespace().nth(19).map(str::to_owned)
}

/// The program and its sub-commands. What follows the first flag is left out:
/// it may hold what is nobody's business.
fn command_of(process: u32) -> Option<String> {
    let line = std::fs::read(format!("/proc/{process}/cmdline")).ok()?;
    let line = String::from_utf8_lossy(&line);
    let mut words = line.split('\0').filter(|word| !word.is_empty());
    let program = Path::new(words.next()?)
        .file_name()?
        .to_string_lossy()
        .into_owned();
    let mut command = program;
    for word in words.take_while(|word| !word.starts_with('-')).take(3) {
        command.push(' ');
        command.extend(word.chars().take(40));
    }
    Some(command)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_held_lock_names_its_holder() {
        let folder = tempfile::tempdir().unwrap();
        let journal = folder.path().join("journal.redb");
        let _lock = Lock::take(&journal).unwrap();
        let refused = Lock::take(&journal).unwrap_err().message;
        let process = std::process::id();
        let program = command_of(process).unwrap();
        let expected = format!(
            "the journal {} is in use by process {process} ({program}): end that one, or use --no-session, or another $GREENROOM_HOME",
            journal.display()
        );
        assert_eq!(refused, expected);
    }

    #[test]
    fn a_lock_is_free_again_when_dropped_whatever_its_file_says() {
        let folder = tempfile::tempdir().unwrap();
        let journal = folder.path().join("journal.redb");
        drop(Lock::take(&journal).unwrap());
        std::fs::write(lock_path(&journal), "1 1\n").unwrap();
        drop(Lock::take(&journal).unwrap());
        std::fs::write(lock_path(&journal), b"\xff\xfe no such text").unwrap();
        drop(Lock::take(&journal).unwrap());
    }

    #[test]
    fn a_lock_that_a_dead_process_left_to_its_child_is_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let journal = folder.path().join("journal.redb");
        std::fs::write(lock_path(&journal), "4294967295 1\n").unwrap();
        let left = File::open(lock_path(&journal)).unwrap();
        left.lock().unwrap();
        let child = thread::spawn(move || {
            thread::sleep(BETWEEN_LOOKS * 5);
            drop(left);
        });
        assert!(Lock::take(&journal).is_ok());
        child.join().unwrap();
    }

    #[test]
    fn a_link_in_the_place_of_a_lock_is_refused_and_its_target_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let journal = folder.path().join("journal.redb");
        let target = folder.path().join("precious");
        std::fs::write(&target, "precious").unwrap();
        std::os::unix::fs::symlink(&target, lock_path(&journal)).unwrap();
        let expected = format!(
            "the journal's lock {} is a link, which is not followed: remove it",
            lock_path(&journal).display()
        );
        assert_eq!(Lock::take(&journal).unwrap_err().message, expected);
        assert_eq!(holder_of(&journal), None);
        assert_eq!(std::fs::read_to_string(&target).unwrap(), "precious");
    }

    #[test]
    fn a_pipe_in_the_place_of_a_lock_is_refused_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let journal = folder.path().join("journal.redb");
        let made = std::process::Command::new("mkfifo")
            .arg(lock_path(&journal))
            .status();
        assert!(made.unwrap().success());
        let refused = Lock::take(&journal).unwrap_err().message;
        assert!(refused.contains("it is not a regular file"), "{refused}");
        assert_eq!(holder_of(&journal), None);
    }

    #[test]
    fn a_stale_text_names_nobody() {
        let process = std::process::id();
        assert_eq!(holder(&format!("{process} 0")), None);
        assert_eq!(holder(&format!("{process}")), None);
        assert_eq!(holder("4294967295 5"), None);
        assert_eq!(holder("x y"), None);
        assert_eq!(holder(""), None);
    }
}
