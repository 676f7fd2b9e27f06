//! Addresses on the network, and patterns of them.

use std::fmt;

/// An `http` or `https` address, taken apart without following anybody's
/// guesses: what is odd stays odd.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Address {
    /// In lower case, without the dot at the end.
    pub host: String,
    port: u16,
    path: String,
    user: bool,
}

impl Address {
    /// Reads one. The error says why it is refused in every mode.
    pub fn new(url: &str) -> Result<Address, &'static str> {
        let (scheme, rest) = url.split_once("://").ok_or("it is not a URL with a host")?;
        let usual_port = match scheme.to_ascii_lowercase().as_str() {
            "http" => 80,
            "https" => 443,
            _ => return Err("only http and https are fetched"),
        };
        let is_odd = |c: char| c.is_control() || c.is_whitespace() || c == '\\';
        if url.chars().any(is_odd) {
            return Err("it holds a blank, a backslash or a control character");
        }
        let (authority, path) = match rest.find(['/', '?', '#']) {
            Some(at) => rest.split_at(at),
            None => (rest, "/"),
        };
        let (user, place) = match authority.rsplit_once('@') {
            Some((_, place)) => (true, place),
            None => (false, authority),
        };
        let (host, port) = split_port(place).ok_or("its host cannot be read")?;
        let host = host.to_lowercase();
        let host = host.strip_suffix('.').unwrap_or(&host).to_owned();
        if host.is_empty() {
            return Err("it has no host");
        }
        let port = match port {
            None | Some("") => usual_port,
            Some(port) => port.parse().map_err(|_| "its port is no number")?,
        };
        let path = path.split(['?', '#']).next().unwrap_or("/");
        Ok(Address {
            host,
            port,
            path: path.to_owned(),
            user,
        })
    }

    /// Whether it leads to this machine or this network, or hides where it
    /// leads: only a rule that names the host itself lets it through.
    pub fn is_odd(&self) -> bool {
        let host = &self.host;
        let number =
            |part: &str| part.starts_with("0x") || part.bytes().all(|b| b.is_ascii_digit());
        self.user
            || !host.is_ascii()
            || host.starts_with('[')
            || host.split('.').all(number)
            || !host.contains('.')
            || [".localhost", ".internal", ".local"]
                .iter()
                .any(|end| host.ends_with(end))
    }
}

/// `host` or `[v6]`, and what stands behind the colon.
fn split_port(place: &str) -> Option<(&str, Option<&str>)> {
    if place.starts_with('[') {
        let end = place.find(']')? + 1;
        let (host, behind) = place.split_at(end);
        return match behind {
            "" => Some((host, None)),
            _ => Some((host, Some(behind.strip_prefix(':')?))),
        };
    }
    match place.split_once(':') {
        Some((host, port)) => Some((host, Some(port))),
        None => Some((place, None)),
    }
}

/// A pattern of addresses: `host`, `*.host`, `*`; with `:port`, with `/path`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebPattern {
    host: Host,
    port: Option<u16>,
    path: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Host {
    Any,
    /// With its dot: `.example.org`.
    Below(String),
    Exact(String),
}

impl WebPattern {
    /// Reads a pattern. The error says what is wrong with it.
    pub fn new(text: &str) -> Result<WebPattern, String> {
        if text.contains("://") {
            return Err("a rule names a host, not a URL; leave out the scheme".into());
        }
        let (place, path) = match text.find('/') {
            Some(at) => (&text[..at], Some(text[at..].to_owned())),
            None => (text, None),
        };
        let (host, port) = split_port(place).ok_or("the host cannot be read")?;
        let port = match port {
            None => None,
            Some(port) => Some(port.parse().map_err(|_| "the port is no number")?),
        };
        let host = host.to_lowercase();
        let host = match host.strip_prefix('*') {
            Some("") => Host::Any,
            Some(below) if below.starts_with('.') && below.len() > 1 => {
                Host::Below(below.to_owned())
            }
            Some(_) => return Err("`*` stands alone, or as `*.` in front".into()),
            None => Host::Exact(host.strip_suffix('.').unwrap_or(&host).to_owned()),
        };
        let bad = match &host {
            Host::Any => false,
            Host::Below(name) | Host::Exact(name) => {
                name.is_empty() || name.contains(['*', '@', '?', ' '])
            }
        };
        match bad {
            true => Err(
                "the host cannot be read; write `host`, `*.host`, `host:port` or `host/path`"
                    .into(),
            ),
            false => Ok(WebPattern { host, port, path }),
        }
    }

    /// Whether an address may be meant.
    pub fn loose(&self, address: &Address) -> bool {
        let path = match &self.path {
            None => true,
            Some(own) => {
                let given = address.path.to_lowercase();
                given.starts_with(&own.to_lowercase())
                    || given.contains('%')
                    || given.contains("..")
            }
        };
        self.takes_host(address) && path
    }

    /// Whether an address is certainly meant.
    pub fn strict(&self, address: &Address) -> bool {
        let exact = matches!(self.host, Host::Exact(_));
        if address.user || !address.host.is_ascii() || (address.is_odd() && !exact) {
            return false;
        }
        let path = match &self.path {
            None => true,
            Some(own) => {
                let given = &address.path;
                let plain = !given.contains('%') && !given.contains("..");
                let rest = given.strip_prefix(own.trim_end_matches('/'));
                plain && rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
            }
        };
        self.takes_host(address) && path
    }

    fn takes_host(&self, address: &Address) -> bool {
        let host = match &self.host {
            Host::Any => true,
            Host::Below(end) => address.host.ends_with(end.as_str()),
            Host::Exact(name) => address.host == *name,
        };
        host && self.port.is_none_or(|port| port == address.port)
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.host)
    }
}
