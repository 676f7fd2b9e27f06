//! One export, from its journals to its file.

use std::io::{self, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use greenroom_protocol::session::{
    ExportFormat, ExportRequest, Happening, Millis, Mode, ModelChoice, Part, SessionId, Text, Usage,
};
use thiserror::Error;

use super::file::Making;
use super::html::Html;
use super::journals::{Journals, Member};
use super::json_lines::JsonLines;
use super::markdown::Markdown;
use super::place::Places;
use super::redacting::{Counting, Redact};
use super::story::{Item, Teller};
use super::tree::{Id, Tree, place_of};
use crate::redact::{Redactor, Tally};

/// The longest line of an outline, in characters.
const OUTLINE_CHARS: usize = 80;

/// What is to be written.
pub struct Export<'a> {
    /// Which session.
    pub session: &'a SessionId,
    /// As what, and where to.
    pub request: &'a ExportRequest,
    /// Where relative paths begin.
    pub root: &'a Path,
    /// The user's folders.
    pub places: &'a Places,
    /// Set by whoever wants it no more.
    pub cancelled: &'a AtomicBool,
}

/// What was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    /// The file's path.
    pub path: PathBuf,
    /// A count and a kind each, of what was taken out.
    pub redacted: Vec<String>,
    /// How many entries it tells.
    pub entries: usize,
}

/// Why nothing was written. No file is left behind.
#[derive(Debug, Error)]
pub enum ExportError {
    /// The journal cannot be read, or there is no place to write to.
    #[error("{0}")]
    Told(String),
    /// The file system refuses.
    #[error("it cannot be written: {0}")]
    File(#[from] io::Error),
    /// Nobody wants it any more.
    #[error("it was stopped")]
    Cancelled,
}

/// What stands at the beginning.
pub(super) struct Head {
    pub session: SessionId,
    pub title: Text,
    pub root: Text,
    pub mode: Mode,
    pub model: Option<ModelChoice>,
    pub created: Millis,
    pub updated: Millis,
    pub turns: u64,
    pub usage: Usage,
    pub images: usize,
    pub all_branches: bool,
    pub members: Vec<Member>,
    /// The prompts that are told, by their first lines.
    pub outline: Vec<(Id, Text)>,
}

/// Where an entry stands.
pub(super) struct Position {
    pub parent: Option<Id>,
    /// On the way to the head of the session that is exported.
    pub on_path: bool,
}

/// How a story is written.
pub(super) trait Format {
    fn head(&mut self, head: &Head, out: &mut dyn Write) -> io::Result<()>;
    fn item(&mut self, item: &Item, at: &Position, out: &mut dyn Write) -> io::Result<()>;
    fn foot(&mut self, entries: usize, redacted: &[String], out: &mut dyn Write) -> io::Result<()>;
}

/// Writes a session to a file.
pub fn write(
    journals: &dyn Journals,
    redactor: Arc<Redactor>,
    export: &Export<'_>,
) -> Result<Written, ExportError> {
    let mut redact = Counting {
        redactor,
        tally: Tally::default(),
    };
    let request = export.request;
    let target = export
        .places
        .target(
            request.path.as_deref(),
            export.root,
            export.session,
            request.format,
        )
        .map_err(ExportError::Told)?;
    let mut making = Making::begin(&target)?;
    let (redacted, entries) = tell(journals, &mut redact, export, &mut making)?;
    let path = making.place(&target, request.format.name())?;
    Ok(Written {
        path,
        redacted,
        entries,
    })
}

/// Tells a session into anything.
pub(super) fn tell(
    journals: &dyn Journals,
    redact: &mut dyn Redact,
    export: &Export<'_>,
    out: &mut dyn Write,
) -> Result<(Vec<String>, usize), ExportError> {
    let all = export.request.all_branches;
    let family = journals
        .family(export.session, all)
        .map_err(ExportError::Told)?;
    let Some(own) = place_of(&family, export.session) else {
        return Err(ExportError::Told("its journal is gone".to_owned()));
    };
    let mut survey = Survey::new(export, &family, redact);
    for member in &family {
        survey.tree.begin(&family, member);
        let is_own = member.id == *export.session;
        each_event(journals, member, export, |event| {
            survey.take(&event, is_own);
            Ok(())
        })?;
    }
    let (tree, mut head, prompts) = survey.finish();
    let path = tree.path(own);
    let is_told = |id: Id| all || path.contains(&id);
    head.outline = prompts.into_iter().filter(|(id, _)| is_told(*id)).collect();
    clean_head(&mut head, redact);

    let mut format: Box<dyn Format> = match export.request.format {
        ExportFormat::Html => Box::new(Html::default()),
        ExportFormat::Markdown => Box::new(Markdown::default()),
        ExportFormat::JsonLines => Box::new(JsonLines),
    };
    format.head(&head, out)?;
    let mut entries = 0;
    for (place, member) in family.iter().enumerate() {
        let mut teller = Teller::new(place);
        let mut last_told = false;
        each_event(journals, member, export, |event| {
            let Some(item) = teller.take(event, redact) else {
                return Ok(());
            };
            let mut at = Position {
                parent: None,
                on_path: true,
            };
            if let Item::Entry(entry) = &item {
                at.parent = tree.parent(entry.id);
                at.on_path = path.contains(&entry.id);
                last_told = is_told(entry.id);
                entries += usize::from(last_told);
            }
            match last_told {
                true => format.item(&item, &at, out).map_err(ExportError::File),
                false => Ok(()),
            }
        })?;
    }
    debug_assert!(!all || entries == tree.len());
    let redacted = redact.lines();
    format.foot(entries, &redacted, out)?;
    Ok((redacted, entries))
}

fn each_event(
    journals: &dyn Journals,
    member: &Member,
    export: &Export<'_>,
    mut act: impl FnMut(greenroom_protocol::session::Event) -> Result<(), ExportError>,
) -> Result<(), ExportError> {
    let mut failed = None;
    let read = journals.read(&member.id, &mut |event| {
        let done = match export.cancelled.load(Ordering::Relaxed) {
            true => Err(ExportError::Cancelled),
            false => act(event),
        };
        match done {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => {
                failed = Some(error);
                ControlFlow::Break(())
            }
        }
    });
    match failed {
        Some(error) => Err(error),
        None => read.map_err(ExportError::Told),
    }
}

fn clean_head(head: &mut Head, redact: &dyn Redact) {
    for text in [&mut head.title, &mut head.root] {
        *text = redact.repeated(text).into();
    }
}

/// What the first pass finds.
struct Survey<'a> {
    tree: Tree,
    head: Head,
    member: usize,
    prompts: Vec<(Id, Text)>,
    redact: &'a dyn Redact,
}

impl<'a> Survey<'a> {
    fn new(export: &Export<'_>, family: &[Member], redact: &'a dyn Redact) -> Survey<'a> {
        Survey {
            tree: Tree::default(),
            head: Head {
                session: export.session.clone(),
                title: "".into(),
                root: "".into(),
                mode: Mode::default(),
                model: None,
                created: Millis(0),
                updated: Millis(0),
                turns: 0,
                usage: Usage::default(),
                images: 0,
                all_branches: export.request.all_branches,
                members: family.to_vec(),
                outline: Vec::new(),
            },
            member: 0,
            prompts: Vec::new(),
            redact,
        }
    }

    fn take(&mut self, event: &greenroom_protocol::session::Event, is_own: bool) {
        self.tree.take(event);
        let head = &mut self.head;
        if let Happening::Opened { .. } = &event.happening {
            self.member += 1;
        }
        match &event.happening {
            Happening::UserMessage { entry, content, .. } => {
                let member = self.member.saturating_sub(1);
                let is_image = |part: &&Part| matches!(part, Part::Image(_));
                head.images += content.parts.iter().filter(is_image).count();
                let text = content.joined_text();
                // Before it is cut: a part of a secret has no shape.
                let clean = self.redact.repeated(&text);
                let line = clean.lines().find(|line| !line.trim().is_empty());
                let line: String = line
                    .unwrap_or("(pictures)")
                    .chars()
                    .take(OUTLINE_CHARS)
                    .collect();
                let entry = *entry;
                self.prompts.push((Id { member, entry }, line.into()));
            }
            Happening::CallEnded(result) => head.images += result.images.len(),
            _ => (),
        }
        if !is_own {
            return;
        }
        head.updated = event.at;
        match &event.happening {
            Happening::Opened {
                root, mode, model, ..
            } => {
                head.created = event.at;
                head.root = root.clone();
                head.mode = mode.clone();
                head.model = Some(model.clone());
            }
            Happening::Titled { title } => head.title = title.clone(),
            Happening::ModeChanged { mode } => head.mode = mode.clone(),
            Happening::ModelChanged { model } => head.model = Some(model.clone()),
            Happening::TurnEnded { usage, .. } => {
                head.turns += 1;
                head.usage = head.usage.plus(*usage);
            }
            Happening::CompactionEnded { usage, .. } => head.usage = head.usage.plus(*usage),
            _ => (),
        }
    }

    fn finish(self) -> (Tree, Head, Vec<(Id, Text)>) {
        (self.tree, self.head, self.prompts)
    }
}
