//! The front matter of a `SKILL.md`: YAML between two lines of `---`.

use serde::Deserialize;

use crate::front_matter::split;

/// The longest name, in characters.
const LONGEST_NAME: usize = 64;
/// The longest description, in characters.
const LONGEST_DESCRIPTION: usize = 1024;

/// What is used of it. Other keys (license, compatibility, metadata …) are for
/// others.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(super) struct Head {
    pub name: String,
    pub description: String,
}

/// Reads and checks the head of a text; what is wrong with it in words.
pub(super) fn read(text: &str) -> Result<Head, String> {
    let (head, _) =
        split(text).ok_or("it does not begin with front matter between two lines of ---")?;
    let head: Head =
        serde_yaml::from_str(head).map_err(|error| format!("its front matter: {error}"))?;
    let is_plain = |mark: char| mark.is_ascii_lowercase() || mark.is_ascii_digit() || mark == '-';
    if head.name.is_empty() || head.name.len() > LONGEST_NAME || !head.name.chars().all(is_plain) {
        return Err(format!(
            "its name may have up to {LONGEST_NAME} of a-z, 0-9 and -"
        ));
    }
    let length = head.description.trim().chars().count();
    if length == 0 || length > LONGEST_DESCRIPTION {
        return Err(format!(
            "its description must have 1 to {LONGEST_DESCRIPTION} characters"
        ));
    }
    Ok(head)
}

/// What stands behind the head.
pub(super) fn body(text: &str) -> &str {
    split(text).map_or(text, |(_, body)| body)
}
