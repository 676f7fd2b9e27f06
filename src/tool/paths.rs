//! Where a path really leads: relative to the workspace, links resolved as far
//! as the path exists.
//!
//! A resolved path holds no link and no `..`; [`super::disk`] opens it without
//! following any, so that a link put there later is found out.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::fs;
use std::io::ErrorKind;
use std::path::{Component, Path, PathBuf};

use greenroom_actors::ports::{ToolFault, Touch};

/// As many links as Linux itself follows.
const LINKS: usize = 40;

/// A path of an input, resolved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Place {
    /// Absolute, without links.
    pub path: PathBuf,
    /// Absolute, as it was named: `..` taken by its letters, no link followed.
    pub named: PathBuf,
    /// Whether it lies in the workspace (or is it).
    pub inside: bool,
}

impl Place {
    /// As a path that a call touches.
    pub fn touch(&self, write: bool) -> Touch {
        Touch {
            path: self.path.clone(),
            named: self.named.clone(),
            write,
            inside: self.inside,
        }
    }

    /// As people and models read it: relative to the workspace, which is `.`;
    /// absolute when it lies outside.
    pub fn shown(&self, root: &Path) -> String {
        shown(root, &self.path)
    }
}

/// A path as people and models read it.
pub(super) fn shown(root: &Path, path: &Path) -> String {
    match path.strip_prefix(root) {
        Ok(rest) if rest.as_os_str().is_empty() => ".".into(),
        Ok(rest) => rest.to_string_lossy().into_owned(),
        Err(_) => path.to_string_lossy().into_owned(),
    }
}

/// Resolves what an input calls `field`. A `~` is a name like any other.
pub(super) fn resolve(root: &Path, given: &str, field: &str) -> Result<Place, ToolFault> {
    let fault = |what: String| ToolFault(format!("`{field}` {what}"));
    if given.is_empty() {
        return Err(fault("must not be empty".into()));
    }
    if given.contains('\0') {
        return Err(fault("must not hold a NUL character".into()));
    }
    if given.len() > 4_096 {
        return Err(fault("is longer than 4096 bytes".into()));
    }
    let path = real(&root.join(given))
        .map_err(|error| fault(format!("cannot be followed: {given}: {error}")))?;
    let inside = path.starts_with(root);
    let named = by_letters(&root.join(given));
    Ok(Place {
        path,
        named,
        inside,
    })
}

/// Whether a resolved path still leads where it led.
pub(super) fn is_unmoved(path: &Path) -> bool {
    real(path).is_ok_and(|now| now == path)
}

/// An absolute path with every link resolved, as the touches of calls are;
/// nothing when it has no absolute form.
pub fn resolved(path: &Path) -> Option<PathBuf> {
    let path = std::path::absolute(path).ok()?;
    real(&path).ok()
}

/// Follows every link of an absolute path. From the first part that does not
/// exist, the rest is taken by its letters.
fn real(path: &Path) -> Result<PathBuf, std::io::Error> {
    let mut resolved = PathBuf::from("/");
    let mut ahead: VecDeque<OsString> = parts(path);
    let mut links = 0;
    let mut exists = true;
    while let Some(part) = ahead.pop_front() {
        if part == ".." {
            resolved.pop();
            // What lies above a missing part exists again.
            exists = true;
            continue;
        }
        let next = resolved.join(&part);
        if !exists {
            resolved = next;
            continue;
        }
        match fs::symlink_metadata(&next) {
            Ok(facts) if facts.file_type().is_symlink() => {
                links += 1;
                if links > LINKS {
                    return Err(std::io::Error::other("too many links, maybe in a circle"));
                }
                let target = fs::read_link(&next)?;
                if target.is_absolute() {
                    resolved = PathBuf::from("/");
                }
                for part in parts(&target).into_iter().rev() {
                    ahead.push_front(part);
                }
            }
            Ok(_) => resolved = next,
            Err(error) if error.kind() == ErrorKind::NotFound => {
                exists = false;
                resolved = next;
            }
            Err(error) => return Err(error),
        }
    }
    Ok(resolved)
}

/// An absolute path with every `..` taken by its letters.
fn by_letters(path: &Path) -> PathBuf {
    let mut named = PathBuf::from("/");
    for part in parts(path) {
        match part == ".." {
            true => {
                named.pop();
            }
            false => named.push(part),
        }
    }
    named
}

fn parts(path: &Path) -> VecDeque<OsString> {
    path.components()
        .filter_map(|component| match component {
            Component::Normal(name) => Some(name.to_os_string()),
            Component::ParentDir => Some(OsString::from("..")),
            Component::RootDir | Component::CurDir | Component::Prefix(_) => None,
        })
        .collect()
}

#[cfg(test)]
mod tests;
