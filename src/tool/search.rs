//! `search`: lines of files that match a regular expression.

mod report;

use std::io::Read;
use std::path::Path;

use greenroom_actors::ports::{PlannedCall, Ran, ToolFault, ToolSpec, Work};
use greenroom_protocol::session::{Category, Document, Text};
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder};

use super::call::{Job, Scene, Stop, Tool, failed, in_background, planned};
use super::disk;
use super::input::Fields;
use super::paths;
use super::text::headline;
use super::walk::{glob, planned_input, start, walk};
use crate::guard::is_credential;
use report::Report;

const NAME: &str = "search";

/// What one searched file may take of memory: its longest line and context.
const HEAP: usize = 32 << 20;

const SCHEMA: &str = r#"{
  "type": "object",
  "properties": {
    "pattern": {"type": "string", "description": "A regular expression (Rust syntax), matched line by line."},
    "path": {"type": "string", "description": "The folder or file to search. Default: the workspace."},
    "glob": {"type": "string", "description": "Only files that match this glob, such as `*.rs` or `src/**`."},
    "case_insensitive": {"type": "boolean", "description": "Default false."},
    "context": {"type": "integer", "minimum": 0, "maximum": 20, "description": "Lines to show before and after each match. Default 0."}
  },
  "required": ["pattern"],
  "additionalProperties": false
}"#;

/// The tool.
pub(super) struct Search;

struct Input {
    pattern: String,
    path: Option<String>,
    glob: Option<String>,
    case_insensitive: bool,
    context: usize,
}

impl Input {
    fn read(input: &Document) -> Result<Input, ToolFault> {
        let mut fields = Fields::read(input)?;
        let pattern = fields.text("pattern")?;
        if pattern.is_empty() {
            return Err(fields.fault("pattern", "must not be empty"));
        }
        let path = fields.optional_text("path")?;
        let glob = fields.optional_text("glob")?;
        let case_insensitive = fields.flag("case_insensitive")?;
        let context = fields.count("context", 0..=20)?.unwrap_or(0) as usize;
        fields.finish()?;
        Ok(Input {
            pattern,
            path,
            glob,
            case_insensitive,
            context,
        })
    }

    fn matcher(&self) -> Result<RegexMatcher, ToolFault> {
        let built = RegexMatcherBuilder::new()
            .case_insensitive(self.case_insensitive)
            .line_terminator(Some(b'\n'))
            .size_limit(10 << 20)
            .dfa_size_limit(10 << 20)
            .build(&self.pattern);
        built.map_err(|error| ToolFault(format!("`pattern` cannot be searched for: {error}")))
    }
}

impl Tool for Search {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: Text::from(NAME),
            description: Text::from(
                "Search the text of files with a regular expression. Gives `path:line:text` for each \
                 match (`path-line-text` for lines around it), up to 200 matches, in order of the \
                 paths. Ignored files (.gitignore), `.git`, binary files and files that hold \
                 credentials are left out.",
            ),
            schema: Document(Text::from(SCHEMA)),
            category: Category::Read,
        }
    }

    fn plan(&self, input: &Document, scene: &Scene) -> Result<PlannedCall, ToolFault> {
        let search = Input::read(input)?;
        search.matcher()?;
        if let Some(pattern) = &search.glob {
            glob(pattern, "glob")?;
        }
        let place = start(scene, search.path.as_deref())?;
        let mut summary = headline(&search.pattern);
        let shown = place.shown(&scene.context.root);
        if shown != "." {
            summary.push_str(&format!(" in {shown}"));
        }
        if let Some(pattern) = &search.glob {
            summary.push_str(&format!(" ({})", headline(pattern)));
        }
        let touches = vec![place.touch(false)];
        let category = scene.reading(&place.path);
        Ok(planned(NAME, category, summary, touches, input))
    }

    fn run(&self, job: Job) -> Work<Ran> {
        in_background(move |stop| search(&job, stop).unwrap_or_else(|fault| failed(fault.0)))
    }

    fn bounds_itself(&self) -> bool {
        true
    }
}

fn search(job: &Job, stop: &Stop) -> Result<Ran, ToolFault> {
    let (input, start) = planned_input(job)?;
    let search = Input::read(input)?;
    let matcher = search.matcher()?;
    let only = search.glob.as_deref().map(|pattern| glob(pattern, "glob"));
    let only = only.transpose()?;
    let settings = &job.scene.kit.settings;
    let mut report = Report::new(settings);
    let mut searcher = searcher(search.context);
    let start_is_credential = is_credential(start);
    for entry in walk(&job.scene, start, None, stop) {
        if stop.is_set() || report.is_full() {
            break;
        }
        if !entry.kind().is_file() {
            continue;
        }
        let path = entry.path();
        let below = path.strip_prefix(start).unwrap_or(path);
        if only
            .as_ref()
            .is_some_and(|only| path != start && !only.is_match(below))
        {
            continue;
        }
        // Whoever names such a place was asked about it; a walk passes it by.
        if !start_is_credential && is_credential(path) {
            report.passed_credentials += 1;
            continue;
        }
        let shown = paths::shown(&job.scene.context.root, path);
        search_file(&mut searcher, &matcher, path, shown, &mut report, stop);
    }
    Ok(report.finish(&search.pattern))
}

fn search_file(
    searcher: &mut Searcher,
    matcher: &RegexMatcher,
    path: &Path,
    shown: String,
    report: &mut Report,
    stop: &Stop,
) {
    let searched = match disk::open_file(path) {
        Ok(file) => {
            let reader = Stoppable { inner: file, stop };
            searcher.search_reader(matcher, reader, report.file(shown))
        }
        Err(_) => {
            report.unread += 1;
            return;
        }
    };
    if searched.is_err() {
        report.unread += 1;
    }
}

fn searcher(context: usize) -> Searcher {
    SearcherBuilder::new()
        .line_number(true)
        .before_context(context)
        .after_context(context)
        .heap_limit(Some(HEAP))
        .binary_detection(BinaryDetection::quit(0))
        .build()
}

/// A reader that ends with an error once nobody waits for it.
struct Stoppable<'a, R> {
    inner: R,
    stop: &'a Stop,
}

impl<R: Read> Read for Stoppable<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        if self.stop.is_set() {
            return Err(std::io::Error::other("stopped"));
        }
        self.inner.read(buffer)
    }
}

#[cfg(test)]
mod tests;
