//! What no mode lets through: git's own data, credentials, Greenroom's files.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use greenroom_actors::ports::{Act, Touch};

/// Folders that hold keys and logins.
const FOLDERS: &[&str] = &[".ssh", ".aws", ".gnupg", ".azure", ".kube", ".gcloud"];

/// Files that do, by their whole names.
const FILES: &[&str] = &[
    ".env",
    ".netrc",
    ".pypirc",
    ".git-credentials",
    ".pgpass",
    ".vault-token",
];

/// Files that do, by how their names begin.
const BEGINNINGS: &[&str] = &[".env.", "id_rsa", "id_dsa", "id_ecdsa", "id_ed25519"];

/// Files that do, by how their names end.
const ENDINGS: &[&str] = &[".pem", ".p12", ".pfx", ".jks", ".keystore"];

/// Patterns for others to fill in: they hold none.
const SAMPLES: &[&str] = &[".env.example", ".env.sample", ".env.template", ".env.dist"];

/// Whether a path is, or lies in, what usually holds credentials. Judged by the
/// letters alone, in any case.
pub fn is_credential(path: &Path) -> bool {
    let folder = |part: &OsStr| {
        let part = part.to_string_lossy();
        FOLDERS.iter().any(|name| part.eq_ignore_ascii_case(name))
    };
    if path.iter().any(folder) {
        return true;
    }
    let Some(name) = path.file_name() else {
        return false;
    };
    let name = name.to_string_lossy().to_ascii_lowercase();
    if SAMPLES.contains(&name.as_str()) {
        return false;
    }
    FILES.contains(&name.as_str())
        || BEGINNINGS.iter().any(|start| name.starts_with(start))
        || ENDINGS.iter().any(|end| name.ends_with(end))
}

/// What is protected.
pub(super) struct Floor {
    /// Greenroom's own files and folders, links resolved.
    pub own: Vec<PathBuf>,
}

/// Why a call is not let through.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ground<'a> {
    OwnWrite(&'a Path),
    OwnRead(&'a Path),
    GitWrite(&'a Path),
    Credential(&'a Path),
}

impl Floor {
    /// The gravest ground in a call's touches, if there is any.
    pub fn ground<'a>(&self, act: &Act<'a>) -> Option<Ground<'a>> {
        let call = act.call;
        let grounds = call.touches.iter().filter_map(|touch| self.of(touch));
        grounds.min_by_key(|ground| match ground {
            Ground::OwnWrite(_) => 0,
            Ground::OwnRead(_) => 1,
            Ground::Credential(_) => 2,
            Ground::GitWrite(_) => 3,
        })
    }

    fn of<'a>(&self, touch: &'a Touch) -> Option<Ground<'a>> {
        let path = touch.path.as_path();
        if self.own.iter().any(|own| path.starts_with(own)) {
            return Some(match touch.write {
                true => Ground::OwnWrite(path),
                false => Ground::OwnRead(path),
            });
        }
        if is_credential(path) {
            return Some(Ground::Credential(path));
        }
        let in_git = |part: &OsStr| part.to_string_lossy().eq_ignore_ascii_case(".git");
        if touch.write && path.iter().any(in_git) {
            return Some(Ground::GitWrite(path));
        }
        None
    }
}

impl Ground<'_> {
    /// In words, for people and for the model.
    pub fn reason(&self) -> String {
        match self {
            Ground::OwnWrite(path) => format!(
                "{} belongs to Greenroom itself: no tool may write there",
                path.display()
            ),
            Ground::OwnRead(path) => format!("{} belongs to Greenroom itself", path.display()),
            Ground::GitWrite(path) => {
                format!("{} is part of git's own data", path.display())
            }
            Ground::Credential(path) => format!("{} may hold credentials", path.display()),
        }
    }
}
