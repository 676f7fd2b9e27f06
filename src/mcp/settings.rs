//! What a server is configured with, all of it resolved.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use crate::redact::{Known, Redactor};
use crate::secret::Secret;

/// How long one call may take, unless configured.
pub const TIMEOUT: Duration = Duration::from_secs(120);
/// How long a server may take to start, unless configured: the first start of
/// many is a download.
pub const START_TIMEOUT: Duration = Duration::from_secs(60);
/// How much text of one call the model reads, in bytes, unless configured.
pub const OUTPUT_BYTES: usize = 64 << 10;

/// One server. Equal ones are one connection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerConfig {
    /// Its name: 1 to 64 characters, no `/` and no control character.
    pub name: String,
    /// How it is reached.
    pub launch: Launch,
    /// Which of its tools count.
    pub tools: ToolFilter,
    /// How long one call may take, without the time that a person takes to
    /// answer. Default [`TIMEOUT`].
    pub timeout: Duration,
    /// How long it may take from its start to its list of tools. Default
    /// [`START_TIMEOUT`].
    pub start_timeout: Duration,
    /// How much text of one call the model reads: half from its head, half from
    /// its tail. Default [`OUTPUT_BYTES`].
    pub output_bytes: usize,
    /// It is there and not used.
    pub disabled: bool,
    /// Which file it comes from, for people.
    pub origin: String,
    /// Values in it that nobody may see: those of variables, headers and the
    /// environment whose names say so.
    pub secrets: Vec<Secret>,
}

impl ServerConfig {
    /// Its secrets, for a redactor.
    pub fn known_secrets(&self) -> impl Iterator<Item = Known> + '_ {
        let kind = format!("{} secret", self.name);
        let secrets = self.secrets.iter().cloned();
        secrets.map(move |secret| Known::new(&kind, secret))
    }

    /// Takes this server's secrets out of texts.
    pub(super) fn redactor(&self) -> Redactor {
        Redactor::only_known(self.known_secrets())
    }
}

/// How a server is reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Launch {
    /// It is started here.
    Program(Program),
    /// It runs somewhere.
    Remote(Remote),
}

/// A server that is started here.
#[derive(Clone, PartialEq, Eq)]
pub struct Program {
    /// The program: a name to be found in `PATH`, or a path.
    pub command: String,
    /// What it is given.
    pub arguments: Vec<Secret>,
    /// Variables that it gets besides the harmless ones.
    pub environment: Vec<(String, Secret)>,
    /// Where it starts; relative to the workspace, and by default there.
    pub folder: Option<PathBuf>,
}

/// A server that runs somewhere.
#[derive(Clone, PartialEq, Eq)]
pub struct Remote {
    /// Its address.
    pub url: Secret,
    /// Sent with each request.
    pub headers: Vec<(String, Secret)>,
    /// How it is spoken to.
    pub transport: Transport,
}

/// How a remote server is spoken to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Transport {
    /// Streamable HTTP.
    #[default]
    Http,
    /// Server-sent events, as until 2025-03.
    Sse,
}

impl Remote {
    /// The address without what may be secret: scheme, host and port.
    pub fn shown(&self) -> String {
        let Ok(url) = reqwest::Url::parse(self.url.reveal()) else {
            return "an unreadable address".to_owned();
        };
        let port = url.port().map(|port| format!(":{port}"));
        let host = url.host_str().unwrap_or_default();
        format!("{}://{host}{}", url.scheme(), port.unwrap_or_default())
    }
}

impl fmt::Debug for Program {
    /// Arguments and values may be keys.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&String> = self.environment.iter().map(|(name, _)| name).collect();
        f.debug_struct("Program")
            .field("command", &self.command)
            .field("arguments", &self.arguments.len())
            .field("environment", &names)
            .field("folder", &self.folder)
            .finish()
    }
}

impl fmt::Debug for Remote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&String> = self.headers.iter().map(|(name, _)| name).collect();
        f.debug_struct("Remote")
            .field("url", &self.shown())
            .field("headers", &names)
            .field("transport", &self.transport)
            .finish()
    }
}

/// Which tools of a server count: patterns with `*` for any text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ToolFilter {
    /// Only these; nothing means all of them.
    pub allow: Option<Vec<String>>,
    /// Not these, whatever is allowed.
    pub deny: Vec<String>,
}

impl ToolFilter {
    /// Whether a tool counts.
    pub fn lets_through(&self, tool: &str) -> bool {
        let any = |patterns: &[String]| patterns.iter().any(|it| matches(it, tool));
        self.allow.as_deref().is_none_or(any) && !any(&self.deny)
    }
}

/// Whether a text is what a pattern says, with `*` for any text.
fn matches(pattern: &str, text: &str) -> bool {
    let Some((start, rest)) = pattern.split_once('*') else {
        return pattern == text;
    };
    let Some(mut left) = text.strip_prefix(start) else {
        return false;
    };
    let mut parts: Vec<&str> = rest.split('*').collect();
    let end = parts.pop().unwrap_or_default();
    for part in parts {
        match left.find(part) {
            Some(at) => left = left.get(at + part.len()..).unwrap_or_default(),
            None => return false,
        }
    }
    left.len() >= end.len() && left.ends_with(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_is_any_text() {
        let yes = [
            ("get", "get"),
            ("get_*", "get_"),
            ("*_x", "a_x"),
            ("a*b*c", "a1b2c"),
            ("*", ""),
            ("a*a", "aa"),
            ("**", "x"),
        ];
        let no = [
            ("get", "get_"),
            ("get_*", "get"),
            ("a*b*c", "acb"),
            ("a*a", "a"),
        ];
        assert!(yes.iter().all(|(pattern, text)| matches(pattern, text)));
        assert!(!no.iter().any(|(pattern, text)| matches(pattern, text)));
    }

    #[test]
    fn what_is_denied_is_denied_whatever_is_allowed() {
        let filter = ToolFilter {
            allow: Some(vec!["get_*".into()]),
            deny: vec!["*_secret".into()],
        };
        let seen = ["get_x", "get_secret", "set_x"].map(|tool| filter.lets_through(tool));
        assert_eq!(seen, [true, false, false]);
        assert!(ToolFilter::default().lets_through("any"));
    }

    #[test]
    fn debug_shows_no_value() {
        let remote = Remote {
            url: Secret::new("https://user:pw@host:8443/mcp?key=abc".into()),
            headers: vec![("Authorization".into(), Secret::new("Bearer t0ken".into()))],
            transport: Transport::Http,
        };
        assert_eq!(
            format!("{remote:?}"),
            "Remote { url: \"https://host:8443\", headers: [\"Authorization\"], transport: Http }"
        );
        let program = Program {
            command: "npx".into(),
            arguments: vec![Secret::new("--key=abc".into())],
            environment: vec![("TOKEN".into(), Secret::new("abc".into()))],
            folder: None,
        };
        assert_eq!(
            format!("{program:?}"),
            "Program { command: \"npx\", arguments: 1, environment: [\"TOKEN\"], folder: None }"
        );
    }
}
