//! What no mode lets through: git's own data, credentials, Greenroom's files.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use super::matching::{GLOB, may_stand_for};

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

/// Whether a pattern of a command may stand for what usually holds credentials.
pub(super) fn may_be_credential(glob: &str) -> bool {
    // `*` and `?` alone say nothing about names.
    let telling = |part: &&str| {
        let letters = part.chars().filter(|c| !GLOB.contains(c)).count();
        part.contains(GLOB) && (letters > 1 || part.starts_with('.'))
    };
    let mut parts = glob.split('/').filter(telling);
    parts.any(|part| {
        let part = part.to_ascii_lowercase();
        let mut names = FOLDERS.iter().chain(FILES).chain(BEGINNINGS);
        names.any(|name| may_stand_for(&part, name))
    })
}

/// Folders of a workspace that make other programs run things: git's hooks, and
/// the tasks of editors.
const ACTIVE: &[&str] = &[".git", ".vscode", ".idea"];

/// The folder of a workspace that holds Greenroom's own files, and the rules.
const OWN_FOLDER: &str = ".greenroom";
const RULES: &str = "guard.yaml";

/// What is protected.
#[derive(Debug, Clone, Default)]
pub(super) struct Floor {
    /// Greenroom's own files and folders, links resolved.
    pub own: Vec<PathBuf>,
}

/// Why a path is not let through, the gravest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Ground {
    OwnWrite,
    RulesWrite,
    OwnRead,
    Credential,
    ActiveWrite,
}

impl Floor {
    /// The ground on which a path is protected, if there is one.
    pub fn ground(&self, path: &Path, write: bool) -> Option<Ground> {
        if self.own.iter().any(|own| path.starts_with(own)) {
            return Some(match write {
                true => Ground::OwnWrite,
                false => Ground::OwnRead,
            });
        }
        let is = |part: Option<&OsStr>, name: &str| {
            part.is_some_and(|part| part.to_string_lossy().eq_ignore_ascii_case(name))
        };
        if write && is(path.file_name(), RULES) {
            let folder = path.parent().and_then(Path::file_name);
            if is(folder, OWN_FOLDER) {
                return Some(Ground::RulesWrite);
            }
        }
        if is_credential(path) {
            return Some(Ground::Credential);
        }
        let active = |part: &OsStr| {
            ACTIVE.iter().any(|name| is(Some(part), name)) || is(Some(part), OWN_FOLDER)
        };
        (write && path.iter().any(active)).then_some(Ground::ActiveWrite)
    }
}

impl Ground {
    /// Whether nobody may say yes.
    pub fn is_final(self) -> bool {
        matches!(self, Ground::OwnWrite | Ground::RulesWrite)
    }

    /// Whether a rule that allows the path lifts it.
    pub fn yields_to_rules(self) -> bool {
        self == Ground::ActiveWrite
    }

    /// In words, for people and for the model.
    pub fn reason(self, path: &Path) -> String {
        let shown = path.display();
        match self {
            Ground::OwnWrite => {
                format!("{shown} belongs to Greenroom itself: no tool may write there")
            }
            Ground::RulesWrite => {
                format!("{shown} holds the guard's rules: no tool may write them")
            }
            Ground::OwnRead => format!("{shown} belongs to Greenroom itself"),
            Ground::Credential => format!("{shown} may hold credentials"),
            Ground::ActiveWrite if has_part(path, ".git") => {
                format!("{shown} is part of git's own data")
            }
            Ground::ActiveWrite => {
                format!("{shown} can make other programs run things, such as hooks and tasks")
            }
        }
    }
}

fn has_part(path: &Path, name: &str) -> bool {
    path.iter()
        .any(|part| part.to_string_lossy().eq_ignore_ascii_case(name))
}
