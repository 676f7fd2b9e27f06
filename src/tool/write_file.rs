//! `write_file`: a whole file, new or in place of one that was read.

use greenroom_actors::ports::{PlannedCall, Ran, ToolFault, ToolSpec, Work};
use greenroom_protocol::session::{Category, Document, EditKind, PlannedEdit, Text};

use super::call::{Job, Scene, Tool, planned};
use super::changes::carry_out;
use super::disk::{self, DiskFault};
use super::input::Fields;
use super::paths::{self, Place};
use super::seen::{Knowledge, Print};

const NAME: &str = "write_file";

const SCHEMA: &str = r#"{
  "type": "object",
  "properties": {
    "path": {"type": "string", "description": "The file: relative to the workspace, or absolute. Missing folders are made."},
    "content": {"type": "string", "description": "The whole new content."}
  },
  "required": ["path", "content"],
  "additionalProperties": false
}"#;

/// The tool.
pub(super) struct WriteFile;

impl Tool for WriteFile {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: Text::from(NAME),
            description: Text::from(
                "Write a whole text file. An existing file is replaced only if you have read it and \
                 it has not changed since; for changes inside a file use edit_file.",
            ),
            schema: Document(Text::from(SCHEMA)),
            category: Category::Edit,
        }
    }

    fn plan(&self, input: &Document, scene: &Scene) -> Result<PlannedCall, ToolFault> {
        let mut fields = Fields::read(input)?;
        let path = fields.text("path")?;
        let content = fields.text("content")?;
        let most = scene.kit.settings.edit_bytes;
        if content.len() > most {
            let size = content.len();
            return Err(fields.fault(
                "content",
                &format!("has {size} bytes: at most {most} are written"),
            ));
        }
        fields.finish()?;
        let root = &scene.context.root;
        if path.ends_with('/') {
            return Err(ToolFault(format!("`path` names a folder: {path}")));
        }
        let place = paths::resolve(root, &path, "path")?;
        let shown = place.shown(root);
        let before = current(scene, &place, &shown)?;
        if before.as_deref() == Some(&*content) {
            return Err(ToolFault(format!(
                "{shown} holds just this already: there is nothing to write"
            )));
        }
        let edit = PlannedEdit {
            path: Text::from(&*shown),
            kind: match before {
                Some(_) => EditKind::Modified,
                None => EditKind::Created,
            },
            before: before.map(Text::from),
            after: Some(Text::from(content)),
        };
        let touches = vec![place.touch(true)];
        Ok(PlannedCall {
            edits: vec![edit],
            ..planned(NAME, Category::Edit, shown, touches, input)
        })
    }

    fn run(&self, job: Job) -> Work<Ran> {
        carry_out(job)
    }
}

/// The text that would be replaced: nothing when there is no file, a fault when
/// the session does not know it.
fn current(scene: &Scene, place: &Place, shown: &str) -> Result<Option<String>, ToolFault> {
    let file = match disk::open_file(&place.path) {
        Ok(file) => file,
        Err(DiskFault::Missing) => return Ok(None),
        Err(fault) => return Err(ToolFault(format!("{shown} {fault}"))),
    };
    let most = scene.kit.settings.edit_bytes;
    let content = disk::read_whole(&file, most)
        .map_err(|fault| ToolFault(format!("{shown} {fault}")))?
        .ok_or_else(|| {
            ToolFault(format!(
                "{shown} has more than {most} bytes: it is not replaced"
            ))
        })?;
    let kit = &scene.kit;
    let session = &scene.context.session;
    match kit.seen.compare(session, &place.path, Print::of(&content)) {
        Knowledge::Current => {}
        Knowledge::Unread => {
            return Err(ToolFault(format!(
                "{shown} exists and you have not read it: read it first, or use edit_file"
            )));
        }
        Knowledge::Outdated => {
            return Err(ToolFault(format!(
                "{shown} changed since you read it: read it again first"
            )));
        }
    }
    let text = String::from_utf8(content);
    text.map(Some)
        .map_err(|_| ToolFault(format!("{shown} is not UTF-8 text: it is not replaced")))
}

#[cfg(test)]
mod tests;
