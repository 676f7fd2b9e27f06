//! Where paths in commands really lead.

use std::path::{Path, PathBuf};

use super::matching::Trail;

/// Follows links. Must be quick: at most a few system calls a part of a path.
pub trait Links: Send + Sync {
    /// Where `path` leads, seen from a resolved folder: absolute, every link
    /// followed as far as the path exists, `..` taken after links as the system
    /// does. Nothing when that cannot be found out.
    fn resolve(&self, folder: &str, path: &str) -> Option<String>;
}

/// The disk's links.
#[derive(Debug, Clone, Copy, Default)]
pub struct DiskLinks;

/// As many links as Linux itself follows.
const MOST_LINKS: usize = 40;

/// Longer paths are not followed.
const LONGEST: usize = 4_096;

impl Links for DiskLinks {
    fn resolve(&self, folder: &str, path: &str) -> Option<String> {
        follow(folder, path, |path| match std::fs::read_link(path) {
            Ok(target) => Step::Link(target),
            Err(error) => match error.kind() {
                // EINVAL: there is something, but no link.
                std::io::ErrorKind::InvalidInput => Step::Plain,
                std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory => Step::Missing,
                _ => Step::Unknown,
            },
        })
    }
}

/// A world without links, for examples in rule files.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoLinks;

impl Links for NoLinks {
    fn resolve(&self, folder: &str, path: &str) -> Option<String> {
        let whole = match path.starts_with('/') {
            true => path.to_owned(),
            false => format!("{folder}/{path}"),
        };
        Some(Trail::new(&whole).text().to_owned())
    }
}

/// What is at a path.
pub(super) enum Step {
    Link(PathBuf),
    Plain,
    /// Nothing, so that nothing below it is a link.
    Missing,
    Unknown,
}

/// Walks a path part by part.
pub(super) fn follow(folder: &str, path: &str, look: impl Fn(&Path) -> Step) -> Option<String> {
    if path.len() > LONGEST {
        return None;
    }
    let mut at = match path.starts_with('/') {
        true => String::new(),
        false => folder.trim_end_matches('/').to_owned(),
    };
    let mut ahead: Vec<String> = path.split('/').rev().map(str::to_owned).collect();
    let mut links = 0;
    let mut exists = true;
    while let Some(part) = ahead.pop() {
        match part.as_str() {
            "" | "." => continue,
            ".." => {
                at.truncate(at.rfind('/').unwrap_or(0));
                // What lies above a missing part exists again.
                exists = true;
                continue;
            }
            _ => {}
        }
        let end = at.len();
        at.push('/');
        at.push_str(&part);
        if !exists {
            continue;
        }
        match look(Path::new(&at)) {
            Step::Plain => {}
            Step::Missing => exists = false,
            Step::Unknown => return None,
            Step::Link(target) => {
                links += 1;
                if links > MOST_LINKS {
                    return None;
                }
                let target = target.to_str()?;
                at.truncate(if target.starts_with('/') { 0 } else { end });
                ahead.extend(target.split('/').rev().map(str::to_owned));
            }
        }
    }
    match at.is_empty() {
        true => Some("/".to_owned()),
        false => Some(at),
    }
}
