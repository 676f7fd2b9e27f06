//! What the usual names stand for when the file says nothing else.

use super::{KeySource, url};
use crate::config::Environment;
use crate::provider::Wire;

/// A provider that its name (and its environment variables) fully describe.
pub(super) struct WellKnown {
    pub name: &'static str,
    pub wire: Wire,
    /// Other wires that its address speaks too.
    pub also: &'static [Wire],
    pub base_url: &'static str,
    /// The variable that moves it elsewhere.
    pub base_env: Option<&'static str>,
    /// The variable that holds its key; without one it needs none.
    pub key_env: Option<&'static str>,
    /// Empty when there is no sensible one.
    pub model: &'static str,
}

/// In the order in which one becomes the default.
pub(super) const WELL_KNOWN: [WellKnown; 5] = [
    WellKnown {
        name: "anthropic",
        wire: Wire::Anthropic,
        also: &[],
        base_url: "https://api.anthropic.com/v1",
        base_env: Some("ANTHROPIC_BASE_URL"),
        key_env: Some("ANTHROPIC_API_KEY"),
        model: "claude-sonnet-5-5",
    },
    WellKnown {
        name: "openai",
        wire: Wire::OpenAiChat,
        also: &[Wire::OpenAiResponses],
        base_url: "https://api.openai.com/v1",
        base_env: Some("OPENAI_BASE_URL"),
        key_env: Some("OPENAI_API_KEY"),
        model: "gpt-5.6",
    },
    WellKnown {
        name: "openrouter",
        wire: Wire::OpenAiChat,
        also: &[Wire::OpenAiResponses],
        base_url: "https://openrouter.ai/api/v1",
        base_env: None,
        key_env: Some("OPENROUTER_API_KEY"),
        model: "openrouter/auto",
    },
    WellKnown {
        name: "ollama",
        wire: Wire::OpenAiChat,
        also: &[Wire::OpenAiResponses],
        base_url: "http://127.0.0.1:11434/v1",
        base_env: Some("OLLAMA_HOST"),
        key_env: None,
        model: "",
    },
    WellKnown {
        name: "gemini",
        wire: Wire::Gemini,
        also: &[],
        base_url: "https://generativelanguage.googleapis.com/v1beta",
        base_env: None,
        key_env: Some("GEMINI_API_KEY"),
        model: "gemini-2.5-pro",
    },
];

impl WellKnown {
    /// The one of that name.
    pub(super) fn named(name: &str) -> Option<&'static WellKnown> {
        WELL_KNOWN.iter().find(|known| known.name == name)
    }

    /// Whether its address speaks a wire.
    pub(super) fn speaks(&self, wire: Wire) -> bool {
        self.wire == wire || self.also.contains(&wire)
    }

    /// Whether its variables make it usable without an entry in the file.
    pub(super) fn is_available(&self, env: &Environment) -> bool {
        let mut variables = self.key_env.iter().chain(self.base_env.iter());
        variables.any(|variable| env.get(variable).is_some())
    }

    /// Where its key is looked for. Who moved it elsewhere by its variable and
    /// gave no key, needs none: that is how local servers are used.
    pub(super) fn key(&self, env: &Environment) -> Option<KeySource> {
        let name = self.key_env?;
        let is_moved = self.base_env.is_some_and(|base| env.get(base).is_some());
        if is_moved && env.get(name).is_none() {
            return None;
        }
        Some(KeySource::Variable(name.to_owned()))
    }

    /// Its address: the variable's, in that variable's customary form, or the
    /// usual one.
    pub(super) fn address(&self, env: &Environment) -> Result<String, String> {
        let Some(variable) = self.base_env else {
            return Ok(self.base_url.to_owned());
        };
        let Some(value) = env.text(variable)? else {
            return Ok(self.base_url.to_owned());
        };
        let named = |reason: String| format!("${variable}: {reason}");
        match self.name {
            "ollama" => url::check(&ollama_url(value.trim())).map_err(named),
            // The vendor's own clients add the version to this variable.
            "anthropic" => {
                let mut base = url::check(value.trim()).map_err(named)?;
                if !base.ends_with("/v1") {
                    base.push_str("/v1");
                }
                Ok(base)
            }
            _ => url::check(value.trim()).map_err(named),
        }
    }
}

/// `OLLAMA_HOST` is written as a server binds to it: a host, a port, both, or
/// a URL.
fn ollama_url(host: &str) -> String {
    let (scheme, rest, usual_port) = if let Some(rest) = host.strip_prefix("http://") {
        ("http", rest, "80")
    } else if let Some(rest) = host.strip_prefix("https://") {
        ("https", rest, "443")
    } else {
        ("http", host, "11434")
    };
    let (authority, path) = match rest.split_once('/') {
        Some((authority, path)) => (authority, path.trim_end_matches('/')),
        None => (rest, ""),
    };
    // The colons of a bare IPv6 address are no port.
    let has_port = match authority.rfind(']') {
        Some(end) => authority[end..].contains(':'),
        None => authority.matches(':').count() == 1,
    };
    let (name, port) = match authority.rsplit_once(':') {
        Some((name, port)) if has_port => (name, port),
        _ => (authority, usual_port),
    };
    let name = match name {
        // What a server listens on is no address to call.
        "" | "0.0.0.0" | "[::]" | "::" => "127.0.0.1".to_owned(),
        name if name.contains(':') && !name.starts_with('[') => format!("[{name}]"),
        name => name.to_owned(),
    };
    let prefix = match path {
        "" => String::new(),
        path => format!("/{path}"),
    };
    let version = if prefix.ends_with("/v1") { "" } else { "/v1" };
    format!("{scheme}://{name}:{port}{prefix}{version}")
}

/// How a provider that is not there can be had, for messages; nothing for
/// names that mean nothing to us.
pub(crate) fn how_to_get(name: &str) -> Option<String> {
    let known = WellKnown::named(name)?;
    let variable = known.key_env.or(known.base_env)?;
    Some(format!("set ${variable} to use {name}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ollama_hosts_in_all_their_forms() {
        let cases = [
            ("127.0.0.1", "http://127.0.0.1:11434/v1"),
            ("0.0.0.0", "http://127.0.0.1:11434/v1"),
            ("0.0.0.0:8080", "http://127.0.0.1:8080/v1"),
            (":8080", "http://127.0.0.1:8080/v1"),
            ("box", "http://box:11434/v1"),
            ("box:1", "http://box:1/v1"),
            ("http://box", "http://box:80/v1"),
            ("https://box", "https://box:443/v1"),
            ("https://box/ollama/", "https://box:443/ollama/v1"),
            ("http://box:11434/v1", "http://box:11434/v1"),
            ("[::1]", "http://[::1]:11434/v1"),
            ("[::1]:99", "http://[::1]:99/v1"),
            ("::1", "http://[::1]:11434/v1"),
            ("::", "http://127.0.0.1:11434/v1"),
        ];
        for (host, expected) in cases {
            assert_eq!(ollama_url(host), expected, "{host}");
        }
    }
}
