//! `list_files`: what is in a folder.

use greenroom_actors::ports::{PlannedCall, Ran, ToolFault, ToolSpec, Work};
use greenroom_protocol::session::{Category, Document, Text};

use super::call::{Job, Scene, Stop, Tool, failed, in_background, planned};
use super::input::Fields;
use super::walk::{listing, planned_input, start, walk};

const NAME: &str = "list_files";

const SCHEMA: &str = r#"{
  "type": "object",
  "properties": {
    "path": {"type": "string", "description": "The folder: relative to the workspace, or absolute. Default: the workspace."},
    "depth": {"type": "integer", "minimum": 1, "maximum": 20, "description": "How many levels to go down. Default 1: only the folder's own entries."}
  },
  "additionalProperties": false
}"#;

/// The tool.
pub(super) struct ListFiles;

struct Input {
    path: Option<String>,
    depth: usize,
}

impl Input {
    fn read(input: &Document) -> Result<Input, ToolFault> {
        let mut fields = Fields::read(input)?;
        let path = fields.optional_text("path")?;
        let depth = fields.count("depth", 1..=20)?.unwrap_or(1) as usize;
        fields.finish()?;
        Ok(Input { path, depth })
    }
}

impl Tool for ListFiles {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: Text::from(NAME),
            description: Text::from(
                "List a folder: one path a line, relative to the workspace, folders with a `/` at \
                 the end. Ignored files (.gitignore) and `.git` are left out; up to 1,000 paths.",
            ),
            schema: Document(Text::from(SCHEMA)),
            category: Category::Read,
        }
    }

    fn plan(&self, input: &Document, scene: &Scene) -> Result<PlannedCall, ToolFault> {
        let list = Input::read(input)?;
        let place = start(scene, list.path.as_deref())?;
        let shown = place.shown(&scene.context.root);
        if !place.path.is_dir() {
            return Err(ToolFault(format!("`path`: {shown} is not a folder")));
        }
        let touches = vec![place.touch(false)];
        Ok(planned(NAME, Category::Read, shown, touches, input))
    }

    fn run(&self, job: Job) -> Work<Ran> {
        in_background(move |stop| list(&job, stop).unwrap_or_else(|fault| failed(fault.0)))
    }
}

fn list(job: &Job, stop: &Stop) -> Result<Ran, ToolFault> {
    let (input, folder) = planned_input(job)?;
    let depth = Input::read(input)?.depth;
    let entries = walk(&job.scene, folder, Some(depth), stop).filter(|entry| entry.depth() > 0);
    let nothing = "the folder is empty, or all that is in it is ignored";
    Ok(listing(job, stop, entries, |_| true, nothing))
}
