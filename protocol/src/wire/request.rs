//! A line that names its command in `type`: which command it is, and what its
//! answer must repeat of it. The table of commands is the dialect's own.

use std::borrow::Cow;

use super::{Object, RawId, Unfit};
use crate::session::Command;

/// What a response repeats of its command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asked {
    /// Nothing when the command had none.
    pub id: Option<RawId>,
    /// The command's name as given, or what the dialect says when none could
    /// be read.
    pub name: Cow<'static, str>,
}

/// A line that is no command, and what to answer to it.
#[derive(Debug)]
pub struct Unread {
    /// What the answer repeats.
    pub asked: Asked,
    /// What is wrong, in the dialect's words.
    pub error: String,
}

impl Unread {
    /// A line whose command's name could not be read; `name` stands in for it.
    pub fn nameless(id: Option<RawId>, name: &'static str, error: String) -> Unread {
        let name = Cow::Borrowed(name);
        Unread {
            asked: Asked { id, name },
            error,
        }
    }
}

/// Makes a command of its fields.
pub type ReadCommand = fn(&Object<'_>) -> Result<Command, Unfit>;

/// The commands of a dialect.
pub struct Commands {
    /// Each by its name.
    pub known: &'static [(&'static str, ReadCommand)],
    /// Stands in for a name that could not be read.
    pub nameless: &'static str,
    /// Words the refusal of a name that is not known.
    pub unknown: fn(&str) -> String,
}

impl Commands {
    /// The command of a line's fields. Whatever is wrong with it, it gets
    /// exactly one answer.
    pub fn read(&self, fields: &Object<'_>) -> Result<(Asked, Command), Unread> {
        let id = fields.id();
        let given = match fields.string("type") {
            Ok(Some(name)) => name,
            Ok(None) => {
                let error = "\"type\" is missing".to_owned();
                return Err(Unread::nameless(id, self.nameless, error));
            }
            Err(fault) => return Err(Unread::nameless(id, self.nameless, fault.to_string())),
        };
        let Some((name, read)) = self.known.iter().find(|(name, _)| *name == given) else {
            let error = (self.unknown)(&given);
            let name = Cow::Owned(given.into_owned());
            return Err(Unread {
                asked: Asked { id, name },
                error,
            });
        };
        let name = Cow::Borrowed(*name);
        let asked = Asked { id, name };
        match read(fields) {
            Ok(command) => Ok((asked, command)),
            Err(Unfit(error)) => Err(Unread { asked, error }),
        }
    }
}
