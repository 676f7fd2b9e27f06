//! Walks below a folder: ignore files count, `.git` is left out, links are not
//! followed, and the order is always the same.

mod ignored;
mod steps;

use std::path::Path;

use globset::{GlobBuilder, GlobMatcher};
use greenroom_actors::ports::{Ran, ToolFault};
use greenroom_protocol::session::Document;

use super::call::{Job, Scene, Stop, done};
use super::paths::{self, Place};
use super::text::counted;
use steps::Walk;

pub(super) use steps::Entry;

/// The entries below a folder, by name; of a file, just the file itself. Ends
/// when told to stop.
pub(super) fn walk<'a>(
    scene: &Scene,
    start: &Path,
    depth: Option<usize>,
    stop: &'a Stop,
) -> impl Iterator<Item = Entry> + use<'a> {
    Walk::new(&scene.context.root, start, depth, stop)
}

/// The folder that an input names, or the workspace.
pub(super) fn start(scene: &Scene, given: Option<&str>) -> Result<Place, ToolFault> {
    let root = &scene.context.root;
    let place = paths::resolve(root, given.unwrap_or("."), "path")?;
    if !place.path.exists() {
        return Err(ToolFault(format!(
            "`path`: {} does not exist",
            place.shown(root)
        )));
    }
    Ok(place)
}

/// A glob over paths below the start. Without a slash it is a name at any depth.
pub(super) fn glob(pattern: &str, field: &str) -> Result<GlobMatcher, ToolFault> {
    let anywhere = match pattern.strip_prefix("./") {
        Some(rest) => rest.to_owned(),
        None if pattern.contains('/') => pattern.trim_start_matches('/').to_owned(),
        None => format!("**/{pattern}"),
    };
    let glob = GlobBuilder::new(&anywhere).literal_separator(true).build();
    match glob {
        Ok(glob) => Ok(glob.compile_matcher()),
        Err(error) => Err(ToolFault(format!(
            "`{field}` is not a glob: {}",
            error.kind()
        ))),
    }
}

/// Collects one line an entry, up to the limit of lists.
pub(super) fn listing(
    job: &Job,
    stop: &Stop,
    entries: impl Iterator<Item = Entry>,
    wanted: impl Fn(&Entry) -> bool,
    nothing: &str,
) -> Ran {
    let most = job.scene.kit.settings.list_entries;
    let root = &job.scene.context.root;
    let mut text = String::new();
    let mut count = 0;
    for entry in entries {
        if stop.is_set() {
            break;
        }
        if !wanted(&entry) {
            continue;
        }
        if count == most {
            text.push_str(&format!(
                "[only the first {} are listed: narrow it down]",
                counted(most, "path")
            ));
            return Ran {
                truncated: true,
                ..done(text)
            };
        }
        count += 1;
        text.push_str(&entry_line(root, &entry));
        text.push('\n');
    }
    if count == 0 {
        return done(nothing);
    }
    done(text)
}

fn entry_line(root: &Path, entry: &Entry) -> String {
    let path = paths::shown(root, entry.path());
    let kind = entry.kind();
    if kind.is_dir() {
        format!("{path}/")
    } else if kind.is_symlink() {
        match std::fs::read_link(entry.path()) {
            Ok(target) => format!("{path} -> {}", target.display()),
            Err(_) => path,
        }
    } else {
        path
    }
}

/// The input that a planned call runs with, and the path that it touches.
pub(super) fn planned_input(job: &Job) -> Result<(&Document, &Path), ToolFault> {
    use greenroom_actors::ports::Action;
    match (&job.planned.action, job.planned.touches.first()) {
        (Action::Run(input), Some(touch)) => {
            if !paths::is_unmoved(&touch.path) {
                let shown = paths::shown(&job.scene.context.root, &touch.path);
                return Err(ToolFault(format!(
                    "{shown} leads elsewhere than when the call was planned"
                )));
            }
            Ok((input, &touch.path))
        }
        _ => Err(ToolFault(
            "this call was not planned as one that runs".into(),
        )),
    }
}

#[cfg(test)]
mod tests;
