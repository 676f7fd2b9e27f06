//! `find_files`: files by their names.

use greenroom_actors::ports::{PlannedCall, Ran, ToolFault, ToolSpec, Work};
use greenroom_protocol::session::{Category, Document, Text};

use super::call::{Job, Scene, Stop, Tool, failed, in_background, planned};
use super::input::Fields;
use super::text::headline;
use super::walk::{Entry, glob, listing, planned_input, start, walk};

const NAME: &str = "find_files";

const SCHEMA: &str = r#"{
  "type": "object",
  "properties": {
    "pattern": {"type": "string", "description": "A glob such as `*.rs`, `src/**/*.ts` or `{a,b}.md`. Without a slash it is matched against names at any depth; `*` does not cross a slash, `**` does."},
    "path": {"type": "string", "description": "The folder to look in. Default: the workspace."}
  },
  "required": ["pattern"],
  "additionalProperties": false
}"#;

/// The tool.
pub(super) struct FindFiles;

struct Input {
    pattern: String,
    path: Option<String>,
}

impl Input {
    fn read(input: &Document) -> Result<Input, ToolFault> {
        let mut fields = Fields::read(input)?;
        let pattern = fields.full_text("pattern")?;
        let path = fields.optional_text("path")?;
        fields.finish()?;
        Ok(Input { pattern, path })
    }
}

impl Tool for FindFiles {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: Text::from(NAME),
            description: Text::from(
                "Find files by a glob over their paths below a folder: one path a line, relative to \
                 the workspace, in order of their names. Ignored files (.gitignore) and `.git` are \
                 left out; up to 1,000 paths. To look inside files use search.",
            ),
            schema: Document(Text::from(SCHEMA)),
            category: Category::Read,
        }
    }

    fn plan(&self, input: &Document, scene: &Scene) -> Result<PlannedCall, ToolFault> {
        let find = Input::read(input)?;
        glob(&find.pattern, "pattern")?;
        let place = start(scene, find.path.as_deref())?;
        let shown = place.shown(&scene.context.root);
        let summary = match shown.as_str() {
            "." => headline(&find.pattern),
            folder => format!("{} in {folder}", headline(&find.pattern)),
        };
        let touches = vec![place.touch(false)];
        Ok(planned(NAME, Category::Read, summary, touches, input))
    }

    fn run(&self, job: Job) -> Work<Ran> {
        in_background(move |stop| find(&job, stop).unwrap_or_else(|fault| failed(fault.0)))
    }
}

fn find(job: &Job, stop: &Stop) -> Result<Ran, ToolFault> {
    let (input, folder) = planned_input(job)?;
    let find = Input::read(input)?;
    let matcher = glob(&find.pattern, "pattern")?;
    let wanted = |entry: &Entry| {
        let below = entry.path().strip_prefix(folder).unwrap_or(entry.path());
        !entry.kind().is_dir() && matcher.is_match(below)
    };
    let entries = walk(&job.scene, folder, None, stop);
    let nothing = format!("no file matches {}", find.pattern);
    Ok(listing(job, stop, entries, wanted, &nothing))
}
