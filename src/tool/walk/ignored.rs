//! What ignore files leave out of a walk.
//!
//! They come with the workspace, so they may be anything: a link to an endless
//! device, a pipe, a million patterns. Only small regular files are read, and
//! what all of them together hold at one time is bounded. A file over a limit
//! counts as absent.

use std::ops::ControlFlow;
use std::path::Path;

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

use super::super::call::Stop;
use super::super::disk;

/// A longer file counts as absent.
const FILE_BYTES: usize = 256 << 10;
/// A file of more lines counts as absent.
const FILE_LINES: usize = 5_000;
/// A file with a longer line counts as absent.
const LINE_BYTES: usize = 4 << 10;
/// What the files of a folder and of all folders above may hold together. Their
/// matchers take some twenty times as much.
const BYTES_AT_ONCE: usize = 1 << 20;
/// A matcher takes memory however small its file is: each counts as this much
/// more.
const BYTES_EACH: usize = 8 << 10;

/// The ignore files of a folder and of those above it.
#[derive(Default)]
pub(super) struct Ignored {
    folders: Vec<Rules>,
    bytes: usize,
}

/// The ignore files of one folder.
#[derive(Default)]
struct Rules {
    ignore: Option<Gitignore>,
    gitignore: Option<Gitignore>,
    exclude: Option<Gitignore>,
    /// Git's own files of the folders above don't count below.
    is_repository: bool,
    bytes: usize,
}

impl Ignored {
    /// Goes down into a folder and reads its ignore files.
    pub fn enter(&mut self, folder: &Path, stop: &Stop) {
        let mut left = BYTES_AT_ONCE.saturating_sub(self.bytes);
        let before = left;
        let mut read = |name: &str| read(folder, name, &mut left, stop);
        let mut rules = Rules {
            ignore: read(".ignore"),
            gitignore: read(".gitignore"),
            exclude: read(".git/info/exclude"),
            is_repository: folder.join(".git").symlink_metadata().is_ok(),
            bytes: 0,
        };
        rules.bytes = before - left;
        self.bytes += rules.bytes;
        self.folders.push(rules);
    }

    /// Comes back up out of the folder that was entered last.
    pub fn leave(&mut self) {
        if let Some(rules) = self.folders.pop() {
            self.bytes -= rules.bytes;
        }
    }

    /// Whether something in the folder that was entered last is left out. The
    /// deepest file that knows it decides; `.ignore` counts before `.gitignore`,
    /// and that before what git is told outside of its files.
    pub fn leaves_out(&self, path: &Path, is_folder: bool) -> bool {
        let known = |rules: Option<&Gitignore>| match rules?.matched(path, is_folder) {
            Match::None => None,
            found => Some(found.is_ignore()),
        };
        let from_ignore = self
            .folders
            .iter()
            .rev()
            .find_map(|rules| known(rules.ignore.as_ref()));
        from_ignore
            .or_else(|| self.in_repository(|rules| known(rules.gitignore.as_ref())))
            .or_else(|| self.in_repository(|rules| known(rules.exclude.as_ref())))
            .unwrap_or(false)
    }

    /// The first answer, from the deepest folder up to the top of its
    /// repository.
    fn in_repository(&self, known: impl Fn(&Rules) -> Option<bool>) -> Option<bool> {
        let found = self
            .folders
            .iter()
            .rev()
            .try_for_each(|rules| match known(rules) {
                Some(answer) => ControlFlow::Break(Some(answer)),
                None if rules.is_repository => ControlFlow::Break(None),
                None => ControlFlow::Continue(()),
            });
        found.break_value().flatten()
    }
}

/// Reads an ignore file of a folder; nothing when there is none to be used.
fn read(folder: &Path, name: &str, left: &mut usize, stop: &Stop) -> Option<Gitignore> {
    if stop.is_set() {
        return None;
    }
    let path = folder.join(name);
    let absent = |why: &str| {
        tracing::debug!(path = %path.display(), why, "an ignore file counts as absent");
    };
    let file = match disk::open_file(&path) {
        Ok(file) => file,
        Err(disk::DiskFault::Missing) => return None,
        Err(fault) => {
            absent(&fault.to_string());
            return None;
        }
    };
    let most = FILE_BYTES.min(left.saturating_sub(BYTES_EACH));
    let Ok(Some(content)) = disk::read_whole(&file, most) else {
        absent("it is too long, or too much is ignored already");
        return None;
    };
    let lines: Vec<&[u8]> = content.split(|byte| *byte == b'\n').collect();
    if lines.len() > FILE_LINES + 1 || lines.iter().any(|line| line.len() > LINE_BYTES) {
        absent("it has too many lines, or too long ones");
        return None;
    }
    let rules = compile(folder, &lines, stop)?;
    *left -= content.len() + BYTES_EACH;
    Some(rules)
}

/// What cannot be read as a pattern is passed over, as git does.
fn compile(folder: &Path, lines: &[&[u8]], stop: &Stop) -> Option<Gitignore> {
    let mut builder = GitignoreBuilder::new(folder);
    for (number, line) in lines.iter().enumerate() {
        if stop.is_set() {
            return None;
        }
        let Ok(mut line) = std::str::from_utf8(line) else {
            continue;
        };
        line = line.strip_suffix('\r').unwrap_or(line);
        if number == 0 {
            line = line.trim_start_matches('\u{feff}');
        }
        if let Err(error) = builder.add_line(None, line) {
            tracing::debug!(folder = %folder.display(), %error, "not a pattern");
        }
    }
    match builder.build() {
        Ok(rules) if rules.is_empty() => None,
        Ok(rules) => Some(rules),
        Err(error) => {
            tracing::debug!(folder = %folder.display(), %error, "an ignore file counts as absent");
            None
        }
    }
}

#[cfg(test)]
mod tests;
