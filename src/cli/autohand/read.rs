//! Arguments become flags with values.

use std::ffi::{OsStr, OsString};

use super::table::{Act, Does, Values, find, names};
use crate::cli::usage::Usage;
use crate::config::nearest::hint;

/// What stood on the command line.
#[derive(Debug, Default)]
pub(super) struct Arguments {
    /// Flags that act, in order, with the name as it was written.
    pub flags: Vec<Flag>,
    /// What was passed over. Holds names of flags and never their values, which
    /// may be keys.
    pub warnings: Vec<String>,
}

/// A flag that acts.
#[derive(Debug)]
pub(super) struct Flag {
    pub name: String,
    pub act: Act,
    pub value: Option<OsString>,
}

impl Flag {
    /// Its value as text; a value that is missing or no text is the caller's
    /// fault.
    pub(super) fn text(&self) -> Result<&str, Usage> {
        match self.value.as_deref().map(OsStr::to_str) {
            Some(Some(text)) => Ok(text),
            Some(None) => Err(Usage::wrong(format!(
                "{}: the value is not UTF-8",
                self.name
            ))),
            None => Err(Usage::wrong(format!("{} needs a value", self.name))),
        }
    }
}

/// Reads them; never fails.
pub(super) fn read(args: &[OsString]) -> Arguments {
    let mut read = Arguments::default();
    let mut stray = false;
    let mut rest = args;
    while let Some((arg, after)) = rest.split_first() {
        rest = after;
        let text = arg.to_string_lossy();
        if !text.starts_with('-') || text == "-" || text == "--" {
            stray = true;
            continue;
        }
        let (name, attached) = match text.split_once('=') {
            Some((name, _)) => (name.to_owned(), attached_value(arg, name.len() + 1)),
            None => (text.into_owned(), None),
        };
        let Some((values, does)) = find(&name) else {
            read.warnings.push(format!(
                "unknown flag {name} is ignored{}",
                hint(&name, names())
            ));
            // A word behind it is most likely its value.
            if attached.is_none() {
                rest = without_values(rest, Values::Maybe).1;
            }
            continue;
        };
        let value = match attached {
            Some(value) => Some(value),
            None => {
                let (value, after) = without_values(rest, values);
                rest = after;
                value
            }
        };
        match does {
            Does::Act(act) => read.flags.push(Flag { name, act, value }),
            Does::Nothing => {}
            Does::NothingThoughItForbids => read.warnings.push(format!(
                "{name} has no effect here and forbids nothing; see `mode`, `limits` and the \
                 guard's rules in the configuration"
            )),
        }
    }
    if stray {
        read.warnings
            .push("words that belong to no flag are ignored; prompts come as commands".to_owned());
    }
    read
}

/// Takes a flag's values off the arguments: the first of them, and the rest.
fn without_values(args: &[OsString], values: Values) -> (Option<OsString>, &[OsString]) {
    let is_word = |arg: &&OsString| !arg.to_string_lossy().starts_with('-');
    let count = match values {
        Values::None => 0,
        // A value may begin with `-`, but a flag that is known is none.
        Values::One => args
            .first()
            .filter(|arg| find(&arg.to_string_lossy()).is_none())
            .map_or(0, |_| 1),
        Values::Maybe => args.first().filter(is_word).map_or(0, |_| 1),
        Values::Many => args.iter().take_while(is_word).count(),
    };
    let (taken, rest) = args.split_at(count);
    (taken.first().cloned(), rest)
}

/// What stands behind `=`, bytes kept as they are.
#[cfg(unix)]
fn attached_value(arg: &OsStr, at: usize) -> Option<OsString> {
    use std::os::unix::ffi::OsStrExt;
    // Flags are ASCII, so the place in the lossy text is the place in the bytes.
    let value = arg.as_bytes().get(at..)?;
    Some(OsStr::from_bytes(value).to_owned())
}

#[cfg(not(unix))]
fn attached_value(arg: &OsStr, at: usize) -> Option<OsString> {
    arg.to_str()?.get(at..).map(OsString::from)
}
