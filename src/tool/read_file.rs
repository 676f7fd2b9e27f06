//! `read_file`: a file's text or a range of its lines, or a picture.

mod window;

use std::fs::File;
use std::io::{BufReader, Read, Seek};
use std::path::Path;

use greenroom_actors::ports::{PlannedCall, Ran, ToolFault, ToolSpec, Work};
use greenroom_protocol::session::{Category, Document, Image, ImageFormat, Text};

use super::call::{Job, Scene, Stop, Tool, done, failed, in_background, planned};
use super::disk::{self, DiskFault};
use super::input::{Fields, nearest};
use super::paths;
use super::seen::Print;
use super::settings::ToolSettings;
use super::text::counted;
use window::{Window, WindowLimits};

const NAME: &str = "read_file";

const SCHEMA: &str = r#"{
  "type": "object",
  "properties": {
    "path": {"type": "string", "description": "The file: relative to the workspace, or absolute. `~` is not expanded."},
    "offset": {"type": "integer", "minimum": 1, "description": "First line to read, from 1. Default 1."},
    "limit": {"type": "integer", "minimum": 1, "description": "How many lines to read. Default: as many as one call gives."}
  },
  "required": ["path"],
  "additionalProperties": false
}"#;

/// The tool.
pub(super) struct ReadFile;

struct Input {
    path: String,
    offset: usize,
    limit: Option<usize>,
}

impl Input {
    fn read(input: &Document) -> Result<Input, ToolFault> {
        let mut fields = Fields::read(input)?;
        let path = fields.text("path")?;
        let lines = 1..=1_000_000_000;
        let offset = fields.count("offset", lines.clone())?.unwrap_or(1) as usize;
        let limit = fields.count("limit", lines)?.map(|limit| limit as usize);
        fields.finish()?;
        Ok(Input {
            path,
            offset,
            limit,
        })
    }
}

impl Tool for ReadFile {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: Text::from(NAME),
            description: Text::from(
                "Read a text file, or look at a picture (PNG, JPEG, GIF, WebP). One call gives up \
                 to 2,000 lines or 256 KB; a first line in brackets says when that is not all, and \
                 how to read on with `offset`. Read a file before you overwrite it.",
            ),
            schema: Document(Text::from(SCHEMA)),
            category: Category::Read,
        }
    }

    fn plan(&self, input: &Document, scene: &Scene) -> Result<PlannedCall, ToolFault> {
        let read = Input::read(input)?;
        let root = &scene.context.root;
        let place = paths::resolve(root, &read.path, "path")?;
        let mut summary = place.shown(root);
        if let Some(limit) = read.limit {
            let last = read.offset.saturating_add(limit - 1);
            summary.push_str(&format!(":{}-{last}", read.offset));
        } else if read.offset > 1 {
            summary.push_str(&format!(":{}-", read.offset));
        }
        let touches = vec![place.touch(false)];
        let category = scene.reading(&place.path);
        Ok(planned(NAME, category, summary, touches, input))
    }

    fn run(&self, job: Job) -> Work<Ran> {
        in_background(move |stop| read(&job, stop))
    }

    fn bounds_itself(&self) -> bool {
        true
    }
}

fn read(job: &Job, stop: &Stop) -> Ran {
    let greenroom_actors::ports::Action::Run(input) = &job.planned.action else {
        return failed("this call was not planned as one that runs");
    };
    let (read, touch) = match (Input::read(input), job.planned.touches.first()) {
        (Ok(read), Some(touch)) => (read, touch),
        (Err(fault), _) => return failed(fault.0),
        (_, None) => return failed("this call was planned without its path"),
    };
    let root = &job.scene.context.root;
    let shown = paths::shown(root, &touch.path);
    match disk::open_file(&touch.path) {
        Ok(file) => read_open(job, &read, &touch.path, &shown, file, stop)
            .unwrap_or_else(|fault| failed(format!("{shown} {fault}"))),
        Err(DiskFault::Folder) => failed(format!("{shown} is a folder: use list_files")),
        Err(DiskFault::Missing) => failed(missing(&touch.path, &shown, &read.path)),
        Err(fault) => failed(format!("{shown} {fault}")),
    }
}

fn read_open(
    job: &Job,
    read: &Input,
    path: &Path,
    shown: &str,
    mut file: File,
    stop: &Stop,
) -> Result<Ran, DiskFault> {
    let settings = &job.scene.kit.settings;
    let size = file.metadata()?.len();
    let mut start = [0; 8_192];
    let length = fill(&mut file, &mut start)?;
    let start = start.get(..length).unwrap_or_default();
    file.rewind()?;
    if let Some(format) = ImageFormat::sniff(start) {
        return picture(&file, format, size, shown, settings);
    }
    if start.contains(&0) {
        return Ok(failed(format!(
            "{shown} is a binary file of {size} bytes: it is not shown"
        )));
    }
    let limits = WindowLimits {
        first: read.offset,
        lines: read.limit.unwrap_or(usize::MAX).min(settings.read_lines),
        bytes: settings.read_bytes,
        line_bytes: settings.line_bytes,
    };
    // A file that may be edited is read whole, so that what the session knows
    // of it can be compared later; of others just the range is looked for.
    let whole = disk::read_whole(&file, settings.edit_bytes)?;
    let (window, utf8) = match &whole {
        Some(content) => {
            let context = &job.scene.context;
            let seen = &job.scene.kit.seen;
            seen.note(&context.session, path, Print::of(content));
            let utf8 = std::str::from_utf8(content).is_ok();
            (Window::of(content.as_slice(), &limits, true, stop)?, utf8)
        }
        None => {
            file.rewind()?;
            let reader = BufReader::with_capacity(1 << 16, file);
            (Window::of(reader, &limits, false, stop)?, true)
        }
    };
    Ok(tell(window, &limits, shown, size, utf8))
}

fn tell(window: Window, limits: &WindowLimits, shown: &str, size: u64, utf8: bool) -> Ran {
    if window.shown == 0 && limits.first > 1 {
        let lines = counted(window.passed, "line");
        return failed(format!(
            "{shown} has {lines}: `offset` {} is past its end",
            limits.first
        ));
    }
    if size == 0 && window.shown == 0 {
        return done(format!("{shown} is empty"));
    }
    let last = limits.first + window.shown.saturating_sub(1);
    let mut notes = Vec::new();
    let all = limits.first == 1 && !window.more;
    if !all {
        let total = match window.more && !window.counted {
            true => format!("a file of {size} bytes, too large to count its lines"),
            false => window.passed.to_string(),
        };
        notes.push(format!("lines {}-{last} of {total}", limits.first));
        if window.more {
            notes.push(format!("read on with offset {}", last + 1));
        }
    }
    if window.crlf {
        notes.push("lines end in CRLF".into());
    }
    if !utf8 || window.lossy {
        notes.push(
            "not UTF-8: what cannot be read is shown as U+FFFD, and edits are refused".into(),
        );
    }
    let truncated = window.more || window.cut_lines;
    let text = match notes.is_empty() {
        true => window.text,
        false => format!("[{}]\n{}", notes.join("; "), window.text),
    };
    Ran {
        truncated,
        ..done(text)
    }
}

fn picture(
    file: &File,
    format: ImageFormat,
    size: u64,
    shown: &str,
    settings: &ToolSettings,
) -> Result<Ran, DiskFault> {
    let Some(bytes) = disk::read_whole(file, settings.image_bytes)? else {
        return Ok(failed(format!(
            "{shown} is a picture of {size} bytes: more than {} are not shown; make a smaller copy",
            settings.image_bytes
        )));
    };
    let text = format!("{shown}: {}, {size} bytes", format.media_type());
    Ok(Ran {
        images: vec![Image {
            format,
            bytes: bytes.into(),
        }],
        ..done(text)
    })
}

fn fill(file: &mut File, buffer: &mut [u8]) -> Result<usize, DiskFault> {
    let mut length = 0;
    while let Some(rest) = buffer.get_mut(length..).filter(|rest| !rest.is_empty()) {
        match file.read(rest)? {
            0 => break,
            more => length += more,
        }
    }
    Ok(length)
}

/// What to say of a file that isn't there, with a name that is like it.
pub(super) fn missing(path: &Path, shown: &str, given: &str) -> String {
    if given.starts_with('~') {
        return format!("{shown} does not exist: `~` is not expanded, give the whole path");
    }
    let names: Vec<String> = match path.parent().map(std::fs::read_dir) {
        Some(Ok(entries)) => entries
            .take(1_000)
            .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
            .collect(),
        _ => Vec::new(),
    };
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    match nearest(&name, &names) {
        Some(near) => format!("{shown} does not exist; in the same folder is `{near}`"),
        None => format!("{shown} does not exist"),
    }
}

#[cfg(test)]
mod tests;
