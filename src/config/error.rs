//! Why there is no configuration: in words that name the file, the line, the
//! key and the remedy.

use std::path::Path;

use thiserror::Error;

use super::nearest::hint;

/// Why there is no configuration.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{message}")]
pub struct ConfigError {
    /// File, line, key and remedy, as far as they are known.
    pub message: String,
    /// What the process should exit with: 2 when a flag or a variable names
    /// what cannot be, 1 when the file is wrong.
    pub exit_code: u8,
}

/// Where keys of other sections belong, for those who remember the name and
/// not the place.
const SECTIONS: &[(&str, &[&str])] = &[
    (
        "limits",
        &[
            "max_steps",
            "turn_tokens",
            "turn_cost_usd",
            "session_tokens",
            "session_cost_usd",
            "when_met",
            "turn_seconds",
            "answer_tokens",
        ],
    ),
    (
        "deadlines",
        &["connect", "first_piece", "stall", "approval", "question"],
    ),
    ("retries", &["attempts", "base", "cap"]),
    (
        "tools",
        &[
            "shell_timeout",
            "shell_timeout_max",
            "output_cap_kb",
            "whole_output_mb",
            "kept_outputs_mb",
            "jobs",
            "job_output_kb",
            "env",
        ],
    ),
    ("sandbox", &["network", "extra_write", "extra_read"]),
    (
        "web",
        &[
            "enabled",
            "max_page_kb",
            "timeout_seconds",
            "allow_hosts",
            "deny_hosts",
            "allow_private",
        ],
    ),
    ("input", &["max_line_bytes"]),
    ("output", &["soft_bytes", "hard_bytes"]),
    ("log", &["level", "format"]),
    ("journal", &["cache_mb"]),
    ("compaction", &["keep_messages", "at_percent"]),
    ("agents", &["at_once", "depth", "wake"]),
    ("titles", &["by"]),
    ("instructions", &["files", "max_kb"]),
    ("modes.<name>", &["based_on", "system", "tools", "provider"]),
    (
        "providers.<name>",
        &[
            "wire", "base_url", "key_env", "key_file", "model", "headers", "fallback",
        ],
    ),
    (
        "mcp.<name>",
        &[
            "command",
            "args",
            "env",
            "cwd",
            "url",
            "headers",
            "transport",
            "timeout_seconds",
            "start_timeout_seconds",
            "output_cap_kb",
            "disabled",
        ],
    ),
];

/// Names under which people put the key itself.
const KEY_NAMES: [&str; 7] = [
    "key",
    "api_key",
    "apikey",
    "token",
    "secret",
    "auth_token",
    "password",
];

impl ConfigError {
    /// A flag or a variable that cannot be what it is.
    pub(super) fn named(message: impl Into<String>) -> ConfigError {
        ConfigError {
            message: message.into(),
            exit_code: 2,
        }
    }

    /// Anything else.
    pub(super) fn other(message: impl Into<String>) -> ConfigError {
        ConfigError {
            message: message.into(),
            exit_code: 1,
        }
    }

    /// A setting of the file that is wrong.
    pub(super) fn setting(file: &Path, message: impl std::fmt::Display) -> ConfigError {
        ConfigError::other(format!("{}: {message}", file.display()))
    }

    /// What serde or the YAML parser said, in our words.
    pub(super) fn yaml(file: &Path, error: &serde_yaml::Error) -> ConfigError {
        let whole = error.to_string();
        let place = match error.location() {
            Some(place) => format!("{}:{}", file.display(), place.line()),
            None => file.display().to_string(),
        };
        let message = strip_place(&whole);
        let said = match unknown_key(message) {
            Some((section, key, known)) => say_unknown_key(section, key, &known),
            None => reworded(&without_quoted_text(message)),
        };
        ConfigError::other(format!("{place}: {said}"))
    }
}

/// Without ` at line 3 column 5`: the place stands in front.
fn strip_place(message: &str) -> &str {
    match message.rfind(" at line ") {
        Some(at) => &message[..at],
        None => message,
    }
}

/// Takes ``limits: unknown field `x`, expected one of `a`, `b` `` apart.
fn unknown_key(message: &str) -> Option<(&str, &str, Vec<&str>)> {
    let (before, rest) = message.split_once("unknown field `")?;
    let (key, expected) = rest.split_once("`, expected ")?;
    // The names are what stands between odd and even backticks.
    let known = expected.split('`').skip(1).step_by(2).collect();
    Some((before.trim_end_matches([':', ' ']), key, known))
}

fn say_unknown_key(section: &str, key: &str, known: &[&str]) -> String {
    let shown: String = key.chars().take(60).collect();
    let place = match section {
        "" => String::new(),
        section => format!(" in {section}"),
    };
    let in_provider = section.starts_with("providers");
    let plain = key.to_ascii_lowercase().replace('-', "_");
    if in_provider && KEY_NAMES.contains(&plain.as_str()) {
        return format!(
            "{shown:?}{place}: keys never stand in this file; name the environment variable that \
             holds it with key_env, or a file of its own with key_file"
        );
    }
    let near = hint(key, known.iter().copied());
    if !near.is_empty() {
        return format!("unknown key {shown:?}{place}{near}");
    }
    let homes: Vec<&str> = SECTIONS
        .iter()
        .filter(|(_, keys)| keys.contains(&key))
        .map(|(section, _)| *section)
        .collect();
    match homes.is_empty() {
        false => {
            let homes = homes.join(" or ");
            format!("unknown key {shown:?}{place}; it belongs under {homes}")
        }
        true => format!(
            "unknown key {shown:?}{place}; there are {}",
            known.join(", ")
        ),
    }
}

/// Parser's words in ours, where they would not help a person.
fn reworded(message: &str) -> String {
    if let Some((before, rest)) = message.split_once("duplicate field `") {
        let key = rest.trim_end_matches('`');
        return format!("{before}{key:?} stands there twice");
    }
    if message.contains("more than one document") {
        return "there is more than one YAML document; keep one".to_owned();
    }
    if message == "found character that cannot start any token" {
        return format!("{message}; YAML indents with blanks, not with tabs");
    }
    message.to_owned()
}

/// serde quotes a text of the wrong type; it may be a key in the wrong place.
fn without_quoted_text(message: &str) -> String {
    let Some((before, rest)) = message.split_once("string \"") else {
        return message.to_owned();
    };
    match rest.rfind("\", ") {
        Some(end) => format!("{before}text{}", &rest[end + 1..]),
        None => format!("{before}text"),
    }
}
