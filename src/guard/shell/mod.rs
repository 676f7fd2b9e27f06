//! Reads shell command lines, exactly or not at all.
//!
//! [`read`] knows a small subset of the language and is sure of it: what it
//! returns is what the shell runs, word by word. Everything beyond that subset
//! is [`Opaque`]; [`suspects`] then gives crude lists of words in which a
//! forbidden command can be recognised, never proof that something is harmless.
//!
//! It must not know rules, paths or files.

mod chars;
mod crude;
mod lexer;
mod line;
mod redirect;
mod word;

pub use chars::is_deceptive;
pub use crude::suspects;
pub use line::{Join, Simple, read};
pub use redirect::{Direction, Redirect};
pub use word::Word;

/// The language that the interpreter speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    /// `bash`.
    Bash,
    /// A plain POSIX shell, such as `dash`.
    Posix,
}

/// Why a line cannot be read exactly: a few words, such as `expansion`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Opaque(pub &'static str);

/// No line with more bytes is read.
pub const LONGEST: usize = 10_000;

/// No line with more commands is read.
pub const MOST_COMMANDS: usize = 50;

#[cfg(test)]
mod tests;
