//! A server as it stands in a file, and what is made of it.

use std::path::{Path, PathBuf};
use std::time::Duration;

use thiserror::Error;

use super::Variables;
use super::expand::expand;
use super::settings::{
    Launch, OUTPUT_BYTES, Program, Remote, START_TIMEOUT, ServerConfig, TIMEOUT, ToolFilter,
    Transport,
};
use super::visible::hides;
use crate::redact::from_environment;
use crate::secret::Secret;

/// The longest name of a server, in bytes.
const LONGEST_NAME: usize = 64;
/// Header names whose values everybody may see.
const PUBLIC_HEADERS: [&str; 4] = ["accept", "content-type", "user-agent", "origin"];

/// A server as it stands in a file: nothing is put in or checked yet.
#[derive(Default)]
#[allow(missing_docs)]
pub struct ServerEntry {
    pub command: Option<String>,
    pub args: Vec<String>,
    pub env: Vec<(String, String)>,
    pub cwd: Option<String>,
    pub url: Option<String>,
    pub headers: Vec<(String, String)>,
    pub transport: Option<Transport>,
    pub tools: ToolFilter,
    pub timeout: Option<Duration>,
    pub start_timeout: Option<Duration>,
    pub output_kb: Option<usize>,
    pub disabled: bool,
}

/// What is wrong with an entry, by its key, with the remedy; without any value.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum EntryFault {
    /// A variable is not set: on another day the entry is fine.
    #[error("{0}")]
    Unset(String),
    /// It can never be a server.
    #[error("{0}")]
    Wrong(String),
}

impl EntryFault {
    fn at(self, key: &str) -> EntryFault {
        match self {
            EntryFault::Unset(fault) => EntryFault::Unset(format!("{key}: {fault}")),
            EntryFault::Wrong(fault) => EntryFault::Wrong(format!("{key}: {fault}")),
        }
    }
}

impl<T: Into<String>> From<T> for EntryFault {
    fn from(fault: T) -> EntryFault {
        EntryFault::Wrong(fault.into())
    }
}

impl ServerEntry {
    /// The server, with variables put in; or what is wrong, by the key. `home`
    /// is the user's, for `~/`.
    pub fn resolve(
        self,
        name: &str,
        origin: impl Into<String>,
        home: Option<&Path>,
        variables: &Variables<'_>,
    ) -> Result<ServerConfig, EntryFault> {
        check_name(name)?;
        let mut reading = Reading {
            variables,
            secrets: Vec::new(),
        };
        let launch = match (self.command, self.url) {
            (Some(command), None) => {
                if !self.headers.is_empty() || self.transport.is_some() {
                    return Err(
                        "headers and transport belong to a url, and this has a command".into(),
                    );
                }
                Launch::Program(Program {
                    command: reading.full("command", &command)?,
                    arguments: reading.arguments(&self.args)?,
                    environment: reading.environment(&self.env)?,
                    folder: reading.folder(self.cwd.as_deref(), home)?,
                })
            }
            (None, Some(url)) => {
                if !self.args.is_empty() || !self.env.is_empty() || self.cwd.is_some() {
                    return Err("args, env and cwd belong to a command, and this has a url".into());
                }
                Launch::Remote(Remote {
                    url: reading.url(&url)?,
                    headers: reading.headers(&self.headers)?,
                    transport: self.transport.unwrap_or_default(),
                })
            }
            (Some(_), Some(_)) => {
                return Err("it has both a command and a url; keep one of them".into());
            }
            (None, None) => {
                return Err("it has neither a command nor a url; give it one of them".into());
            }
        };
        Ok(ServerConfig {
            name: name.to_owned(),
            launch,
            tools: self.tools,
            timeout: self.timeout.unwrap_or(TIMEOUT),
            start_timeout: self.start_timeout.unwrap_or(START_TIMEOUT),
            output_bytes: self.output_kb.map_or(OUTPUT_BYTES, |kb| kb << 10),
            disabled: self.disabled,
            origin: origin.into(),
            secrets: reading.secrets,
        })
    }
}

fn check_name(name: &str) -> Result<(), EntryFault> {
    let is_odd = |c: char| c == '/' || hides(c);
    if name.is_empty() || name.len() > LONGEST_NAME || name.contains(is_odd) {
        return Err(format!(
            "its name must have 1 to {LONGEST_NAME} bytes, no / and no control characters; name it so"
        ).into());
    }
    Ok(())
}

/// Puts variables in and remembers what is secret.
struct Reading<'a> {
    variables: &'a Variables<'a>,
    secrets: Vec<Secret>,
}

impl Reading<'_> {
    fn text(&mut self, key: &str, text: &str) -> Result<String, EntryFault> {
        if text.contains('\0') {
            return Err(format!("{key} holds a NUL character; take it out").into());
        }
        let expanded = expand(text, self.variables).map_err(|fault| fault.at(key))?;
        for (name, value) in &expanded.from {
            self.note(name, value);
        }
        Ok(expanded.text)
    }

    fn full(&mut self, key: &str, text: &str) -> Result<String, EntryFault> {
        let text = self.text(key, text)?;
        match text.trim().is_empty() {
            true => Err(format!("{key} is empty; fill it in").into()),
            false => Ok(text),
        }
    }

    fn arguments(&mut self, arguments: &[String]) -> Result<Vec<Secret>, EntryFault> {
        let texts = arguments.iter().map(|text| self.text("args", text));
        texts.map(|text| text.map(Secret::new)).collect()
    }

    fn environment(
        &mut self,
        pairs: &[(String, String)],
    ) -> Result<Vec<(String, Secret)>, EntryFault> {
        let mut read = Vec::new();
        for (name, text) in pairs {
            if name.is_empty() || name.contains(['=', '\0']) {
                return Err("env: a name is empty or holds = or NUL; mend it".into());
            }
            let value = Secret::new(self.text(&format!("env.{name}"), text)?);
            self.note(name, &value);
            read.push((name.clone(), value));
        }
        Ok(read)
    }

    fn headers(&mut self, pairs: &[(String, String)]) -> Result<Vec<(String, Secret)>, EntryFault> {
        let mut read = Vec::new();
        for (name, text) in pairs {
            let value = self.text(&format!("headers.{name}"), text)?;
            let is_name = reqwest::header::HeaderName::try_from(name.as_str()).is_ok();
            if !is_name || reqwest::header::HeaderValue::try_from(value.as_str()).is_err() {
                return Err(format!(
                    "headers.{name} can be no header of HTTP; mend its name or value"
                )
                .into());
            }
            let value = Secret::new(value);
            if !PUBLIC_HEADERS.contains(&name.to_ascii_lowercase().as_str()) {
                self.secrets.push(value.clone());
                // `Bearer abc`: the second word alone is as secret.
                if let Some((_, token)) = value.reveal().split_once(' ') {
                    let token = Secret::new(token.to_owned());
                    self.secrets.push(token);
                }
            }
            read.push((name.clone(), value));
        }
        Ok(read)
    }

    fn folder(
        &mut self,
        text: Option<&str>,
        home: Option<&Path>,
    ) -> Result<Option<PathBuf>, EntryFault> {
        let Some(text) = text else { return Ok(None) };
        let text = self.full("cwd", text)?;
        let below = match text.as_str() {
            "~" => Some(""),
            text => text.strip_prefix("~/"),
        };
        match (below, home) {
            (Some(below), Some(home)) => Ok(Some(home.join(below))),
            (Some(_), None) => Err("cwd: there is no home folder; write it out".into()),
            (None, _) => Ok(Some(PathBuf::from(text))),
        }
    }

    fn url(&mut self, text: &str) -> Result<Secret, EntryFault> {
        let text = self.full("url", text)?;
        let url = reqwest::Url::parse(text.trim())
            .map_err(|fault| format!("url is none ({fault}); write https://host/path"))?;
        if !matches!(url.scheme(), "http" | "https") || !url.has_host() {
            return Err("url must begin with http:// or https:// and name a host".into());
        }
        if let Some(password) = url.password() {
            self.secrets.push(Secret::new(password.to_owned()));
        }
        for (name, value) in url.query_pairs() {
            self.note(&name, &Secret::new(value.into_owned()));
        }
        Ok(Secret::new(text.trim().to_owned()))
    }

    /// Takes a value for a secret if its name says so.
    fn note(&mut self, name: &str, value: &Secret) {
        let pair = (name.to_owned(), value.reveal().to_owned());
        if from_environment([pair]).next().is_some() {
            self.secrets.push(value.clone());
        }
    }
}
