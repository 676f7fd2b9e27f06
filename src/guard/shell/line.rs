//! Tokens become commands.

use super::lexer::{Token, tokens};
use super::{Dialect, MOST_COMMANDS, Opaque, Redirect, Word};

/// A command with what belongs to it, as the shell runs it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Simple {
    /// How it follows the command before it.
    pub join: Join,
    /// `NAME=value` before it.
    pub assignments: Vec<(String, String)>,
    /// The program and its arguments; none of a line such as `A=1` or `> file`.
    pub argv: Vec<Word>,
    /// Files that it reads from or writes to.
    pub redirects: Vec<Redirect>,
}

/// How a command follows the one before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Join {
    /// It is the first.
    First,
    /// `&&`
    And,
    /// `||`
    Or,
    /// `;` or a newline
    Then,
    /// `&`
    Background,
    /// `|`
    Pipe,
}

impl Simple {
    fn after(join: Join) -> Simple {
        Simple {
            join,
            assignments: Vec::new(),
            argv: Vec::new(),
            redirects: Vec::new(),
        }
    }
}

/// Every command of a line, in order; none of an empty one.
pub fn read(line: &str, dialect: Dialect) -> Result<Vec<Simple>, Opaque> {
    let mut reader = Reader {
        done: Vec::new(),
        open: None,
        join: Join::First,
        wants_more: false,
    };
    let mut tokens = tokens(line, dialect)?.into_iter();
    while let Some(token) = tokens.next() {
        match token {
            Token::Word(word) => reader.word(word, dialect)?,
            Token::Copy => {
                reader.command();
            }
            Token::File(direction) => {
                let Some(Token::Word(target)) = tokens.next() else {
                    return Err(Opaque("redirection without a file"));
                };
                if target.glob {
                    return Err(Opaque("pattern in a redirection"));
                }
                let redirect = Redirect { direction, target };
                reader.command().redirects.push(redirect);
            }
            Token::Newline => reader.newline(),
            Token::Then => reader.end(Join::Then, false)?,
            Token::Background => reader.end(Join::Background, false)?,
            Token::And => reader.end(Join::And, true)?,
            Token::Or => reader.end(Join::Or, true)?,
            Token::Pipe => reader.end(Join::Pipe, true)?,
        }
    }
    reader.finish()
}

struct Reader {
    done: Vec<Simple>,
    open: Option<Simple>,
    join: Join,
    /// Whether the operator before needs a command behind it.
    wants_more: bool,
}

impl Reader {
    fn command(&mut self) -> &mut Simple {
        let join = self.join;
        self.wants_more = false;
        self.open.get_or_insert_with(|| Simple::after(join))
    }

    fn word(&mut self, word: Word, dialect: Dialect) -> Result<(), Opaque> {
        let command = self.command();
        // Bash reads `time` as a word of its grammar, and what follows as a
        // command that begins there.
        let timed = dialect == Dialect::Bash
            && !command.argv.is_empty()
            && command.argv.iter().all(|word| word.text == "time");
        if command.argv.is_empty()
            && let Some((name, value)) = word.assignment()
        {
            if word.quoted || word.glob {
                return Err(Opaque("quoted assignment"));
            }
            let pair = (name.to_owned(), value.to_owned());
            command.assignments.push(pair);
            return Ok(());
        }
        if command.argv.is_empty() || timed {
            begins_command(&word)?;
        }
        command.argv.push(word);
        Ok(())
    }

    fn newline(&mut self) {
        if let Some(command) = self.open.take() {
            self.done.push(command);
            self.join = Join::Then;
        }
    }

    fn end(&mut self, join: Join, wants_more: bool) -> Result<(), Opaque> {
        let command = self.open.take().ok_or(Opaque("empty command"))?;
        self.done.push(command);
        self.join = join;
        self.wants_more = wants_more;
        Ok(())
    }

    fn finish(mut self) -> Result<Vec<Simple>, Opaque> {
        self.newline();
        if self.wants_more {
            return Err(Opaque("operator at the end"));
        }
        match self.done.len() > MOST_COMMANDS {
            true => Err(Opaque("more than 50 commands")),
            false => Ok(self.done),
        }
    }
}

/// Refuses what is no plain program's name. A quoted reserved word is refused
/// too: nobody needs it, and readers of logs would be misled.
fn begins_command(word: &Word) -> Result<(), Opaque> {
    if word.is_reserved() {
        return Err(Opaque("reserved word"));
    }
    if word.glob || word.tilde {
        return Err(Opaque("expansion in a command's name"));
    }
    if word.text.is_empty() {
        return Err(Opaque("empty command name"));
    }
    match word.text.is_ascii() {
        true => Ok(()),
        false => Err(Opaque("command name outside ASCII")),
    }
}
