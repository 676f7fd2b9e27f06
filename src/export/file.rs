//! A file that is there as a whole or not at all.

use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use super::place::Target;

/// How many default names are tried.
const MOST_NAMES: u32 = 10_000;

/// A file in the making, beside where it will stand. Dropped before it is put
/// in place, it is gone.
pub(super) struct Making {
    path: PathBuf,
    file: BufWriter<File>,
    placed: bool,
}

impl Making {
    /// Begins a file in the target's folder, readable by its owner alone.
    pub fn begin(target: &Target) -> io::Result<Making> {
        let folder = match target {
            Target::Named(path) => path.parent().unwrap_or(Path::new("/")),
            Target::Free { folder, .. } => folder,
        };
        let name = format!(".greenroom-export-{:016x}", fastrand::u64(..));
        let path = folder.join(name);
        let file = OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(&path)?;
        Ok(Making {
            path,
            file: BufWriter::with_capacity(64 << 10, file),
            placed: false,
        })
    }

    /// Puts the whole file where it belongs; returns its path.
    pub fn place(mut self, target: &Target, ending: &str) -> io::Result<PathBuf> {
        self.file.flush()?;
        self.file.get_ref().sync_all()?;
        let placed = match target {
            Target::Named(path) => {
                std::fs::rename(&self.path, path)?;
                self.placed = true;
                path.clone()
            }
            Target::Free { folder, stem } => self.link(folder, stem, ending)?,
        };
        // The name must outlive the machine's power, as the content does.
        if let Some(folder) = placed.parent() {
            File::open(folder)?.sync_all()?;
        }
        Ok(placed)
    }

    /// A link is made only where nothing is; the name in the making goes when
    /// this is dropped.
    fn link(&self, folder: &Path, stem: &str, ending: &str) -> io::Result<PathBuf> {
        for number in 1..=MOST_NAMES {
            let name = match number {
                1 => format!("{stem}.{ending}"),
                number => format!("{stem}-{number}.{ending}"),
            };
            let path = folder.join(name);
            match std::fs::hard_link(&self.path, &path) {
                Ok(()) => return Ok(path),
                Err(error) if error.kind() == ErrorKind::AlreadyExists => (),
                Err(error) => return self.create(&path, error),
            }
        }
        Err(io::Error::other(
            "too many exports of this session are there; remove some",
        ))
    }

    /// Where there are no hard links: the name is taken first, then replaced.
    fn create(&self, path: &Path, refused: io::Error) -> io::Result<PathBuf> {
        let taken = OpenOptions::new().write(true).create_new(true).open(path);
        match taken {
            Ok(_) => std::fs::rename(&self.path, path).map(|()| path.to_owned()),
            Err(_) => Err(refused),
        }
    }
}

impl Write for Making {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Drop for Making {
    fn drop(&mut self) {
        if !self.placed {
            let _ = std::fs::remove_file(&self.path);
        }
    }
}
