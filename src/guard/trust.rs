//! Project files that the user trusts: each by its path and the SHA-256 of its
//! text, so that a changed file is a new one.
//!
//! The list has the form of `sha256sum`'s output, one file a line, so that
//! `sha256sum /resolved/path/.greenroom/guard.yaml >> <list>` trusts one.

use std::fmt::Write as _;
use std::fs::{self, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use ring::digest::{SHA256, digest};

use super::rules::RulesError;
use super::source;

/// The name of the list in the user's configuration folder.
pub const LIST: &str = "guard.trusted";

/// A longer list is something else.
const LONGEST: u64 = 1 << 20;

/// A digest of a file's text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Digest(String);

impl Digest {
    /// The digest of a text.
    pub fn of(text: &[u8]) -> Digest {
        let mut hex = String::with_capacity(64);
        for byte in digest(&SHA256, text).as_ref() {
            let _ = write!(hex, "{byte:02x}");
        }
        Digest(hex)
    }

    /// As `sha256sum` prints it: 64 hexadecimal digits in lower case.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The files that are trusted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TrustList {
    entries: Vec<(Digest, PathBuf)>,
}

impl TrustList {
    /// Reads the list; empty when there is none. Refuses one that others could
    /// have written.
    pub fn load(list: &Path) -> Result<TrustList, RulesError> {
        let Some(text) = source::read(list, LONGEST)? else {
            return Ok(TrustList::default());
        };
        let mut entries = Vec::new();
        for (at, line) in text.lines().enumerate() {
            if line.trim().is_empty() || line.starts_with('#') {
                continue;
            }
            let entry = entry(line).ok_or_else(|| {
                let form = "expected `<sha256>  <absolute path>`, as sha256sum prints it; \
                            correct the line or remove it";
                RulesError::of(list, format!("{}: {form}", at + 1))
            })?;
            entries.push(entry);
        }
        Ok(TrustList { entries })
    }

    /// Whether this text at this path is trusted.
    pub fn trusts(&self, file: &Path, digest: &Digest) -> bool {
        let same = |entry: &(Digest, PathBuf)| entry.0 == *digest && entry.1 == file;
        self.entries.iter().any(same)
    }

    /// Trusts a text at a path from now on, in place of older texts there, and
    /// writes the list anew: whole or not at all, for the user alone.
    pub fn trust(&mut self, list: &Path, file: &Path, digest: Digest) -> io::Result<()> {
        let shown = file
            .to_str()
            .filter(|path| !path.contains(char::is_control));
        if shown.is_none() || !file.is_absolute() {
            let what = "only an absolute path in plain text can be trusted";
            return Err(io::Error::new(io::ErrorKind::InvalidInput, what));
        }
        let mut entries = self.entries.clone();
        entries.retain(|(_, path)| path != file);
        entries.push((digest, file.to_owned()));
        write_whole(list, &text(&entries))?;
        self.entries = entries;
        Ok(())
    }
}

fn entry(line: &str) -> Option<(Digest, PathBuf)> {
    let (hex, path) = line.split_once(' ')?;
    let path = path.strip_prefix([' ', '*'])?;
    let is_hex = hex.len() == 64 && hex.bytes().all(|b| b.is_ascii_hexdigit());
    let absolute = path.starts_with('/');
    (is_hex && absolute).then(|| (Digest(hex.to_ascii_lowercase()), PathBuf::from(path)))
}

fn text(entries: &[(Digest, PathBuf)]) -> String {
    let mut text = String::new();
    for (digest, path) in entries {
        let _ = writeln!(text, "{}  {}", digest.0, path.display());
    }
    text
}

/// Writes beside the file and renames over it.
fn write_whole(path: &Path, text: &str) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("/"));
    fs::create_dir_all(folder)?;
    let beside = folder.join(format!(".{LIST}.{:016x}", fastrand::u64(..)));
    let written = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(&beside)
        .and_then(|mut file| {
            file.write_all(text.as_bytes())?;
            file.sync_all()
        })
        .and_then(|()| fs::rename(&beside, path));
    if written.is_err() {
        let _ = fs::remove_file(&beside);
    }
    written
}

/// The text and digest of a file that is to be trusted.
pub fn digest_of(file: &Path) -> io::Result<Digest> {
    let mut text = Vec::new();
    fs::File::open(file)?.take(LONGEST).read_to_end(&mut text)?;
    Ok(Digest::of(&text))
}

#[cfg(test)]
mod tests;
