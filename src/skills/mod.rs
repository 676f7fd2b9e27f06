//! Skills in the open Agent Skills format: folders with a `SKILL.md`, whose head
//! says when to use it and whose body says how, beside scripts and papers.
//!
//! - [`find`] lists them: the project's (in `.greenroom/skills`, `.agents/skills`
//!   or `.claude/skills` of the workspace or of the top of its repository), then
//!   the user's. Of two of the same name the first counts.
//! - `head` reads the front matter. [`Skill::body`], [`Skill::files`] and
//!   [`Skill::read`] give what is in one, and nothing beside it.
//!
//! The model is told names and descriptions, and loads a skill when it needs it.

mod head;

use std::fs;
use std::path::{Component, Path, PathBuf};

use head::Head;

/// Where projects keep them.
const PROJECT_FOLDERS: &[&str] = &[".greenroom/skills", ".agents/skills", ".claude/skills"];
/// More are not listed.
const MOST_SKILLS: usize = 200;
/// A longer `SKILL.md`, or other file, is not read.
const LONGEST: u64 = 1 << 20;
/// More files of one skill are not listed.
const MOST_FILES: usize = 100;
/// Nor such that lie deeper.
const DEEPEST: usize = 5;

/// One skill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skill {
    /// Its name, which is also its folder's.
    pub name: String,
    /// What it is for and when to use it.
    pub description: String,
    /// Where it lies, links resolved.
    pub folder: PathBuf,
}

/// The skills of a workspace.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Found {
    /// By name.
    pub skills: Vec<Skill>,
    /// Those that can't be used, and why, in words for people.
    pub left_out: Vec<String>,
}

/// Lists the skills for a workspace, with those of these folders of the user.
pub fn find(root: &Path, user: &[PathBuf]) -> Found {
    let mut found = Found::default();
    let top = root.ancestors().find(|it| it.join(".git").exists());
    let top = top.unwrap_or(root);
    let mut homes = vec![root];
    if top != root {
        homes.push(top);
    }
    for home in homes {
        for folder in PROJECT_FOLDERS {
            found.of_folder(&home.join(folder), Some(top));
        }
    }
    for folder in user {
        found.of_folder(folder, None);
    }
    found.skills.sort_by(|one, other| one.name.cmp(&other.name));
    found
}

impl Found {
    /// The skill of that name.
    pub fn named(&self, name: &str) -> Option<&Skill> {
        self.skills.iter().find(|skill| skill.name == name)
    }

    /// What the model is told; nothing when there are none.
    pub fn told(&self) -> Option<String> {
        if self.skills.is_empty() {
            return None;
        }
        let mut text = "Skills are instructions for certain tasks. Before you begin with a task \
                        that one of these describes, load it with the tool skill and follow it:"
            .to_owned();
        for Skill {
            name, description, ..
        } in &self.skills
        {
            let description = description.split_whitespace().collect::<Vec<_>>().join(" ");
            text.push_str(&format!("\n- {name}: {description}"));
        }
        Some(text)
    }

    fn of_folder(&mut self, folder: &Path, bound: Option<&Path>) {
        let Ok(entries) = fs::read_dir(folder) else {
            return;
        };
        let mut folders: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        folders.sort();
        for folder in folders {
            if !folder.join("SKILL.md").exists() {
                continue;
            }
            match skill(&folder, bound) {
                Ok(skill) if self.named(&skill.name).is_some() => (),
                Ok(skill) if self.skills.len() < MOST_SKILLS => self.skills.push(skill),
                Ok(_) => self.leave_out(&folder, "there are too many"),
                Err(why) => self.leave_out(&folder, &why),
            }
        }
    }

    fn leave_out(&mut self, folder: &Path, why: &str) {
        let line = format!("the skill in {} is left out: {why}", folder.display());
        self.left_out.push(line);
    }
}

fn skill(folder: &Path, bound: Option<&Path>) -> Result<Skill, String> {
    let real = folder.canonicalize().map_err(|error| error.to_string())?;
    if bound.is_some_and(|bound| !real.starts_with(bound)) {
        return Err("it lies outside of the project".into());
    }
    let text = text_of(&real.join("SKILL.md"), &real)?;
    let Head {
        name, description, ..
    } = head::read(&text)?;
    let of_folder = folder.file_name().map(|name| name.to_string_lossy());
    if of_folder.as_deref() != Some(name.as_str()) {
        return Err(format!("its name is {name:?}, and not that of its folder"));
    }
    Ok(Skill {
        name,
        description,
        folder: real,
    })
}

impl Skill {
    /// What the model reads when it loads the skill.
    pub fn body(&self) -> Result<String, String> {
        let text = text_of(&self.folder.join("SKILL.md"), &self.folder)?;
        Ok(head::body(&text).trim().to_owned())
    }

    /// Its other files, relative to its folder, in order; at most 100.
    pub fn files(&self) -> Vec<String> {
        let mut files = Vec::new();
        collect(&self.folder, &self.folder, 0, &mut files);
        files.retain(|name| name != "SKILL.md");
        files.truncate(MOST_FILES);
        files
    }

    /// The text of one of its files.
    pub fn read(&self, name: &str) -> Result<String, String> {
        let is_plain =
            |part: Component<'_>| matches!(part, Component::Normal(_) | Component::CurDir);
        if !Path::new(name).components().all(is_plain) {
            return Err("name a file below the skill's folder, relative to it".into());
        }
        text_of(&self.folder.join(name), &self.folder)
    }
}

/// The text of a regular file that lies in a folder, links resolved.
fn text_of(path: &Path, folder: &Path) -> Result<String, String> {
    let real = path.canonicalize().map_err(|error| error.to_string())?;
    if !real.starts_with(folder) {
        return Err("the file lies outside of the skill's folder".into());
    }
    let found = fs::metadata(&real).map_err(|error| error.to_string())?;
    if !found.is_file() {
        return Err("it is not a regular file".into());
    }
    if found.len() > LONGEST {
        return Err("the file is longer than 1 MiB".into());
    }
    let bytes = fs::read(&real).map_err(|error| error.to_string())?;
    String::from_utf8(bytes).map_err(|_| "the file is not text in UTF-8".into())
}

fn collect(top: &Path, folder: &Path, depth: usize, files: &mut Vec<String>) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    let mut entries: Vec<_> = entries.flatten().collect();
    entries.sort_by_key(|entry| entry.file_name());
    for entry in entries {
        if files.len() > MOST_FILES {
            return;
        }
        let path = entry.path();
        // Links are not followed: they may lead round, or out.
        match entry.file_type() {
            Ok(kind) if kind.is_dir() && depth < DEEPEST => collect(top, &path, depth + 1, files),
            Ok(kind) if kind.is_file() => {
                if let Ok(below) = path.strip_prefix(top) {
                    files.push(below.to_string_lossy().into_owned());
                }
            }
            _ => (),
        }
    }
}

#[cfg(test)]
mod tests;
