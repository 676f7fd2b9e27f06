//! Characters become tokens.

use super::redirect::{self, Direction, Operator};
use super::{Dialect, LONGEST, Opaque, Word, is_deceptive};

/// A piece of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Token {
    Word(Word),
    /// `;`
    Then,
    /// `&`
    Background,
    /// `&&`
    And,
    /// `||`
    Or,
    /// `|` or `|&`
    Pipe,
    Newline,
    /// A file follows.
    File(Direction),
    /// `2>&1` and its like.
    Copy,
}

/// A place in a line.
pub(super) struct Cursor<'a> {
    chars: &'a [char],
    at: usize,
}

impl Cursor<'_> {
    pub fn peek(&self) -> Option<char> {
        self.ahead(0)
    }

    pub fn ahead(&self, by: usize) -> Option<char> {
        self.chars.get(self.at + by).copied()
    }

    pub fn step(&mut self, by: usize) {
        self.at += by;
    }

    /// Whether a backslash and a newline stand here, which the shell takes away.
    fn at_continuation(&self) -> bool {
        self.peek() == Some('\\') && self.ahead(1) == Some('\n')
    }
}

/// All tokens of a line.
pub(super) fn tokens(line: &str, dialect: Dialect) -> Result<Vec<Token>, Opaque> {
    if line.len() > LONGEST {
        return Err(Opaque("longer than 10000 bytes"));
    }
    if line.chars().any(is_deceptive) {
        return Err(Opaque("control or invisible character"));
    }
    let chars: Vec<char> = line.chars().collect();
    let mut cursor = Cursor {
        chars: &chars,
        at: 0,
    };
    let mut tokens = Vec::new();
    while let Some(c) = cursor.peek() {
        match c {
            ' ' | '\t' => cursor.step(1),
            '\\' if cursor.at_continuation() => cursor.step(2),
            '#' => skip_comment(&mut cursor),
            '\n' => {
                cursor.step(1);
                tokens.push(Token::Newline);
            }
            ';' | '&' | '|' => tokens.push(control(&mut cursor, dialect)?),
            '(' | ')' => return Err(Opaque("parenthesis")),
            '<' | '>' => tokens.push(redirection(redirect::operator(&mut cursor)?)),
            _ => word(&mut cursor, &mut tokens)?,
        }
    }
    Ok(tokens)
}

fn redirection(operator: Operator) -> Token {
    match operator {
        Operator::File(direction) => Token::File(direction),
        Operator::Copy => Token::Copy,
    }
}

fn skip_comment(cursor: &mut Cursor<'_>) {
    while cursor.peek().is_some_and(|c| c != '\n') {
        cursor.step(1);
    }
}

/// An operator between commands.
fn control(cursor: &mut Cursor<'_>, dialect: Dialect) -> Result<Token, Opaque> {
    let (token, length) = match (cursor.peek(), cursor.ahead(1)) {
        (Some(';'), Some(';' | '&')) => return Err(Opaque(";;")),
        (Some(';'), _) => (Token::Then, 1),
        (Some('&'), Some('&')) => (Token::And, 2),
        (Some('&'), Some('>')) => {
            cursor.step(1);
            return Ok(redirection(redirect::both(cursor, dialect)?));
        }
        (Some('&'), _) => (Token::Background, 1),
        (_, Some('|')) => (Token::Or, 2),
        (_, Some('&')) if dialect == Dialect::Posix => {
            return Err(Opaque("|& in a POSIX shell"));
        }
        (_, Some('&')) => (Token::Pipe, 2),
        _ => (Token::Pipe, 1),
    };
    cursor.step(length);
    // The shell would join the two lines and might read a longer operator.
    match cursor.at_continuation() {
        true => Err(Opaque("line continuation after an operator")),
        false => Ok(token),
    }
}

/// A word, or the descriptor before a redirection.
fn word(cursor: &mut Cursor<'_>, tokens: &mut Vec<Token>) -> Result<(), Opaque> {
    let start = cursor.at;
    let mut word = Word::default();
    let mut brace = false;
    let mut continued = false;
    while let Some(c) = cursor.peek() {
        match c {
            ' ' | '\t' | '\n' | ';' | '&' | '|' | '(' | ')' | '<' | '>' => break,
            '\'' => single_quoted(cursor, &mut word)?,
            '"' => double_quoted(cursor, &mut word)?,
            '\\' if cursor.at_continuation() => {
                continued = true;
                cursor.step(2);
            }
            '\\' => {
                let escaped = cursor.ahead(1).ok_or(Opaque("backslash at the end"))?;
                word.quoted = true;
                word.text.push(escaped);
                cursor.step(2);
            }
            '$' => return Err(Opaque("expansion")),
            '`' => return Err(Opaque("command substitution")),
            '~' if cursor.at == start && ends_tilde(cursor.ahead(1)) => {
                word.tilde = true;
                word.text.push('~');
                cursor.step(1);
            }
            '~' => return Err(Opaque("tilde")),
            c => {
                word.glob |= matches!(c, '*' | '?' | '[');
                brace |= matches!(c, '{' | '}');
                word.text.push(c);
                cursor.step(1);
            }
        }
    }
    if brace && (word.text != "{}" || word.quoted) {
        return Err(Opaque("brace"));
    }
    if word.text.is_empty() && !word.quoted {
        return Ok(());
    }
    let digits = !word.quoted && word.text.bytes().all(|b| b.is_ascii_digit());
    if !digits || !matches!(cursor.peek(), Some('<' | '>')) {
        tokens.push(Token::Word(word));
        return Ok(());
    }
    // Shells differ on descriptors of more than one digit.
    if word.text.len() > 1 || continued {
        return Err(Opaque("odd descriptor"));
    }
    tokens.push(redirection(redirect::operator(cursor)?));
    Ok(())
}

fn ends_tilde(next: Option<char>) -> bool {
    match next {
        None => true,
        Some(c) => matches!(c, '/' | ' ' | '\t' | '\n' | ';' | '&' | '|' | '<' | '>'),
    }
}

fn single_quoted(cursor: &mut Cursor<'_>, word: &mut Word) -> Result<(), Opaque> {
    word.quoted = true;
    cursor.step(1);
    loop {
        let c = cursor.peek().ok_or(Opaque("quote without its end"))?;
        cursor.step(1);
        if c == '\'' {
            return Ok(());
        }
        word.text.push(c);
    }
}

fn double_quoted(cursor: &mut Cursor<'_>, word: &mut Word) -> Result<(), Opaque> {
    word.quoted = true;
    cursor.step(1);
    loop {
        let c = cursor.peek().ok_or(Opaque("quote without its end"))?;
        cursor.step(1);
        match (c, cursor.peek()) {
            ('"', _) => return Ok(()),
            ('$', _) => return Err(Opaque("expansion")),
            ('`', _) => return Err(Opaque("command substitution")),
            ('\\', Some('\n')) => cursor.step(1),
            ('\\', Some(escaped @ ('$' | '`' | '"' | '\\'))) => {
                word.text.push(escaped);
                cursor.step(1);
            }
            (c, _) => word.text.push(c),
        }
    }
}
