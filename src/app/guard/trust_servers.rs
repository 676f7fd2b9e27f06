//! `guard trust .mcp.json`: shows the MCP servers that a workspace would start,
//! and records that they are trusted.

use std::path::{Path, PathBuf};

use serde_json::json;

use super::trust::{agreed, not_recorded};
use super::{print, survey};
use crate::app::rpc::cannot_start;
use crate::cli::Usage;
use crate::config::Config;
use crate::guard::{Digest, TrustList};
use crate::mcp::{PROJECT_FILE, read_file, visible};

const QUESTION: &str = "Trust this file, with all that it starts? [y/N] ";

/// Whether a path names a workspace's servers.
pub(super) fn is_meant(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name == PROJECT_FILE)
}

/// Shows, asks and records; 1 when it is not trusted in the end.
pub(super) fn run(config: &Config, path: &Path, yes: bool, json: bool) -> Result<u8, Usage> {
    let file = resolved(path)?;
    let shown = file.display();
    let read = read_file(&file).map_err(|fault| cannot_start(format!("{shown} {fault}"), 1))?;
    let Some(text) = read else {
        return Err(cannot_start(
            format!("there is no {shown}, so there is nothing to trust; name the folder's own"),
            2,
        ));
    };
    let Some(list_path) = survey(config).list_path() else {
        return Err(cannot_start(
            "there is no home folder to keep the list of trusted files in; set $HOME",
            1,
        ));
    };
    let mut list = TrustList::load(&list_path).map_err(|error| cannot_start(error, 1))?;
    let digest = Digest::of(&text);
    let told = |trusted: bool, words: &str| {
        let text = match json {
            true => {
                let path = file.display().to_string();
                let object = json!({"path": path, "sha256": digest.as_str(), "trusted": trusted});
                format!("{object}\n")
            }
            false => format!("{words}\n"),
        };
        print(&text).map(|()| u8::from(!trusted))
    };
    if !json {
        print(&format!(
            "{shown}\nsha256 {}\n{}\n",
            digest.as_str(),
            visible(&String::from_utf8_lossy(&text))
        ))?;
    }
    if list.trusts(&file, &digest) {
        return told(true, "it is trusted already");
    }
    if !yes && !agreed(QUESTION)? {
        return told(false, "it is not trusted");
    }
    // Of the text that was shown, whatever stands there by now.
    let recorded = list.trust(&list_path, &file, digest.clone());
    recorded.map_err(|error| not_recorded(&list_path, &error))?;
    let words = format!("it is trusted from now on, as {} says", list_path.display());
    told(true, &words)
}

/// The file by its folder's real name: a link in its own place is not followed.
fn resolved(path: &Path) -> Result<PathBuf, Usage> {
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let found = folder.canonicalize().map_err(|error| {
        let reason = format!("{}: {error}; name a folder that exists", folder.display());
        cannot_start(reason, 2)
    })?;
    Ok(found.join(PROJECT_FILE))
}
