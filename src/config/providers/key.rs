//! Where keys are read. A key leaves this file as a [`Secret`] or not at all.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use zeroize::Zeroizing;

use super::KeySource;
use crate::config::Environment;
use crate::secret::Secret;

/// No key is longer; a longer file is something else.
const LONGEST: u64 = 16 * 1024;

/// A key, or why there is none, and what should be mended all the same.
pub(super) struct ReadKey {
    pub key: Option<Secret>,
    pub problem: Option<String>,
}

impl ReadKey {
    fn missing(problem: String) -> ReadKey {
        ReadKey {
            key: None,
            problem: Some(problem),
        }
    }
}

/// Reads it. A missing key is no error: the provider may never be used.
pub(super) fn read(source: &KeySource, env: &Environment) -> ReadKey {
    match source {
        KeySource::Variable(name) => read_variable(name, env),
        KeySource::File(path) => read_file(path),
    }
}

fn read_variable(name: &str, env: &Environment) -> ReadKey {
    let text = match env.text(name) {
        Ok(Some(text)) => Zeroizing::new(text),
        Ok(None) => return ReadKey::missing(format!("${name} is not set; put the key there")),
        Err(reason) => return ReadKey::missing(reason),
    };
    match trimmed(&text) {
        Ok(key) => ReadKey {
            key: Some(key),
            problem: None,
        },
        Err(reason) => ReadKey::missing(format!("${name} {reason}")),
    }
}

fn read_file(path: &Path) -> ReadKey {
    let shown = path.display();
    // With this capacity the buffer is never moved, so no copy stays behind.
    let mut text = Zeroizing::new(String::with_capacity(LONGEST as usize + 1));
    let opened = File::open(path).and_then(|file| {
        let others_may_read = others_may_read(&file);
        file.take(LONGEST + 1).read_to_string(&mut text)?;
        Ok(others_may_read)
    });
    let others_may_read = match opened {
        Ok(others_may_read) => others_may_read,
        Err(error) => return ReadKey::missing(format!("{shown} cannot be read: {error}")),
    };
    if text.len() as u64 > LONGEST {
        return ReadKey::missing(format!("{shown} is too long for a key"));
    }
    match trimmed(&text) {
        Ok(key) => ReadKey {
            key: Some(key),
            problem: others_may_read
                .then(|| format!("others may read {shown}; run chmod 600 {shown}")),
        },
        Err(reason) => ReadKey::missing(format!("{shown} {reason}")),
    }
}

/// The key without blanks around it. What could not be sent in a header is
/// refused here, where the reason can still be told.
fn trimmed(text: &str) -> Result<Secret, &'static str> {
    let key = text.trim();
    if key.is_empty() {
        return Err("is empty; put the key there");
    }
    if !key.chars().all(|c| c.is_ascii_graphic()) {
        return Err("holds more than a key: blanks, control or non-ASCII characters");
    }
    Ok(Secret::new(key.to_owned()))
}

#[cfg(unix)]
fn others_may_read(file: &File) -> bool {
    use std::os::unix::fs::PermissionsExt;
    file.metadata()
        .is_ok_and(|data| data.permissions().mode() & 0o044 != 0)
}

#[cfg(not(unix))]
fn others_may_read(_: &File) -> bool {
    false
}
