//! Kinds of sub-agents, out of Markdown files with front matter.
//!
//! - [`find`] lists them: the project's (in `.greenroom/agents` or
//!   `.claude/agents` of the workspace or of the top of its repository), then the
//!   user's, then our own (`shipped`). Of two of the same name the first counts.
//! - `head` reads the front matter; the body is what the sub-agent is told beyond
//!   its starter's system prompt.
//!
//! A definition can take tools, steps and freedom away, never add any: the mode
//! of one that allows more than its starter's does not count.

mod head;
mod shipped;

use std::fs;
use std::path::{Path, PathBuf};

use greenroom_actors::modes::Modes;
use greenroom_actors::subagents::AgentSpec;

/// Where projects keep them.
const PROJECT_FOLDERS: &[&str] = &[".greenroom/agents", ".claude/agents"];
/// More are not listed.
const MOST: usize = 100;
/// A longer file is not read.
const LONGEST: u64 = 256 << 10;

/// The kinds of sub-agents of a workspace.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Found {
    /// By name.
    pub specs: Vec<AgentSpec>,
    /// What can't be used of them, and why, in words for people.
    pub left_out: Vec<String>,
}

/// Lists the kinds for a workspace, with those of these folders of the user.
/// `modes` are those that a definition may name.
pub fn find(root: &Path, user: &[PathBuf], modes: &Modes) -> Found {
    let mut found = Found::default();
    let top = root.ancestors().find(|it| it.join(".git").exists());
    let top = top.unwrap_or(root);
    let mut homes = vec![root];
    if top != root {
        homes.push(top);
    }
    for home in homes {
        for folder in PROJECT_FOLDERS {
            found.of_folder(&home.join(folder), Some(top), modes);
        }
    }
    for folder in user {
        found.of_folder(folder, None, modes);
    }
    for spec in shipped::specs() {
        found.take(spec);
    }
    found.specs.sort_by(|one, other| one.name.cmp(&other.name));
    found
}

impl Found {
    /// What the model is told.
    pub fn told(&self) -> Option<String> {
        if self.specs.is_empty() {
            return None;
        }
        let mut text =
            "Parts of the work that can be described in full, and whose course you need \
                        not see, can be given to sub-agents with the tool task, several at once. \
                        There are:"
                .to_owned();
        for spec in &self.specs {
            let words: Vec<&str> = spec.description.split_whitespace().collect();
            text.push_str(&format!("\n- {}: {}", spec.name, words.join(" ")));
        }
        Some(text)
    }

    fn of_folder(&mut self, folder: &Path, bound: Option<&Path>, modes: &Modes) {
        let Ok(entries) = fs::read_dir(folder) else {
            return;
        };
        let is_markdown = |path: &PathBuf| path.extension().is_some_and(|it| it == "md");
        let files = entries.flatten().map(|entry| entry.path());
        let mut files: Vec<PathBuf> = files.filter(is_markdown).collect();
        files.sort();
        for file in files {
            let read = text_of(&file, bound).and_then(|text| {
                let stem = file.file_stem().unwrap_or_default().to_string_lossy();
                head::read(&text, &stem, modes)
            });
            match read {
                Ok((_, _)) if self.specs.len() >= MOST => {
                    self.left_out(&file, "it is left out: there are too many");
                }
                Ok((spec, notes)) => {
                    for note in notes {
                        self.left_out(&file, &note);
                    }
                    self.take(spec);
                }
                Err(why) => self.left_out(&file, &format!("it is left out: {why}")),
            }
        }
    }

    fn take(&mut self, spec: AgentSpec) {
        if !self.specs.iter().any(|known| known.name == spec.name) {
            self.specs.push(spec);
        }
    }

    fn left_out(&mut self, file: &Path, why: &str) {
        let line = format!("the agent in {}: {why}", file.display());
        self.left_out.push(line);
    }
}

/// The text of a regular file; of a project's only one that lies in it, links
/// resolved.
fn text_of(file: &Path, bound: Option<&Path>) -> Result<String, String> {
    let real = file.canonicalize().map_err(|error| error.to_string())?;
    if bound.is_some_and(|bound| !real.starts_with(bound)) {
        return Err("it lies outside of the project".to_owned());
    }
    let found = fs::metadata(&real).map_err(|error| error.to_string())?;
    if !found.is_file() {
        return Err("it is not a regular file".to_owned());
    }
    if found.len() > LONGEST {
        return Err("it is longer than 256 KiB".to_owned());
    }
    let bytes = fs::read(&real).map_err(|error| error.to_string())?;
    String::from_utf8(bytes).map_err(|_| "it is not text in UTF-8".to_owned())
}

#[cfg(test)]
mod tests;
