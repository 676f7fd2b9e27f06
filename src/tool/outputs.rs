//! Outputs that are longer than what the model reads: the whole of each, in a
//! file `<state folder>/outputs/<session>/<call>.txt` that is only the user's.
//!
//! - `whole` writes one while it comes, [`Outputs::fit`] one that is there.
//! - `tidy` removes the oldest when there are too many.
//!
//! A session reads its own without asking, and nothing else of the state folder:
//! [`Outputs::owns`] says which path is which. When a file can't be written, the
//! output is cut all the same, and the text says so: no call fails for it.

mod tidy;
mod whole;

use std::path::{Path, PathBuf};

use greenroom_protocol::session::{CallId, SessionId};

use super::paths;
use super::settings::ToolSettings;
use super::text::HeadTail;
pub(super) use whole::Whole;

/// Where whole outputs are kept, and how much of them. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct Outputs {
    /// Absolute, links resolved; nothing where none are kept.
    folder: Option<PathBuf>,
    /// The longest of them; more is left out at its end.
    longest: u64,
    /// All together.
    most: u64,
}

impl Outputs {
    /// As set.
    pub(super) fn new(settings: &ToolSettings) -> Outputs {
        let most = settings.kept_outputs_bytes;
        let longest = settings.whole_output_bytes.min(most);
        let folder = settings.outputs_folder.as_deref();
        Outputs {
            folder: folder.filter(|_| longest > 0).and_then(paths::resolved),
            longest,
            most,
        }
    }

    /// Cuts a text to `most` bytes, from its head and its tail, and keeps the
    /// whole; the place of the cut names the file. Gives the text, and whether
    /// it was cut.
    pub async fn fit(
        &self,
        session: &SessionId,
        call: &CallId,
        text: String,
        most: usize,
    ) -> (String, bool) {
        if text.len() <= most {
            return (text, false);
        }
        let mut cut = HeadTail::new(most);
        let mut whole = self.whole(session, call, most);
        cut.push(&text);
        whole.push(&text).await;
        cut.finish(&whole.finish().await)
    }

    /// Keeps the whole of an output that is coming, once it is longer than
    /// `most` bytes.
    pub(super) fn whole(&self, session: &SessionId, call: &CallId, most: usize) -> Whole {
        let folder = self.folder_of(session);
        Whole::new(self, folder, &file_name(&call.to_string()), most)
    }

    /// Whether a path (absolute, links resolved) is one of a session's own
    /// outputs, or the folder of them.
    pub(super) fn owns(&self, session: &SessionId, path: &Path) -> bool {
        let own = self.folder_of(session);
        own.is_some_and(|own| path == own || path.parent() == Some(&*own))
    }

    /// Removes what is kept of a session: one that is over and not saved.
    /// Blocks.
    pub fn forget(&self, session: &SessionId) {
        let Some(folder) = self.folder_of(session) else {
            return;
        };
        for folder in std::iter::once(folder).chain(self.of_sub_agents(session)) {
            match std::fs::remove_dir_all(&folder) {
                Ok(()) => (),
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => (),
                Err(error) => tracing::warn!(%session, %error, "its outputs could not be removed"),
            }
        }
    }

    /// The folders of a session's sub-agents, whose names begin with its own.
    fn of_sub_agents(&self, session: &SessionId) -> Vec<PathBuf> {
        let begins = format!("{session}-a");
        let entries = self
            .folder
            .as_ref()
            .and_then(|it| std::fs::read_dir(it).ok());
        let entries = entries.into_iter().flatten().flatten();
        let of_it = entries.filter(|entry| {
            let name = entry.file_name();
            name.to_str().is_some_and(|name| name.starts_with(&begins))
        });
        of_it.map(|entry| entry.path()).collect()
    }

    fn folder_of(&self, session: &SessionId) -> Option<PathBuf> {
        let name = session.to_string();
        // A name with anything else in it might lead elsewhere.
        let is_plain = !name.is_empty() && name == file_name(&name);
        let folder = self.folder.as_ref().filter(|_| is_plain)?;
        Some(folder.join(name))
    }
}

/// A name as a part of a path: providers choose those of calls.
fn file_name(name: &str) -> String {
    let plain = |c: char| match c.is_ascii_alphanumeric() || c == '-' || c == '_' {
        true => c,
        false => '_',
    };
    name.chars().take(80).map(plain).collect()
}

#[cfg(test)]
mod tests;
