//! Planned changes of files, carried out: what was planned (or what the one who
//! approved put in its place), or nothing.

use std::path::{Component, Path, PathBuf};
use std::time::Duration;

use greenroom_actors::ports::{FileChange, Ran, Touch, Work};
use greenroom_protocol::session::{Amendment, EditKind, FileEdit, PlannedEdit, Text};
use similar::TextDiff;

use super::call::{Job, Stop, failed, in_background};
use super::disk::{DiskFault, Expected, Spot};
use super::paths;
use super::seen::Print;
use super::text::counted;

/// Writes the planned edits of a job.
pub(super) fn carry_out(job: Job) -> Work<Ran> {
    in_background(move |stop| write_all(&job, stop))
}

fn write_all(job: &Job, stop: &Stop) -> Ran {
    let mut told = Vec::new();
    let mut ran = Ran::default();
    for (edit, touch) in job.planned.edits.iter().zip(&job.planned.touches) {
        match write_one(job, edit, touch, stop) {
            Ok(Written::Skipped) => told.push(format!(
                "{} was not written: the one who approved left it out",
                edit.path
            )),
            Ok(Written::AsPlanned) => {
                let content = edit.after.as_deref().unwrap_or_default();
                ran.changed.push(change(edit, content));
                told.push(describe(&job.planned.summary, edit));
            }
            Ok(Written::Amended(content)) => {
                ran.changed.push(change(edit, &content));
                told.push(format!(
                    "{} was written, but with another content: the one who approved changed it; \
                     read it before you go on",
                    edit.path
                ));
            }
            Err(fault) => {
                ran.failed = true;
                told.push(format!("{} {fault}; nothing was written to it", edit.path));
            }
        }
    }
    if told.is_empty() {
        return failed("nothing was planned to be written");
    }
    ran.failed |= ran.changed.is_empty();
    ran.text = told.join("\n");
    ran
}

enum Written {
    AsPlanned,
    /// With this content.
    Amended(String),
    Skipped,
}

fn write_one(
    job: &Job,
    edit: &PlannedEdit,
    touch: &Touch,
    stop: &Stop,
) -> Result<Written, DiskFault> {
    let context = &job.scene.context;
    let planned = edit.after.as_deref().unwrap_or_default();
    let content = match &job.amendment {
        None => planned,
        Some(Amendment::Files(files)) => match amended(&context.root, files, touch) {
            Some(content) => content,
            None => return Ok(Written::Skipped),
        },
        // The toolbox lets no other amendment come here.
        Some(Amendment::Input(_)) => return Ok(Written::Skipped),
    };
    if !paths::is_unmoved(&touch.path) {
        return Err(DiskFault::Moved);
    }
    let (spot, expected) = match &edit.before {
        Some(before) => (
            Spot::find(&touch.path)?,
            Expected::Content(before.as_bytes()),
        ),
        None => (Spot::make(&touch.path)?, Expected::Nothing),
    };
    spot.replace(content.as_bytes(), expected, stop)?;
    if content != planned {
        // Not noted as seen: the model does not know this content.
        return Ok(Written::Amended(content.to_owned()));
    }
    let print = Print::of(content.as_bytes());
    job.scene
        .kit
        .seen
        .note(&context.session, &touch.path, print);
    Ok(Written::AsPlanned)
}

/// A longer diff is read by nobody; in bytes.
const LONGEST_DIFF: usize = 64 << 10;
/// Finding the shortest diff may take so long; then a longer one is taken.
const DIFF_TIME: Duration = Duration::from_millis(200);

fn change(edit: &PlannedEdit, content: &str) -> FileChange {
    let before = edit.before.as_deref().unwrap_or_default();
    let diff = TextDiff::configure()
        .timeout(DIFF_TIME)
        .diff_lines(before, content)
        .unified_diff()
        .context_radius(3)
        .to_string();
    FileChange {
        path: edit.path.clone(),
        kind: edit.kind,
        diff: (diff.len() <= LONGEST_DIFF).then(|| Text::from(diff)),
    }
}

fn describe(summary: &str, edit: &PlannedEdit) -> String {
    let before = edit.before.as_deref().unwrap_or_default();
    let after = edit.after.as_deref().unwrap_or_default();
    let total = counted(after.lines().count(), "line");
    match edit.kind {
        EditKind::Created => format!("created {summary}: {total}"),
        EditKind::Deleted => format!("emptied {summary}"),
        EditKind::Modified => {
            let same_head = common(before.lines(), after.lines());
            let lines = after.lines().count();
            let most_tail = lines.min(before.lines().count()) - same_head;
            let same_tail = common(before.lines().rev(), after.lines().rev()).min(most_tail);
            let last = lines - same_tail;
            if last <= same_head {
                format!("changed {summary}: it has {total} now")
            } else if last == same_head + 1 {
                format!("changed {summary}: line {last} of {lines} is new")
            } else {
                let first = same_head + 1;
                format!("changed {summary}: lines {first}-{last} of {lines} are new")
            }
        }
    }
}

fn common<'a>(one: impl Iterator<Item = &'a str>, two: impl Iterator<Item = &'a str>) -> usize {
    one.zip(two).take_while(|(one, two)| one == two).count()
}

/// The content that an amendment gives to a planned file, if any; the last one
/// when it names the file twice.
fn amended<'a>(root: &Path, files: &'a [FileEdit], touch: &Touch) -> Option<&'a str> {
    let mut latest_first = files.iter().rev();
    let file = latest_first.find(|file| names(root, &file.path, touch))?;
    Some(&file.content)
}

/// Whether a client's path names the planned file. A path that leaves the
/// workspace by `..` or by a link names nothing; only the planned path itself,
/// written out in full, names a file outside.
fn names(root: &Path, given: &str, touch: &Touch) -> bool {
    if Path::new(given) == touch.path {
        return true;
    }
    let Some(clean) = without_dots(root, given) else {
        return false;
    };
    let Some(clean) = clean.to_str() else {
        return false;
    };
    paths::resolve(root, clean, "path").is_ok_and(|place| place.inside && place.path == touch.path)
}

/// The path below the root with `.` and `..` worked out by their letters, or
/// nothing when it leaves the root on its way.
fn without_dots(root: &Path, given: &str) -> Option<PathBuf> {
    let given = Path::new(given);
    let below = match given.is_absolute() {
        true => given.strip_prefix(root).ok()?,
        false => given,
    };
    let mut clean = PathBuf::new();
    for component in below.components() {
        match component {
            Component::Normal(name) => clean.push(name),
            Component::CurDir => {}
            Component::ParentDir => {
                if !clean.pop() {
                    return None;
                }
            }
            Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    Some(clean)
}

#[cfg(test)]
mod tests;
