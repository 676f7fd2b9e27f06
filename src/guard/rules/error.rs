//! Why a rule file is refused: in words that name the file, line and column, the
//! rule, and the remedy.

use std::path::Path;

use thiserror::Error;

/// Why there are no rules.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{message}")]
pub struct RulesError {
    /// `file:line:column: rule: what is wrong; what to do`, as far as known.
    pub message: String,
    /// Line and column, from 1, where that is known.
    pub place: Option<(usize, usize)>,
}

impl RulesError {
    /// About a file as a whole.
    pub fn of(file: &Path, what: impl std::fmt::Display) -> RulesError {
        RulesError {
            message: format!("{}: {what}", file.display()),
            place: None,
        }
    }

    /// What the YAML reader or one of our readers said.
    pub(super) fn yaml(file: &Path, error: &serde_yaml::Error) -> RulesError {
        let whole = error.to_string();
        let message = match whole.rfind(" at line ") {
            Some(at) => &whole[..at],
            None => &whole,
        };
        let message = reworded(message);
        match error.location() {
            Some(place) => {
                let (line, column) = (place.line(), place.column());
                RulesError::placed(file, line, column, &message)
            }
            None => RulesError::of(file, message),
        }
    }

    fn placed(file: &Path, line: usize, column: usize, message: &str) -> RulesError {
        RulesError {
            message: format!("{}:{line}:{column}: {message}", file.display()),
            place: Some((line, column)),
        }
    }
}

/// The reader's words in ours, where they would not help a person.
fn reworded(message: &str) -> String {
    if message.contains("more than one document") {
        return "there is more than one YAML document; keep one".to_owned();
    }
    if message.contains("cannot start any token") {
        return format!(
            "{message}; indent with blanks, and quote patterns that begin with `*`, `!`, `@` or `%`"
        );
    }
    if message.contains("alias") || message.contains("anchor") {
        return format!("{message}; quote patterns that begin with `*` or `&`");
    }
    if message.contains("invalid type: integer")
        || message.contains("invalid type: boolean")
        || message.contains("invalid type: floating")
    {
        return format!("{message}; put it in quotes if it is meant as a text");
    }
    if message.contains("invalid type: null") || message.contains("invalid type: unit") {
        return format!("{message}; give the key a value or leave it out");
    }
    message.to_owned()
}
