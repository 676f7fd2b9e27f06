//! The walk itself, an entry a step.

use std::ffi::OsString;
use std::fs::{FileType, read_dir};
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};
use std::vec::IntoIter;

use super::super::call::Stop;
use super::super::disk;
use super::ignored::Ignored;

/// Something that a walk came by.
pub(in crate::tool) struct Entry {
    path: PathBuf,
    depth: usize,
    kind: FileType,
}

impl Entry {
    /// Where it is: the walk's start and what leads on from there.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// How many folders below the start; of the start, 0.
    pub fn depth(&self) -> usize {
        self.depth
    }

    /// What it is; a link is a link, wherever it leads.
    pub fn kind(&self) -> FileType {
        self.kind
    }
}

/// A walk that is under way.
pub(super) struct Walk<'a> {
    start: Option<Entry>,
    deepest: usize,
    ignored: Ignored,
    /// What is still to come of the folders that the walk is in.
    open: Vec<IntoIter<(OsString, FileType)>>,
    /// The folder of the last of them.
    at: PathBuf,
    /// A folder that was given out and is to be entered next.
    next: Option<PathBuf>,
    stop: &'a Stop,
}

impl<'a> Walk<'a> {
    /// A walk of a resolved path. `root` lies above it, and its ignore files
    /// and those between count, too; or it doesn't, then only those below do.
    pub fn new(root: &Path, start: &Path, deepest: Option<usize>, stop: &'a Stop) -> Walk<'a> {
        let mut ignored = Ignored::default();
        let mut above: Vec<&Path> = match start.starts_with(root) {
            true => start.ancestors().skip(1).collect(),
            false => Vec::new(),
        };
        above.retain(|folder| folder.starts_with(root));
        for folder in above.into_iter().rev() {
            ignored.enter(folder, stop);
        }
        // What is not there, or may not be looked at, is passed over.
        let facts = start.symlink_metadata().ok();
        Walk {
            start: facts.map(|facts| Entry {
                path: start.to_owned(),
                depth: 0,
                kind: facts.file_type(),
            }),
            deepest: deepest.unwrap_or(usize::MAX),
            ignored,
            open: Vec::new(),
            at: PathBuf::new(),
            next: None,
            stop,
        }
    }

    fn enter(&mut self, folder: PathBuf) {
        self.ignored.enter(&folder, self.stop);
        self.open.push(entries(&folder, self.stop).into_iter());
        self.at = folder;
    }

    fn leave(&mut self) {
        self.open.pop();
        self.ignored.leave();
        self.at.pop();
    }

    /// Remembers a folder to go on in.
    fn given(&mut self, entry: Entry) -> Entry {
        if entry.kind.is_dir() && entry.depth < self.deepest {
            self.next = Some(entry.path.clone());
        }
        entry
    }
}

impl Iterator for Walk<'_> {
    type Item = Entry;

    fn next(&mut self) -> Option<Entry> {
        if let Some(start) = self.start.take() {
            return Some(self.given(start));
        }
        loop {
            if self.stop.is_set() {
                return None;
            }
            if let Some(folder) = self.next.take() {
                self.enter(folder);
            }
            let depth = self.open.len();
            let Some((name, kind)) = self.open.last_mut()?.next() else {
                self.leave();
                continue;
            };
            let path = self.at.join(&name);
            if name == ".git" || self.ignored.leaves_out(&path, kind.is_dir()) {
                continue;
            }
            return Some(self.given(Entry { path, depth, kind }));
        }
    }
}

/// What is in a folder, by name. One that cannot be read is passed over like an
/// empty one, and one that was swapped for a link is not followed.
fn entries(folder: &Path, stop: &Stop) -> Vec<(OsString, FileType)> {
    let Ok(opened) = disk::open_folder(folder) else {
        return Vec::new();
    };
    let Ok(listed) = read_dir(format!("/proc/self/fd/{}", opened.as_raw_fd())) else {
        return Vec::new();
    };
    let mut found: Vec<(OsString, FileType)> = listed
        .take_while(|_| !stop.is_set())
        .filter_map(|entry| {
            let entry = entry.ok()?;
            Some((entry.file_name(), entry.file_type().ok()?))
        })
        .collect();
    found.sort_unstable_by(|(one, _), (two, _)| one.cmp(two));
    found
}
