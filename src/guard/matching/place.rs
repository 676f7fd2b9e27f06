//! Paths as they are compared: absolute, without `.` and `..`, as named and as
//! resolved.

/// The folders that paths are seen from; absolute, links resolved.
#[derive(Debug, Clone, Copy)]
pub struct Ground<'a> {
    /// The workspace.
    pub root: &'a str,
    /// The user's home folder.
    pub home: Option<&'a str>,
}

/// A path, once as it was named and once as it resolves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// As it was named.
    pub named: Trail,
    /// Where it leads; the same when it holds no link.
    pub resolved: Trail,
}

/// An absolute path without `.` and `..`, with the same in lower case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trail {
    text: String,
    folded: Option<String>,
}

impl Trail {
    /// The trail of an absolute path; `..` is taken by its letters.
    pub fn new(path: &str) -> Trail {
        let mut parts: Vec<&str> = Vec::new();
        for part in path.split('/') {
            match part {
                "" | "." => {}
                ".." => {
                    parts.pop();
                }
                part => parts.push(part),
            }
        }
        let text = format!("/{}", parts.join("/"));
        let is_folded = !text.chars().any(|c| c.is_uppercase() || !c.is_ascii());
        let folded = (!is_folded).then(|| text.to_lowercase());
        Trail { text, folded }
    }

    /// The trail of a path that leads nowhere known, such as links in a circle:
    /// it lies in no folder that a file could lie in.
    pub fn lost() -> Trail {
        Trail {
            text: "/\0".to_owned(),
            folded: None,
        }
    }

    /// The path.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The path in lower case.
    pub fn folded(&self) -> &str {
        self.folded.as_deref().unwrap_or(&self.text)
    }

    /// Whether lower case changes nothing.
    pub(super) fn is_folded(&self) -> bool {
        self.folded.is_none()
    }

    /// Whether it is a folder or lies in it.
    pub fn is_in(&self, folder: &str) -> bool {
        below(&self.text, folder).is_some()
    }
}

impl Place {
    /// Whether it lies in the workspace, both as named and as resolved.
    pub fn is_inside(&self, ground: Ground<'_>) -> bool {
        self.named.is_in(ground.root) && self.resolved.is_in(ground.root)
    }

    /// Both paths; one when they are the same.
    pub fn trails(&self) -> impl Iterator<Item = &Trail> {
        let other = (self.named.text != self.resolved.text).then_some(&self.resolved);
        std::iter::once(&self.named).chain(other)
    }
}

/// What of a path lies below a folder: empty for the folder itself.
pub(super) fn below<'a>(path: &'a str, folder: &str) -> Option<&'a str> {
    let rest = path.strip_prefix(folder.trim_end_matches('/'))?;
    match rest {
        "" => Some(rest),
        _ => rest.strip_prefix('/'),
    }
}
