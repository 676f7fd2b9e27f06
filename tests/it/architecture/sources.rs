//! Rust files, and the code in them.

use std::path::Path;

use crate::support::repository;

/// One file.
pub struct Source {
    /// From the repository's top, with `/`.
    pub path: String,
    pub text: String,
}

impl Source {
    pub fn new(path: &str, text: &str) -> Source {
        let (path, text) = (path.to_owned(), text.to_owned());
        Source { path, text }
    }

    /// Whether the whole file is for tests.
    pub fn is_test(&self) -> bool {
        let name = self.path.rsplit('/').next();
        name == Some("tests.rs")
            || ["/tests/", "/testing/", "tests/", "/arbitrary/"]
                .iter()
                .any(|it| self.path.contains(it))
            || ["testing.rs", "contract.rs", "samples.rs"].contains(&name.unwrap_or_default())
    }

    /// Its lines of code with their numbers: no comments, no tests.
    pub fn code(&self) -> impl Iterator<Item = (usize, &str)> {
        let end = self.text.find("#[cfg(test)]\nmod tests {");
        let code = if self.is_test() {
            ""
        } else {
            &self.text[..end.unwrap_or(self.text.len())]
        };
        let lines = code.lines().enumerate();
        lines.map(|(index, line)| (index + 1, line.split("//").next().unwrap_or("")))
    }
}

/// All Rust files below a folder, in order.
pub fn read(folder: &Path) -> Vec<Source> {
    let mut entries: Vec<_> = std::fs::read_dir(folder)
        .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
        .map(|entry| entry.unwrap().path())
        .collect();
    entries.sort();
    let mut found = Vec::new();
    for path in entries {
        if path.is_dir() && !path.ends_with("target") {
            found.extend(read(&path));
        } else if path.extension().is_some_and(|it| it == "rs") {
            let name = path.strip_prefix(repository()).unwrap().to_string_lossy();
            let text = std::fs::read_to_string(&path).unwrap();
            found.push(Source::new(&name, &text));
        }
    }
    found
}

/// Whether a word stands in a line, and not within a longer one.
pub fn has_word(code: &str, word: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let begins = word.starts_with(is_part);
    let ends = word.ends_with(is_part);
    code.match_indices(word).any(|(at, _)| {
        let before = code[..at].chars().next_back();
        let after = code[at + word.len()..].chars().next();
        !(begins && before.is_some_and(is_part) || ends && after.is_some_and(is_part))
    })
}
