//! The pages of wires name the test that holds each promise: that test is there.

use std::collections::BTreeSet;
use std::path::Path;

use super::sources::{Source, read};
use crate::support::repository;

/// Everything that a page may name: functions, files without their extension,
/// folders.
fn names() -> BTreeSet<String> {
    let folders = ["src", "protocol", "actors", "tests"];
    let mut names = BTreeSet::new();
    for folder in folders {
        let sources = read(&repository().join(folder));
        names.extend(sources.iter().flat_map(functions));
        collect_files(&repository().join(folder), &mut names);
    }
    names
}

fn functions(source: &Source) -> Vec<String> {
    let words = source.text.split("fn ").skip(1);
    words
        .map(|rest| {
            let is_name = |c: &char| c.is_alphanumeric() || *c == '_';
            rest.chars().take_while(is_name).collect()
        })
        .collect()
}

fn collect_files(folder: &Path, names: &mut BTreeSet<String>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.ends_with("target") || path.ends_with("corpus") {
            continue;
        }
        let stem = path.file_stem().unwrap().to_string_lossy().into_owned();
        names.insert(stem);
        if path.is_dir() {
            collect_files(&path, names);
        }
    }
}

/// What stands between back-quotes in the last cell of each row.
fn named(page: &str) -> Vec<String> {
    let rows = page.lines().filter(|line| line.starts_with("| "));
    let mut named = Vec::new();
    let mut is_held_by = false;
    for row in rows {
        let cells: Vec<&str> = row.trim_matches(['|', ' ']).split(" | ").collect();
        match cells.last() {
            Some(&"held by") => is_held_by = true,
            Some(last) if is_held_by => {
                named.extend(last.split('`').skip(1).step_by(2).map(str::to_owned));
            }
            _ => (),
        }
    }
    named
}

#[test]
fn each_test_that_a_page_names_is_there() {
    let names = names();
    for page in ["hm.md", "autohand.md"] {
        let text = std::fs::read_to_string(repository().join("docs/protocols").join(page)).unwrap();
        let named = named(&text);
        assert!(named.len() > 40, "{page} names only {}", named.len());
        let is_there = |name: &str| {
            let last = name.rsplit(['/', ':']).next().unwrap_or(name);
            let last = last.strip_suffix(".rs").unwrap_or(last);
            names.contains(last)
        };
        let missing: Vec<&String> = named.iter().filter(|name| !is_there(name)).collect();
        assert!(missing.is_empty(), "{page}: {missing:#?}");
    }
}
