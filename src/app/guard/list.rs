//! `guard list` and `guard check`.

use std::fmt::Write;
use std::path::Path;

use serde_json::json;

use super::{print, shown, survey};
use crate::cli::Usage;
use crate::config::Config;
use crate::guard::{Origin, State, Surveyed};

/// Shows the files for a workspace; 1 when one of them is broken.
pub(super) fn run(config: &Config, root: &Path, json: bool) -> Result<u8, Usage> {
    let survey = survey(config);
    let (files, list_error) = survey.all(root);
    let is_broken = |found: &Surveyed| matches!(found.state, State::Broken(_));
    let broken = list_error.is_some() || files.iter().any(is_broken);
    let text = match json {
        true => {
            let files: Vec<_> = files.iter().map(shown::file).collect();
            let object = json!({
                "root": root.to_string_lossy(),
                "ok": !broken,
                "files": files,
                "trust_list": survey.list_path().map(|path| path.to_string_lossy().into_owned()),
                "trust_problem": list_error.as_ref().map(shown::problem),
            });
            format!("{object}\n")
        }
        false => {
            let mut text = String::new();
            for found in &files {
                text.push_str(&paragraph(found));
            }
            if let Some(error) = &list_error {
                let _ = writeln!(text, "problem: {error}; until then nothing is trusted");
            }
            if broken {
                text.push_str("No new session starts here before this is mended.\n");
            }
            text
        }
    };
    print(&text)?;
    Ok(u8::from(broken))
}

/// Checks one file; 1 when it is broken.
pub(super) fn check(config: &Config, file: &Path, json: bool) -> Result<u8, Usage> {
    let found = survey(config).file(file);
    let problem = match &found.state {
        State::Sound { .. } => None,
        State::Broken(error) => Some(error.message.clone()),
        State::Missing => Some(format!(
            "{}: there is no such file; name a rule file",
            file.display()
        )),
    };
    let text = match (json, &found.state, &problem) {
        (true, ..) => {
            let mut object = shown::file(&found);
            // Whose it is depends on where it will lie.
            if let Some(fields) = object.as_object_mut() {
                fields.remove("of");
                fields.insert("ok".to_owned(), problem.is_none().into());
                if let (Some(message), State::Missing) = (&problem, &found.state) {
                    fields.insert("problem".to_owned(), json!({"message": message}));
                }
            }
            format!("{object}\n")
        }
        (false, State::Sound { outline, .. }, _) => {
            let rules = outline.rules.len();
            format!("{}: sound, {rules} rules\n", file.display())
        }
        (false, _, problem) => format!("{}\n", problem.as_deref().unwrap_or_default()),
    };
    print(&text)?;
    Ok(u8::from(problem.is_some()))
}

fn paragraph(found: &Surveyed) -> String {
    let (whose, path) = (found.origin.name(), found.path.display());
    let head = format!("{whose:<8} {path}: {}", shown::state(found));
    match &found.state {
        State::Missing => format!("{head}\n"),
        State::Broken(error) => format!("{head}\n  {error}\n"),
        State::Sound {
            outline,
            digest,
            trusted,
        } => {
            let mut text = format!("{head}\n");
            if found.origin == Origin::Project {
                let _ = writeln!(text, "  sha256 {}", digest.as_str());
            }
            if !trusted {
                text.push_str(
                    "  only what it denies and asks about counts; to trust the rest: \
                     `greenroom guard trust`\n",
                );
            }
            text + &shown::rules(outline)
        }
    }
}
