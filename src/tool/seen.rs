//! What each session has read of which file, so that no write goes over what
//! its model has not seen.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hasher};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use greenroom_protocol::session::SessionId;

/// Paths that are remembered for one session.
const PATHS: usize = 1_000;
/// Sessions that are remembered at all.
const SESSIONS: usize = 256;

/// A file's whole content, in short.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Print {
    length: usize,
    hash: u64,
}

impl Print {
    /// The print of a content.
    pub fn of(content: &[u8]) -> Print {
        let mut hasher = DefaultHasher::new();
        hasher.write(content);
        Print {
            length: content.len(),
            hash: hasher.finish(),
        }
    }
}

/// Whether a session knows a file as it is now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Knowledge {
    /// It never read it.
    Unread,
    /// It read something else there.
    Outdated,
    /// It read just this.
    Current,
}

/// What the sessions have read. What was used longest ago is forgotten first;
/// forgetting only means that a file must be read once more.
#[derive(Default)]
pub(super) struct SeenFiles(Mutex<Recent<SessionId, Recent<PathBuf, Print>>>);

impl SeenFiles {
    /// Notes that a session knows this content.
    pub fn note(&self, session: &SessionId, path: &Path, print: Print) {
        let mut sessions = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let files = sessions.entry(session.clone(), SESSIONS, Recent::default);
        *files.entry(path.to_path_buf(), PATHS, || print) = print;
    }

    /// Compares a file's content with what the session knows.
    pub fn compare(&self, session: &SessionId, path: &Path, now: Print) -> Knowledge {
        let mut sessions = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = sessions
            .get(session)
            .and_then(|files| files.get(path).copied());
        match known {
            None => Knowledge::Unread,
            Some(print) if print == now => Knowledge::Current,
            Some(_) => Knowledge::Outdated,
        }
    }
}

/// A map that forgets what was used longest ago.
struct Recent<K, V> {
    values: HashMap<K, (u64, V)>,
    uses: u64,
}

impl<K, V> Default for Recent<K, V> {
    fn default() -> Recent<K, V> {
        Recent {
            values: HashMap::new(),
            uses: 0,
        }
    }
}

impl<K: std::hash::Hash + Eq + Clone, V> Recent<K, V> {
    fn get<Q>(&mut self, key: &Q) -> Option<&mut V>
    where
        K: std::borrow::Borrow<Q>,
        Q: std::hash::Hash + Eq + ?Sized,
    {
        self.uses += 1;
        let (used, value) = self.values.get_mut(key)?;
        *used = self.uses;
        Some(value)
    }

    fn entry(&mut self, key: K, most: usize, new: impl FnOnce() -> V) -> &mut V {
        self.uses += 1;
        if !self.values.contains_key(&key) && self.values.len() >= most {
            let oldest = self.values.iter().min_by_key(|(_, (used, _))| *used);
            if let Some(oldest) = oldest.map(|(key, _)| key.clone()) {
                self.values.remove(&oldest);
            }
        }
        let uses = self.uses;
        let slot = self.values.entry(key).or_insert_with(|| (uses, new()));
        slot.0 = uses;
        &mut slot.1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn session(name: &str) -> SessionId {
        SessionId::new(name)
    }

    #[test]
    fn tells_unread_outdated_and_current_per_session() {
        let seen = SeenFiles::default();
        let path = Path::new("/w/a");
        seen.note(&session("one"), path, Print::of(b"x"));
        let now =
            |name: &str, content: &[u8]| seen.compare(&session(name), path, Print::of(content));
        assert_eq!(now("one", b"x"), Knowledge::Current);
        assert_eq!(now("one", b"y"), Knowledge::Outdated);
        assert_eq!(now("two", b"x"), Knowledge::Unread);
    }

    #[test]
    fn forgets_the_path_that_was_used_longest_ago() {
        let seen = SeenFiles::default();
        let me = session("one");
        let path = |number: usize| PathBuf::from(format!("/w/{number}"));
        let print = Print::of(b"x");
        for number in 0..PATHS {
            seen.note(&me, &path(number), print);
        }
        assert_eq!(seen.compare(&me, &path(0), print), Knowledge::Current);
        seen.note(&me, &path(PATHS), print);
        assert_eq!(seen.compare(&me, &path(0), print), Knowledge::Current);
        assert_eq!(seen.compare(&me, &path(1), print), Knowledge::Unread);
        assert_eq!(seen.compare(&me, &path(PATHS), print), Knowledge::Current);
    }

    #[test]
    fn forgets_whole_sessions_too() {
        let seen = SeenFiles::default();
        let print = Print::of(b"x");
        for number in 0..=SESSIONS {
            seen.note(&session(&number.to_string()), Path::new("/w/a"), print);
        }
        let first = seen.compare(&session("0"), Path::new("/w/a"), print);
        assert_eq!(first, Knowledge::Unread);
    }
}
