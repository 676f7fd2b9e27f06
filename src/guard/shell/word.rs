//! One word of a command, after quotes are taken off.

/// A word as the program gets it, and what was seen on the way to it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Word {
    /// The text, without its quotes.
    pub text: String,
    /// Whether any part of it was quoted.
    pub quoted: bool,
    /// Whether it holds an unquoted `*`, `?` or `[`: the shell may put names of
    /// files in its place.
    pub glob: bool,
    /// Whether it begins with the user's home folder: an unquoted `~` alone or
    /// before a slash.
    pub tilde: bool,
}

impl Word {
    /// Whether the shell may put a text in its place that begins with anything,
    /// so that it could become an option.
    pub fn may_become_option(&self) -> bool {
        self.glob && self.text.starts_with(['*', '?', '['])
    }

    /// Name and value, when the word has the form of an assignment.
    pub fn assignment(&self) -> Option<(&str, &str)> {
        let (name, value) = self.text.split_once('=')?;
        let name = name.strip_suffix('+').unwrap_or(name);
        let mut letters = name.chars();
        let first = letters.next()?;
        let starts = first.is_ascii_alphabetic() || first == '_';
        let goes_on = letters.all(|c| c.is_ascii_alphanumeric() || c == '_');
        (starts && goes_on).then_some((name, value))
    }

    /// Whether an unquoted word of this text belongs to the grammar when a
    /// command could begin with it.
    pub fn is_reserved(&self) -> bool {
        RESERVED.contains(&self.text.as_str())
    }
}

const RESERVED: &[&str] = &[
    "if", "then", "else", "elif", "fi", "do", "done", "case", "esac", "while", "until", "for",
    "select", "function", "{", "}", "!", "[[", "]]", "coproc", "in",
];
