//! Instructions of the user and of the project for the model: `AGENTS.md`,
//! `CLAUDE.md` and their like, read once when a session starts.
//!
//! - [`gather`] looks in the user's own folder, then in each folder from the
//!   top of the repository down to the workspace. In each the first of the
//!   configured names counts.
//! - `imports` finds the files that a text names with `@path`.
//! - `reading` opens them: nothing outside of the project (or, for the user's
//!   own, of the home), no links that lead out, no files that hold credentials.
//!
//! A workspace may be anybody's: what is read here goes to a provider. It knows
//! no session and no wire; the system prompt is put together by the caller.

mod imports;
mod reading;

use std::fmt::Write;
use std::path::{Path, PathBuf};

use reading::{Bound, Refused, read};

/// How deep imports may name imports.
const DEEPEST: usize = 5;
/// More files than this are not read.
const MOST_FILES: usize = 50;

/// What is looked for, and how much of it.
#[derive(Debug, Clone, Default)]
pub struct Wanted<'a> {
    /// Names of files, the first that is there counts. None turns it off.
    pub names: &'a [String],
    /// Bytes of all of them together.
    pub max_bytes: usize,
    /// Where the user's own are.
    pub user_folder: Option<&'a Path>,
    /// The user's home, for `~/` and as the bound of the user's own.
    pub home: Option<&'a Path>,
}

/// What was found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Instructions {
    /// For the system prompt; empty when there are none.
    pub text: String,
    /// The files that it is made of, the most general first.
    pub files: Vec<PathBuf>,
    /// What was left out, in words for people.
    pub left_out: Vec<String>,
}

/// Reads the instructions for a workspace: absolute, links resolved.
pub fn gather(root: &Path, wanted: &Wanted<'_>) -> Instructions {
    let mut gathered = Gathered::default();
    let home = wanted.home.and_then(|home| home.canonicalize().ok());
    if let Some(folder) = wanted.user_folder {
        let bound = Bound {
            folder: home.clone().unwrap_or_else(|| folder.to_owned()),
            home: home.clone(),
        };
        gathered.of_folder(folder, wanted.names, &bound);
    }
    let top = top_of(root);
    let bound = Bound {
        folder: top.to_owned(),
        home,
    };
    let below: Vec<&Path> = root
        .ancestors()
        .take_while(|it| it.starts_with(top))
        .collect();
    for folder in below.into_iter().rev() {
        gathered.of_folder(folder, wanted.names, &bound);
    }
    gathered.told(wanted.max_bytes)
}

/// The top of the repository that a folder lies in; without one, the folder.
fn top_of(root: &Path) -> &Path {
    let mut ancestors = root.ancestors();
    ancestors
        .find(|folder| folder.join(".git").exists())
        .unwrap_or(root)
}

#[derive(Default)]
struct Gathered {
    texts: Vec<(PathBuf, String)>,
    left_out: Vec<String>,
}

impl Gathered {
    fn of_folder(&mut self, folder: &Path, names: &[String], bound: &Bound) {
        for name in names {
            let path = folder.join(name);
            if path.symlink_metadata().is_ok() {
                self.take(&path, bound, 0);
                return;
            }
        }
    }

    /// A file, and behind it those that it names.
    fn take(&mut self, path: &Path, bound: &Bound, depth: usize) {
        if self.texts.len() >= MOST_FILES {
            self.leave_out(path, "there are too many files");
            return;
        }
        let (path, text) = match read(path, bound) {
            Ok(found) => found,
            // A word with an @ before it need not be a file.
            Err(Refused::Missing) if depth > 0 => return,
            Err(refused) => return self.leave_out(path, &refused.to_string()),
        };
        if self.texts.iter().any(|(known, _)| *known == path) {
            return;
        }
        let named = imports::named(&text);
        let folder = path.parent().unwrap_or(Path::new("/")).to_owned();
        self.texts.push((path, text));
        for name in named {
            let target = match (name.strip_prefix("~/"), &bound.home) {
                (Some(below), Some(home)) => home.join(below),
                (Some(_), None) => continue,
                (None, _) => folder.join(&name),
            };
            match depth < DEEPEST {
                true => self.take(&target, bound, depth + 1),
                false => self.leave_out(&target, "it is named by too long a chain of files"),
            }
        }
    }

    fn leave_out(&mut self, path: &Path, why: &str) {
        let line = format!("instructions in {} are left out: {why}", path.display());
        self.left_out.push(line);
    }

    /// What fits, the nearest files first; told the most general first.
    fn told(mut self, max_bytes: usize) -> Instructions {
        let mut room = max_bytes;
        let mut kept = Vec::new();
        for (path, text) in std::mem::take(&mut self.texts).into_iter().rev() {
            let text = text.trim();
            if text.is_empty() {
                continue;
            }
            let fits = text.floor_char_boundary(room);
            // Behind one that is cut there is room for no other.
            room = if fits < text.len() { 0 } else { room - fits };
            if fits == 0 {
                self.leave_out(&path, "there is no room for them (instructions.max_kb)");
                continue;
            }
            let mut shown = text[..fits].to_owned();
            if fits < text.len() {
                let cut = text.len() - fits;
                let _ = write!(
                    shown,
                    "\n[{cut} bytes are left out here; read the file for them]"
                );
                self.leave_out(&path, &format!("{cut} bytes of them (instructions.max_kb)"));
            }
            kept.push((path, shown));
        }
        kept.reverse();
        let mut text = String::new();
        for (path, shown) in &kept {
            let path = path.display();
            let _ = write!(
                text,
                "\n\n<instructions file=\"{path}\">\n{shown}\n</instructions>"
            );
        }
        if !text.is_empty() {
            let head = "Instructions of the user and of the project, the most general first. \
                        Follow them; of two that disagree the later counts, and what the user \
                        says in the conversation counts above all.";
            text.insert_str(0, head);
        }
        Instructions {
            text,
            files: kept.into_iter().map(|(path, _)| path).collect(),
            left_out: self.left_out,
        }
    }
}

#[cfg(test)]
mod tests;
