//! `guard trust`: shows a project's rules and records that they are trusted.

use std::ffi::OsStr;
use std::io::{self, BufRead, IsTerminal, Read, Write};
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::{print, shown, survey, trust_servers};
use crate::app::rpc::cannot_start;
use crate::cli::Usage;
use crate::config::Config;
use crate::guard::{Digest, Outline, PROJECT_FILE, State, Surveyed};

/// A longer answer is none.
const LONGEST_ANSWER: u64 = 64;

/// Shows, asks and records; 1 when it is not trusted in the end.
pub(super) fn run(config: &Config, path: &Path, yes: bool, json: bool) -> Result<u8, Usage> {
    if std::env::var_os("GREENROOM_CALL").is_some() {
        return Err(cannot_start(
            "this command was started by an agent, which cannot trust rules for you; run it in a \
             terminal of your own",
            1,
        ));
    }
    if trust_servers::is_meant(path) {
        return trust_servers::run(config, path, yes, json);
    }
    let root = workspace_of(path)?;
    let survey = survey(config);
    let Some(list_path) = survey.list_path() else {
        return Err(cannot_start(
            "there is no home folder to keep the list of trusted files in; set $HOME",
            1,
        ));
    };
    let broken = |error: crate::guard::RulesError| cannot_start(error, 1);
    let (found, mut list) = survey.project(&root).map_err(broken)?;
    let (outline, digest, trusted) = match &found.state {
        State::Sound {
            outline,
            digest,
            trusted,
        } => (outline, digest, *trusted),
        State::Broken(error) => return Err(cannot_start(error, 1)),
        State::Missing => {
            let reason = format!(
                "there is no {}, so there is nothing to trust; name the folder of a project",
                found.path.display()
            );
            return Err(cannot_start(reason, 2));
        }
    };
    if !json {
        print(&page(&found, outline, digest))?;
    }
    if trusted {
        return told(&found, true, "it is trusted already", json);
    }
    if !yes && !agreed("Trust these rules, with all that they allow? [y/N] ")? {
        return told(&found, false, "it is not trusted", json);
    }
    // Of the text that was shown, whatever stands there by now.
    let recorded = list.trust(&list_path, &found.path, digest.clone());
    recorded.map_err(|error| not_recorded(&list_path, &error))?;
    let words = format!("it is trusted from now on, as {} says", list_path.display());
    told(&found, true, &words, json)
}

/// The workspace that is meant: the folder, or the one that a rule file is for.
fn workspace_of(path: &Path) -> Result<PathBuf, Usage> {
    let shown = path.display();
    let found = path
        .canonicalize()
        .map_err(|error| cannot_start(format!("{shown}: {error}; name a folder that exists"), 2))?;
    if found.is_dir() {
        return Ok(found);
    }
    // By its own name, not by where a link leads.
    let folder = path.parent().map(|folder| match folder.as_os_str() {
        empty if empty.is_empty() => Path::new("."),
        _ => folder,
    });
    let folder = folder.and_then(|folder| folder.canonicalize().ok());
    let root = folder
        .filter(|folder| folder.file_name() == Some(OsStr::new(".greenroom")))
        .and_then(|folder| folder.parent().map(Path::to_owned));
    match root {
        Some(root) if path.file_name() == Some(OsStr::new("guard.yaml")) => Ok(root),
        _ => Err(cannot_start(
            format!("{shown} is no project's rule file; that is {PROJECT_FILE} in its folder"),
            2,
        )),
    }
}

fn page(found: &Surveyed, outline: &Outline, digest: &Digest) -> String {
    format!(
        "{}\nsha256 {}\n{}",
        found.path.display(),
        digest.as_str(),
        shown::rules(outline)
    )
}

pub(super) fn not_recorded(list: &Path, error: &io::Error) -> Usage {
    let reason = format!(
        "{} cannot be written: {error}; make its folder writable for this user",
        list.display()
    );
    cannot_start(reason, 1)
}

/// Asks on the terminal.
pub(super) fn agreed(question: &str) -> Result<bool, Usage> {
    if !io::stdin().is_terminal() || !io::stderr().is_terminal() {
        return Err(cannot_start(
            "there is no terminal to ask on; read the rules and add --yes",
            2,
        ));
    }
    let failed = |error: io::Error| cannot_start(format!("it cannot be asked: {error}"), 1);
    io::stderr()
        .write_all(question.as_bytes())
        .map_err(failed)?;
    let mut answer = Vec::new();
    let mut input = io::stdin().lock().take(LONGEST_ANSWER);
    input.read_until(b'\n', &mut answer).map_err(failed)?;
    let answer = String::from_utf8_lossy(&answer).trim().to_ascii_lowercase();
    Ok(matches!(&*answer, "y" | "yes"))
}

fn told(found: &Surveyed, trusted: bool, words: &str, json: bool) -> Result<u8, Usage> {
    let text = match json {
        true => {
            let mut object = shown::file(found);
            let state = if trusted { "in_effect" } else { "not_trusted" };
            if let Some(fields) = object.as_object_mut() {
                fields.insert("state".to_owned(), Value::from(state));
                fields.insert("trusted".to_owned(), json!(trusted));
            }
            format!("{object}\n")
        }
        false => format!("{words}\n"),
    };
    print(&text)?;
    Ok(u8::from(!trusted))
}
