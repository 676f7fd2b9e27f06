//! Whether a word is an option, in any of its spellings.

/// Whether a word of a command gives an option, seen suspiciously:
///
/// - `-f` also in a cluster (`-xf`), or with its value glued on;
/// - `--force` also with `=value`, and abbreviated to any length;
/// - `-exec` also with `=value` or two dashes;
/// - what has no dash: that word itself.
pub fn gives(word: &str, option: &str) -> bool {
    if word == option {
        return true;
    }
    let name = word.split('=').next().unwrap_or(word);
    if let Some(long) = option.strip_prefix("--") {
        return match name.strip_prefix("--") {
            Some(given) => !given.is_empty() && long.starts_with(given),
            None => false,
        };
    }
    let Some(short) = option.strip_prefix('-') else {
        return false;
    };
    let mut letters = short.chars();
    match (letters.next(), letters.next()) {
        (Some(letter), None) => {
            word.starts_with('-') && !word.starts_with("--") && word[1..].contains(letter)
        }
        (Some(_), Some(_)) => name == option || name.strip_prefix('-') == Some(option),
        (None, _) => false,
    }
}
