//! One output that is kept while it comes.

use std::fs::{DirBuilder, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use tokio::fs::File;
use tokio::io::AsyncWriteExt;

use super::{Outputs, tidy};

/// The whole of an output. Nothing is written before it is longer than what the
/// model reads. Dropped before its end, it leaves nothing.
pub(in crate::tool) struct Whole {
    outputs: Outputs,
    folder: Option<PathBuf>,
    name: String,
    most: usize,
    state: State,
}

enum State {
    /// It is short enough so far.
    Waiting(String),
    /// It goes into a file.
    Writing(Written),
    /// It is not kept: why.
    Lost(String),
}

struct Written {
    file: File,
    path: PathBuf,
    bytes: u64,
    /// Whether there was more than may be kept.
    is_full: bool,
}

impl Whole {
    pub(super) fn new(
        outputs: &Outputs,
        folder: Option<PathBuf>,
        name: &str,
        most: usize,
    ) -> Whole {
        Whole {
            outputs: outputs.clone(),
            folder,
            name: name.to_owned(),
            most,
            state: State::Waiting(String::new()),
        }
    }

    /// Takes the next piece.
    pub async fn push(&mut self, piece: &str) {
        let Some(folder) = &self.folder else {
            return;
        };
        let pushed = match &mut self.state {
            State::Waiting(text) if text.len() + piece.len() <= self.most => {
                text.push_str(piece);
                return;
            }
            State::Waiting(text) => {
                let text = std::mem::take(text);
                match create(folder, &self.name).await {
                    Ok((file, path)) => {
                        let mut written = Written {
                            file,
                            path,
                            bytes: 0,
                            is_full: false,
                        };
                        let first = written.write(&text, self.outputs.longest).await;
                        let second = match first {
                            Ok(()) => written.write(piece, self.outputs.longest).await,
                            Err(error) => Err(error),
                        };
                        self.state = State::Writing(written);
                        second
                    }
                    Err(error) => Err(error),
                }
            }
            State::Writing(written) => written.write(piece, self.outputs.longest).await,
            State::Lost(_) => return,
        };
        if let Err(error) = pushed {
            self.lose(error);
        }
    }

    /// What to say of it where the output is cut; empty when nothing is kept
    /// here at all.
    pub async fn finish(mut self) -> String {
        if let State::Writing(written) = &mut self.state
            && let Err(error) = written.file.flush().await
        {
            self.lose(error);
        }
        match std::mem::replace(&mut self.state, State::Waiting(String::new())) {
            State::Waiting(_) => String::new(),
            State::Lost(why) => format!("; the whole could not be kept: {why}"),
            State::Writing(written) => {
                self.tidy(&written.path);
                let what = match written.is_full {
                    true => format!("the first {} bytes are", written.bytes),
                    false => "the whole is".to_owned(),
                };
                let path = written.path.display();
                format!("; {what} in {path}: read_file with offset and limit, or search it")
            }
        }
    }

    /// From now on there is no room for it.
    #[cfg(test)]
    pub(super) async fn fill_disk(&mut self) {
        if let State::Writing(written) = &mut self.state {
            let full = File::options().write(true).open("/dev/full").await;
            written.file = full.unwrap();
        }
    }

    fn lose(&mut self, error: io::Error) {
        tracing::warn!(%error, "the whole of an output could not be kept");
        let lost = State::Lost(error.to_string());
        remove(std::mem::replace(&mut self.state, lost));
    }

    /// Makes room, beside whatever else goes on.
    fn tidy(&self, newest: &Path) {
        let Some(folder) = self.outputs.folder.clone() else {
            return;
        };
        let (newest, most) = (newest.to_owned(), self.outputs.most);
        tokio::task::spawn_blocking(move || tidy::tidy(&folder, &newest, most));
    }
}

impl Written {
    async fn write(&mut self, piece: &str, longest: u64) -> io::Result<()> {
        let room = usize::try_from(longest - self.bytes).unwrap_or(usize::MAX);
        let (fits, more) = piece.split_at(piece.floor_char_boundary(room));
        // Nothing behind what was left out.
        if self.is_full {
            return Ok(());
        }
        self.is_full = !more.is_empty();
        self.bytes += fits.len() as u64;
        self.file.write_all(fits.as_bytes()).await
    }
}

impl Drop for Whole {
    fn drop(&mut self) {
        remove(std::mem::replace(
            &mut self.state,
            State::Waiting(String::new()),
        ));
    }
}

fn remove(state: State) {
    if let State::Writing(written) = state {
        let _ = std::fs::remove_file(&written.path);
    }
}

/// A new file in the session's folder. Calls of several turns may bear the same
/// name.
async fn create(folder: &Path, name: &str) -> io::Result<(File, PathBuf)> {
    let (folder, name) = (folder.to_owned(), name.to_owned());
    let creating = tokio::task::spawn_blocking(move || {
        let mut folders = DirBuilder::new();
        folders.recursive(true).mode(0o700).create(&folder)?;
        let random = format!("{name}-{:08x}", fastrand::u32(..));
        let mut last = io::Error::from(io::ErrorKind::AlreadyExists);
        for name in [name, random] {
            let path = folder.join(format!("{name}.txt"));
            let mut options = OpenOptions::new();
            match options.write(true).create_new(true).mode(0o600).open(&path) {
                Ok(file) => return Ok((File::from_std(file), path)),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => last = error,
                Err(error) => return Err(error),
            }
        }
        Err(last)
    });
    creating.await.map_err(io::Error::other)?
}
