//! Secrets that the process knows by their value, in every spelling in which a
//! transcript may hold them.

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE};
use zeroize::Zeroizing;

use crate::secret::Secret;

/// Shorter values are not looked for: they would be found in ordinary words.
const SHORTEST: usize = 8;
/// The kind of a secret that has no name of its own.
const KIND: &str = "known secret";
/// What the name of a variable that holds a secret has in it.
const NAMES: [&str; 5] = ["TOKEN", "SECRET", "PASSW", "CREDENTIAL", "APIKEY"];

/// A secret value and what it is called.
#[derive(Debug, Clone)]
pub struct Known {
    kind: String,
    value: Secret,
}

impl Known {
    /// A value under a kind: singular, lower case, as `anthropic key`.
    pub fn new(kind: impl Into<String>, value: Secret) -> Known {
        let kind = kind.into();
        Known { kind, value }
    }

    /// A value without a kind of its own.
    pub fn nameless(value: Secret) -> Known {
        Known::new(KIND, value)
    }

    pub(super) fn kind(&self) -> &str {
        &self.kind
    }

    /// The ways in which it may be written, the longest first. None when it is
    /// too short to be told from ordinary text.
    pub(super) fn spellings(&self) -> Vec<Zeroizing<String>> {
        let value = self.value.reveal();
        if value.len() < SHORTEST {
            return Vec::new();
        }
        let mut all = vec![
            Zeroizing::new(value.to_owned()),
            percent(value, b"-._~", true),
            percent(value, b"-._~", false),
            percent(value, b"-._~/", true),
            json(value, false),
            json(value, true),
        ];
        for (alphabet, before) in [(STANDARD, 0), (STANDARD, 1), (STANDARD, 2)] {
            all.push(inside_base64(&alphabet, value, before));
        }
        for before in 0..3 {
            all.push(inside_base64(&URL_SAFE, value, before));
        }
        all.push(Zeroizing::new(STANDARD.encode(value)));
        all.push(Zeroizing::new(URL_SAFE.encode(value)));
        all.retain(|spelling| spelling.len() >= SHORTEST);
        all.sort_by(|a, b| (b.len(), a.as_str()).cmp(&(a.len(), b.as_str())));
        all.dedup();
        all
    }
}

/// The secrets among environment variables: those whose names say so. Values
/// that are plainly none (numbers, words, paths) are passed by.
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
    let name = name.to_ascii_uppercase();
    let is_key = |part: &str| matches!(part, "KEY" | "KEYS");
    NAMES.iter().any(|known| name.contains(known)) || name.split('_').any(is_key)
}

fn may_be_secret(value: &str) -> bool {
    let is_number = value
        .chars()
        .all(|mark| mark.is_ascii_digit() || mark == '.');
    let is_word = value.chars().all(|mark| mark.is_ascii_alphabetic());
    let is_path = value.starts_with(['/', '~', '.']);
    value.len() >= SHORTEST && !is_number && !is_word && !is_path
}

/// As in addresses: all but letters, digits and `plain` as `%XX`.
fn percent(value: &str, plain: &[u8], upper: bool) -> Zeroizing<String> {
    let mut written = Zeroizing::new(String::with_capacity(3 * value.len()));
    for byte in value.bytes() {
        if byte.is_ascii_alphanumeric() || plain.contains(&byte) {
            written.push(char::from(byte));
        } else if upper {
            written.push_str(&format!("%{byte:02X}"));
        } else {
            written.push_str(&format!("%{byte:02x}"));
        }
    }
    written
}

/// As in a JSON string; some writers escape slashes too.
fn json(value: &str, slashes: bool) -> Zeroizing<String> {
    let quoted = Zeroizing::new(serde_json::Value::from(value).to_string());
    let inner = quoted.get(1..quoted.len() - 1).unwrap_or_default();
    Zeroizing::new(match slashes {
        true => inner.replace('/', "\\/"),
        false => inner.to_owned(),
    })
}

/// What of base64 is the same whatever stands around the value, when so many
/// bytes (modulo 3) stand before it.
fn inside_base64(alphabet: &impl Engine, value: &str, before: usize) -> Zeroizing<String> {
    let mut bytes = Zeroizing::new(vec![0; before]);
    bytes.extend_from_slice(value.as_bytes());
    let whole = Zeroizing::new(alphabet.encode(&bytes));
    // The first marks hold bits of what stands before, the last ones of what
    // follows.
    let start = (before * 8).div_ceil(6);
    let end = bytes.len() * 8 / 6;
    Zeroizing::new(whole.get(start..end).unwrap_or_default().to_owned())
}
