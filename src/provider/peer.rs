//! Whom a wire speaks to: a provider's address, headers and key, ready to be
//! sent. The only place that reveals a key, and the one that takes it out of
//! whatever comes back.

use std::fmt;
use std::sync::Arc;

use reqwest::Url;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};

use greenroom_actors::ports::ModelError;
use greenroom_protocol::session::FailureKind;

use super::governor::Gate;
use super::{ProviderConfig, Wire};

/// One provider, as it is spoken to.
pub struct Peer {
    config: ProviderConfig,
    /// Parsed once, only to look at its parts; requests join text.
    url: Option<Url>,
    gate: Arc<Gate>,
}

impl Peer {
    /// Takes the configuration over. A wrong address or header is told by the
    /// first call, not here: one bad provider must not keep the others away.
    #[cfg(test)]
    pub fn new(config: ProviderConfig) -> Peer {
        Peer::behind(Arc::default(), config)
    }

    /// The same, behind a gate that it may share with others.
    pub fn behind(gate: Arc<Gate>, config: ProviderConfig) -> Peer {
        let url = Url::parse(&config.base_url).ok();
        Peer { config, url, gate }
    }

    /// Where its requests wait for the provider's limit.
    pub fn gate(&self) -> &Arc<Gate> {
        &self.gate
    }

    /// The name in the configuration.
    pub fn name(&self) -> &str {
        &self.config.name
    }

    /// The model used when a session names none.
    pub fn default_model(&self) -> &str {
        &self.config.model
    }

    /// The address of a path such as `chat/completions`. Joined as text, so
    /// that a prefix of the base address stays; a query stays at the end.
    pub fn address(&self, path: &str) -> String {
        let (base, query) = match self.config.base_url.split_once('?') {
            Some((base, query)) if path.contains('?') => (base, format!("&{query}")),
            Some((base, query)) => (base, format!("?{query}")),
            None => (self.config.base_url.as_str(), String::new()),
        };
        format!("{}/{path}{query}", base.trim_end_matches('/'))
    }

    /// The base address for a message: without user, password and query.
    pub fn shown_url(&self) -> String {
        let Some(url) = &self.url else {
            return "(not a URL)".into();
        };
        let port = url.port().map(|port| format!(":{port}"));
        format!(
            "{}://{}{}{}",
            url.scheme(),
            url.host_str().unwrap_or_default(),
            port.unwrap_or_default(),
            url.path()
        )
    }

    /// The mark of an answer's blocks that only this provider takes back. Two
    /// providers may speak one wire and still refuse each other's signatures.
    pub fn mark(&self, wire: &str) -> String {
        format!("{wire}:{}", self.name())
    }

    /// The host of the base address.
    pub fn host(&self) -> Option<&str> {
        self.url.as_ref()?.host_str()
    }

    /// Whether the server runs on this machine: it costs nothing and is reached
    /// without a proxy.
    pub fn is_local(&self) -> bool {
        let Some(host) = self.host() else {
            return false;
        };
        let address = host.trim_start_matches('[').trim_end_matches(']');
        match address.parse::<std::net::IpAddr>() {
            Ok(ip) => ip.is_loopback() || ip.is_unspecified(),
            Err(_) => host == "localhost" || host.ends_with(".localhost"),
        }
    }

    /// Whether the address is one without TLS.
    pub fn is_plain(&self) -> bool {
        self.url.as_ref().is_some_and(|url| url.scheme() == "http")
    }

    /// The headers of each request: the wire's, the key, and the configured
    /// ones, which win. Key and configured values are marked as sensitive.
    pub fn headers(&self) -> Result<HeaderMap, ModelError> {
        let mut headers = HeaderMap::new();
        let agent = concat!("greenroom/", env!("CARGO_PKG_VERSION"));
        headers.insert("user-agent", HeaderValue::from_static(agent));
        if self.config.wire == Wire::Anthropic {
            headers.insert("anthropic-version", HeaderValue::from_static("2023-06-01"));
        }
        if let Some(key) = &self.config.key {
            let (name, text) = match self.config.wire {
                Wire::Anthropic => ("x-api-key", key.reveal().to_owned()),
                Wire::Gemini => ("x-goog-api-key", key.reveal().to_owned()),
                _ => ("authorization", format!("Bearer {}", key.reveal())),
            };
            headers.insert(name, sensitive(&text).ok_or_else(|| self.bad_key())?);
        }
        for (name, value) in &self.config.headers {
            let wrong = || {
                let provider = self.name();
                let message = format!(
                    "provider `{provider}`: headers: `{name}` cannot be sent; check its name and value"
                );
                ModelError::lasting(FailureKind::Invalid, message)
            };
            let header = name.parse::<HeaderName>().map_err(|_| wrong())?;
            headers.insert(header, sensitive(value).ok_or_else(wrong)?);
        }
        Ok(headers)
    }

    /// The text with the key, and with values of configured headers, taken out.
    pub fn redact(&self, text: &str) -> String {
        /// Shorter values are words rather than secrets.
        const SECRET: usize = 8;
        let key = self.config.key.iter().map(|key| key.reveal());
        let values = self.config.headers.iter().map(|(_, value)| value.as_str());
        let secrets = key.chain(values).filter(|secret| secret.len() >= SECRET);
        secrets.fold(text.to_owned(), |text, secret| {
            text.replace(secret, "[redacted]")
        })
    }

    /// What to say when the key was not accepted, or when there is none.
    pub fn key_refused(&self) -> String {
        let name = self.name();
        let place = self.key_place();
        match self.config.key {
            Some(_) => {
                format!(
                    "the key in {place} was not accepted by provider `{name}`; put a valid one there"
                )
            }
            None => format!("provider `{name}` wants a key and none is set; put one in {place}"),
        }
    }

    fn bad_key(&self) -> ModelError {
        let message = format!(
            "the key in {} holds characters that no key has, such as a line break; set it again",
            self.key_place()
        );
        ModelError::lasting(FailureKind::Auth, message)
    }

    /// Where the key is set: the usual variable, or the configuration.
    fn key_place(&self) -> String {
        match self.name() {
            "openai" => "OPENAI_API_KEY".into(),
            "anthropic" => "ANTHROPIC_API_KEY".into(),
            "openrouter" => "OPENROUTER_API_KEY".into(),
            "gemini" => "GEMINI_API_KEY".into(),
            other => format!("key_env or key_file of provider `{other}`"),
        }
    }
}

impl fmt::Debug for Peer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Peer").field(&self.config).finish()
    }
}

impl fmt::Debug for ProviderConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.headers.iter().map(|(name, _)| name.as_str()).collect();
        f.debug_struct("ProviderConfig")
            .field("name", &self.name)
            .field("wire", &self.wire)
            .field("base_url", &bare(&self.base_url))
            .field("key", &self.key)
            .field("model", &self.model)
            .field("headers", &names)
            .finish()
    }
}

/// An address without user, password and query; a path stays as it is. Works
/// on text, because what is no URL is shown too.
fn bare(address: &str) -> String {
    let Some((scheme, rest)) = address.split_once("://") else {
        return address.to_owned();
    };
    let rest = rest.split(['?', '#']).next().unwrap_or_default();
    let (authority, path) = match rest.find('/') {
        Some(at) => rest.split_at(at),
        None => (rest, ""),
    };
    let host = authority.rsplit('@').next().unwrap_or_default();
    format!("{scheme}://{host}{path}")
}

fn sensitive(text: &str) -> Option<HeaderValue> {
    let mut value = HeaderValue::from_str(text).ok()?;
    value.set_sensitive(true);
    Some(value)
}

#[cfg(test)]
mod tests;
