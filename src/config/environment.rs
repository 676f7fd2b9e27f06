//! The process environment behind one small door, so that it is read in one
//! place and tests need not change it.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt;

/// Environment variables, by name.
pub struct Environment(Source);

enum Source {
    Process,
    Fixed(BTreeMap<String, OsString>),
}

impl Environment {
    /// The variables of this process, read when they are asked for: no copy of
    /// them (and of the keys among them) is kept.
    pub fn process() -> Environment {
        Environment(Source::Process)
    }

    /// Exactly these variables, for tests and for embedding.
    pub fn fixed<N, V>(variables: impl IntoIterator<Item = (N, V)>) -> Environment
    where
        N: Into<String>,
        V: Into<OsString>,
    {
        let variables = variables
            .into_iter()
            .map(|(name, value)| (name.into(), value.into()))
            .collect();
        Environment(Source::Fixed(variables))
    }

    /// A variable's value; an empty one counts as not set.
    pub fn get(&self, name: &str) -> Option<OsString> {
        let value = match &self.0 {
            Source::Process => std::env::var_os(name),
            Source::Fixed(variables) => variables.get(name).cloned(),
        };
        value.filter(|value| !value.is_empty())
    }

    /// A variable's value as text; one that is not UTF-8 is an error that names
    /// the variable and not its value.
    pub fn text(&self, name: &str) -> Result<Option<String>, String> {
        match self.get(name).map(OsString::into_string) {
            None => Ok(None),
            Some(Ok(text)) => Ok(Some(text)),
            Some(Err(_)) => Err(format!("the value of ${name} is not UTF-8 text")),
        }
    }
}

impl fmt::Debug for Environment {
    /// Names only: values may be keys.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Source::Process => f.write_str("Environment(process)"),
            Source::Fixed(variables) => f.debug_set().entries(variables.keys()).finish(),
        }
    }
}
