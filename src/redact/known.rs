//! Secrets that the process knows by their value.

use zeroize::Zeroizing;

use super::{mark, spelling};
use crate::secret::Secret;

/// Shorter values are not looked for: they would be found in ordinary words.
const SHORTEST: usize = 8;
/// A word of only lower-case letters up to this length names something
/// (`PASSWORD_STORE=gnomekeyring`) more often than it hides something.
const LONGEST_WORD: usize = 16;
/// The kind of a secret that has no name of its own.
const KIND: &str = "known secret";
/// What the name of a variable that holds a secret has in it.
const NAMES: [&str; 6] = [
    "KEY",
    "TOKEN",
    "SECRET",
    "PASSW",
    "PASSPHRASE",
    "CREDENTIAL",
];
/// Words with one of [`NAMES`] in them that tell of no secret.
const HARMLESS: [&str; 6] = [
    "KEYBOARD",
    "KEYMAP",
    "KEYRING",
    "KEYWORD",
    "MONKEY",
    "TOKENIZER",
];

/// A secret value and what it is called.
#[derive(Debug, Clone)]
pub struct Known {
    kind: String,
    value: Secret,
}

impl Known {
    /// A value under a kind: singular, lower case, as `anthropic key`. Blanks
    /// around the value don't count; shorter than 8 bytes it is not looked for.
    pub fn new(kind: impl AsRef<str>, value: Secret) -> Known {
        let kind = mark::kind(kind.as_ref());
        Known { kind, value }
    }

    /// A value without a kind of its own: `known secret`.
    pub fn nameless(value: Secret) -> Known {
        Known::new(KIND, value)
    }

    pub(super) fn kind(&self) -> &str {
        &self.kind
    }

    /// The ways in which it may be written. None when it is too short to be told
    /// from ordinary text.
    pub(super) fn spellings(&self) -> Vec<Zeroizing<String>> {
        let value = self.value.reveal().trim();
        if value.len() < SHORTEST {
            return Vec::new();
        }
        spelling::all(value, SHORTEST)
    }
}

/// The secrets among environment variables: those whose names hold KEY, TOKEN,
/// SECRET, PASSWORD, PASSWD, PASSPHRASE or CREDENTIAL. Values that are plainly
/// none (numbers, short words, paths, less than 8 bytes) are passed by.
pub fn from_environment(
    variables: impl IntoIterator<Item = (String, String)>,
) -> impl Iterator<Item = Known> {
    let variables = variables.into_iter();
    variables.filter_map(|(name, value)| {
        let value = Secret::new(value);
        (names_secret(&name) && may_be_secret(value.reveal())).then(|| Known::nameless(value))
    })
}

fn names_secret(name: &str) -> bool {
    let mut name = name.to_ascii_uppercase();
    for harmless in HARMLESS {
        name = name.replace(harmless, "");
    }
    NAMES.iter().any(|known| name.contains(known))
}

fn may_be_secret(value: &str) -> bool {
    let value = value.trim();
    let is_number = value
        .bytes()
        .all(|byte| matches!(byte, b'0'..=b'9' | b'.' | b'-' | b'+'));
    let is_word =
        value.len() <= LONGEST_WORD && value.bytes().all(|byte| byte.is_ascii_lowercase());
    value.len() >= SHORTEST && !is_number && !is_word && !is_path(value)
}

/// True for what starts as a path does, unless a part of it looks like chance:
/// one in 64 base64 keys starts with a slash.
fn is_path(value: &str) -> bool {
    let is_rooted = ["/", "~/", "./", "../"]
        .iter()
        .any(|root| value.starts_with(root));
    let has_drive =
        matches!(value.as_bytes(), [drive, b':', b'\\' | b'/', ..] if drive.is_ascii_alphabetic());
    (is_rooted || has_drive) && !value.split(['/', '\\']).any(looks_like_chance)
}

fn looks_like_chance(part: &str) -> bool {
    let has = |class: fn(&u8) -> bool| part.as_bytes().iter().any(class);
    part.len() >= 16
        && has(u8::is_ascii_lowercase)
        && has(u8::is_ascii_uppercase)
        && has(u8::is_ascii_digit)
}
