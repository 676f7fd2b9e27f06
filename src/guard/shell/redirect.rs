//! Redirections: `< file`, `> file`, `2>&1`.

use super::lexer::Cursor;
use super::{Dialect, Opaque, Word};

/// A redirection from or to a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Redirect {
    /// Which way.
    pub direction: Direction,
    /// The file.
    pub target: Word,
}

/// Which way bytes go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// The file is read.
    From,
    /// The file is written: replaced or appended to.
    To,
}

/// What an operator that begins with `<` or `>` is.
pub(super) enum Operator {
    /// A file follows.
    File(Direction),
    /// A copy of a descriptor, such as `>&2`: complete in itself.
    Copy,
}

/// Reads the operator at the cursor, which stands on `<` or `>`.
pub(super) fn operator(cursor: &mut Cursor<'_>) -> Result<Operator, Opaque> {
    let direction = match cursor.peek() {
        Some('<') => Direction::From,
        _ => Direction::To,
    };
    cursor.step(1);
    match (direction, cursor.peek()) {
        (Direction::From, Some('<')) => return Err(Opaque("here-document")),
        (Direction::From, Some('>')) => return Err(Opaque("<> redirection")),
        (_, Some('(')) => return Err(Opaque("process substitution")),
        (_, Some('&')) => return copy(cursor),
        (Direction::To, Some('>' | '|')) => cursor.step(1),
        _ => {}
    }
    // The shell would join the two lines and might read a longer operator.
    match cursor.peek() {
        Some('\\') => Err(Opaque("escape after an operator")),
        _ => Ok(Operator::File(direction)),
    }
}

/// `&>` and `&>>`, of bash alone; the cursor stands behind the `&`.
pub(super) fn both(cursor: &mut Cursor<'_>, dialect: Dialect) -> Result<Operator, Opaque> {
    if dialect != Dialect::Bash {
        return Err(Opaque("&> in a POSIX shell"));
    }
    cursor.step(1);
    match cursor.peek() {
        Some('>') => cursor.step(1),
        Some('&' | '|' | '<' | '(') => return Err(Opaque("odd redirection")),
        _ => {}
    }
    match cursor.peek() {
        Some('\\') => Err(Opaque("escape after an operator")),
        _ => Ok(Operator::File(Direction::To)),
    }
}

/// The rest of `>&1` or `<&-`: one digit or a dash, and then the word's end.
fn copy(cursor: &mut Cursor<'_>) -> Result<Operator, Opaque> {
    let one = matches!(cursor.ahead(1), Some('0'..='9' | '-'));
    let ends = match cursor.ahead(2) {
        None => true,
        // Not `<` or `>`: dash takes the digit for the next one's descriptor.
        Some(c) => matches!(c, ' ' | '\t' | '\n' | ';' | '&' | '|'),
    };
    if !one || !ends {
        return Err(Opaque("copy of a descriptor that is not one digit"));
    }
    cursor.step(2);
    Ok(Operator::Copy)
}
