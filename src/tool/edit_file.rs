//! `edit_file`: texts of one file replaced, all or none.

mod explain;
mod loose;
mod matching;

use greenroom_actors::ports::{PlannedCall, Ran, ToolFault, ToolSpec, Work};
use greenroom_protocol::session::{Category, Document, EditKind, PlannedEdit, Text};

use super::call::{Job, Scene, Tool, planned};
use super::changes::carry_out;
use super::disk::{self, DiskFault};
use super::input::Fields;
use super::paths::{self, Place};
use super::read_file::missing;
use super::seen::{Knowledge, Print};
use super::text::counted;
use matching::Replacement;

const NAME: &str = "edit_file";

/// The most edits of one call.
const EDITS: usize = 200;

const SCHEMA: &str = r#"{
  "type": "object",
  "properties": {
    "path": {"type": "string", "description": "The file: relative to the workspace, or absolute."},
    "edits": {
      "type": "array",
      "minItems": 1,
      "maxItems": 200,
      "description": "Applied in order, each to what the ones before it made; if one fails, none is applied.",
      "items": {
        "type": "object",
        "properties": {
          "old": {"type": "string", "description": "The text to replace, exactly as it stands in the file, with enough lines around it to be unique."},
          "new": {"type": "string", "description": "The text to put there; empty to delete."},
          "all": {"type": "boolean", "description": "Replace every place where `old` stands. Default false."}
        },
        "required": ["old", "new"],
        "additionalProperties": false
      }
    }
  },
  "required": ["path", "edits"],
  "additionalProperties": false
}"#;

/// The tool.
pub(super) struct EditFile;

impl Tool for EditFile {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: Text::from(NAME),
            description: Text::from(
                "Replace pieces of a text file. Each `old` must stand in the file exactly once \
                 unless `all` is true; differences in indentation or at line ends are forgiven when \
                 only one place can be meant. Several edits of one file go into one call. \
                 Line endings and the file's mode are kept.",
            ),
            schema: Document(Text::from(SCHEMA)),
            category: Category::Edit,
        }
    }

    fn plan(&self, input: &Document, scene: &Scene) -> Result<PlannedCall, ToolFault> {
        let (path, edits) = read_input(input)?;
        let root = &scene.context.root;
        let place = paths::resolve(root, &path, "path")?;
        let shown = place.shown(root);
        let before = current(scene, &place, &shown, &path)?;
        let most = scene.kit.settings.edit_bytes;
        let outcome = apply_all(&before, &edits, &shown, most)?;
        if outcome.text == before {
            return Err(ToolFault(format!(
                "the edits change nothing in {shown}: it stays as it is"
            )));
        }
        let edit = PlannedEdit {
            path: Text::from(&*shown),
            kind: EditKind::Modified,
            before: Some(Text::from(before)),
            after: Some(Text::from(outcome.text)),
        };
        let touches = vec![place.touch(true)];
        let summary = summary(&shown, outcome.places, outcome.forgiven);
        Ok(PlannedCall {
            edits: vec![edit],
            ..planned(NAME, Category::Edit, summary, touches, input)
        })
    }

    fn run(&self, job: Job) -> Work<Ran> {
        carry_out(job)
    }
}

fn read_input(input: &Document) -> Result<(String, Vec<Replacement>), ToolFault> {
    let mut fields = Fields::read(input)?;
    let path = fields.text("path")?;
    if !fields.has("edits") {
        let wanted = "an array of {old, new} objects";
        return Err(fields.missing("edits", wanted));
    }
    let elements = fields.list("edits", EDITS)?;
    if elements.is_empty() {
        return Err(fields.fault("edits", "must hold at least one edit"));
    }
    fields.finish()?;
    let mut edits = Vec::with_capacity(elements.len());
    for element in elements {
        let mut fields = element.fields()?;
        let old = fields.text("old")?;
        let new = fields.text("new")?;
        let all = fields.flag("all")?;
        if old.is_empty() {
            let what = "must not be empty: take a text that stands in the file (write_file makes new files)";
            return Err(fields.fault("old", what));
        }
        if old == new {
            return Err(fields.fault("new", "is the same as `old`: it would change nothing"));
        }
        fields.finish()?;
        edits.push(Replacement { old, new, all });
    }
    Ok((path, edits))
}

/// What all edits together make of a text.
struct Outcome {
    text: String,
    places: usize,
    /// How many edits matched only with other blanks.
    forgiven: usize,
}

fn apply_all(
    before: &str,
    edits: &[Replacement],
    shown: &str,
    most: usize,
) -> Result<Outcome, ToolFault> {
    let mut outcome = Outcome {
        text: before.to_owned(),
        places: 0,
        forgiven: 0,
    };
    for (index, edit) in edits.iter().enumerate() {
        let applied = matching::apply(&outcome.text, edit, most).map_err(|mismatch| {
            let why = explain::mismatch(&outcome.text, edit, &mismatch);
            let rest = match edits.len() {
                1 => "",
                _ => "\nNone of the edits was applied.",
            };
            ToolFault(format!("`edits[{index}].old` in {shown}: {why}{rest}"))
        })?;
        outcome.text = applied.text;
        outcome.places += applied.places;
        outcome.forgiven += usize::from(applied.forgiven);
    }
    Ok(outcome)
}

fn summary(shown: &str, places: usize, forgiven: usize) -> String {
    let mut notes = Vec::new();
    if places > 1 {
        notes.push(counted(places, "place"));
    }
    if forgiven > 0 {
        notes.push("matched apart from blanks".into());
    }
    match notes.is_empty() {
        true => shown.to_owned(),
        false => format!("{shown} ({})", notes.join(", ")),
    }
}

fn current(scene: &Scene, place: &Place, shown: &str, given: &str) -> Result<String, ToolFault> {
    let fault = |fault: DiskFault| match fault {
        DiskFault::Missing => ToolFault(missing(&place.path, shown, given)),
        other => ToolFault(format!("{shown} {other}")),
    };
    let file = disk::open_file(&place.path).map_err(fault)?;
    let most = scene.kit.settings.edit_bytes;
    let content = disk::read_whole(&file, most)
        .map_err(fault)?
        .ok_or_else(|| {
            ToolFault(format!(
                "{shown} has more than {most} bytes: it is not edited"
            ))
        })?;
    let known = scene
        .kit
        .seen
        .compare(&scene.context.session, &place.path, Print::of(&content));
    // A file that was never read may be edited: `old` proves that it is known.
    if known == Knowledge::Outdated {
        return Err(ToolFault(format!(
            "{shown} changed since you read it: read it again first"
        )));
    }
    String::from_utf8(content)
        .map_err(|_| ToolFault(format!("{shown} is not UTF-8 text: it is not edited")))
}

#[cfg(test)]
mod tests;
