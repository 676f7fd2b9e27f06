//! The network: one client for all providers, requests out, bytes in.
//!
//! Opens connections within a deadline and sets no other: when a stream stalls
//! is the tree's matter. Follows no redirects (a key must not travel) and makes
//! no second try. Knows no wire.

use std::error::Error as _;
use std::sync::OnceLock;
use std::time::Duration;

use greenroom_actors::ports::ModelError;
use greenroom_protocol::session::FailureKind;
use reqwest::header::{HeaderMap, HeaderValue};
use reqwest::{Client, ClientBuilder, RequestBuilder, Response, Url};

use super::HttpSettings;
use super::failure::{Refused, classify};
use super::peer::Peer;

/// As much of an error's body is read, in bytes.
const ERROR_BODY: usize = 64 * 1024;

/// How long reading the rest of an ended stream may take: enough for bytes
/// that are already here, so that the connection can be used again.
const TAIL: Duration = Duration::from_millis(20);

/// Makes requests. Building it costs nothing: the clients are made when they
/// are first needed, so that a start is quick and needs no certificates.
#[derive(Debug)]
pub struct Http {
    settings: HttpSettings,
    /// For servers elsewhere: system proxy, system certificates.
    remote: OnceLock<Result<Client, String>>,
    /// For servers on this machine: never a proxy, no certificates.
    local: OnceLock<Result<Client, String>>,
}

impl Http {
    /// A client that is not made yet.
    pub fn new(settings: HttpSettings) -> Http {
        Http {
            settings,
            remote: OnceLock::new(),
            local: OnceLock::new(),
        }
    }

    /// Posts a JSON body and waits for the headers of the answer. Every status
    /// but 2xx is an error.
    pub async fn post(&self, peer: &Peer, path: &str, body: Vec<u8>) -> Result<Body, ModelError> {
        let url = url(peer, path)?;
        let mut headers = peer.headers()?;
        headers.insert("content-type", HeaderValue::from_static("application/json"));
        headers.insert("accept", HeaderValue::from_static("text/event-stream"));
        let request = self.client(peer)?.post(url).headers(headers).body(body);
        self.send(request, peer).await
    }

    /// Gets a path and waits for the headers of the answer. Every status but
    /// 2xx is an error.
    pub async fn get(&self, peer: &Peer, path: &str) -> Result<Body, ModelError> {
        let url = url(peer, path)?;
        let request = self.client(peer)?.get(url).headers(peer.headers()?);
        self.send(request, peer).await
    }

    async fn send(&self, request: RequestBuilder, peer: &Peer) -> Result<Body, ModelError> {
        let sent = request.send().await;
        let mut body = Body(sent.map_err(|error| self.cannot_send(&error, peer))?);
        let status = body.0.status().as_u16();
        if (200..300).contains(&status) {
            peer.gate().taken(body.0.headers());
            return Ok(body);
        }
        // What came before a break is still worth reading.
        let bytes = body.read_at_most(ERROR_BODY).await;
        let refused = Refused {
            status,
            headers: body.0.headers(),
            body: &bytes,
        };
        Err(classify(refused, peer))
    }

    fn client(&self, peer: &Peer) -> Result<&Client, ModelError> {
        let made = if peer.is_local() && peer.is_plain() {
            let builder = |base: ClientBuilder| base.no_proxy().tls_certs_only([]);
            self.local.get_or_init(|| self.build(builder))
        } else {
            self.remote.get_or_init(|| self.build(|base| base))
        };
        made.as_ref().map_err(|reason| {
            let message = format!(
                "no HTTPS client: {reason}; install the system's certificates (ca-certificates) or set SSL_CERT_FILE"
            );
            ModelError::lasting(FailureKind::Invalid, message)
        })
    }

    fn build(&self, finish: impl FnOnce(ClientBuilder) -> ClientBuilder) -> Result<Client, String> {
        // Fails when it is installed already, which is as good.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let base = Client::builder()
            .connect_timeout(self.settings.connect)
            .redirect(reqwest::redirect::Policy::none())
            .retry(reqwest::retry::never())
            .tcp_nodelay(true);
        finish(base).build().map_err(|error| root_cause(&error))
    }

    fn cannot_send(&self, error: &reqwest::Error, peer: &Peer) -> ModelError {
        let (name, url) = (peer.name(), peer.shown_url());
        let cause = peer.redact(&root_cause(error));
        if error.is_builder() {
            let message =
                format!("the request to provider `{name}` cannot be made: {cause}; check base_url");
            return ModelError::lasting(FailureKind::Invalid, message);
        }
        if cause.to_ascii_lowercase().contains("certificate") {
            let message = format!(
                "the certificate of provider `{name}` at {url} was not accepted: {cause}; check base_url and the system's certificates (SSL_CERT_FILE)"
            );
            return ModelError::lasting(FailureKind::Broken, message);
        }
        let what = if error.is_connect() && error.is_timeout() {
            let seconds = self.settings.connect.as_secs_f32();
            format!("no connection to {url} within {seconds} s")
        } else if error.is_connect() {
            format!("cannot connect to {url}: {cause}")
        } else {
            format!("the connection to {url} broke: {cause}")
        };
        let remedy = if peer.is_local() {
            "check that the server runs"
        } else {
            "check the network, the proxy and base_url"
        };
        let message = format!("provider `{name}`: {what}; {remedy}");
        ModelError::passing(FailureKind::Broken, message)
    }
}

/// The body of an answer. Dropping it closes or frees the connection.
#[derive(Debug)]
pub struct Body(Response);

impl Body {
    /// The answer's headers.
    pub fn headers(&self) -> &HeaderMap {
        self.0.headers()
    }

    /// The next bytes, never empty; nothing at the end.
    pub async fn next(&mut self, peer: &Peer) -> Result<Option<impl AsRef<[u8]>>, ModelError> {
        loop {
            match self.0.chunk().await {
                Ok(Some(bytes)) if bytes.is_empty() => {}
                Ok(bytes) => return Ok(bytes),
                Err(error) => {
                    let name = peer.name();
                    let cause = peer.redact(&root_cause(&error));
                    let message = format!("the stream of provider `{name}` broke: {cause}");
                    return Err(ModelError::passing(FailureKind::Broken, message));
                }
            }
        }
    }

    /// Reads what is left, up to a limit or to a break.
    pub async fn read_at_most(&mut self, limit: usize) -> Vec<u8> {
        let mut all = Vec::new();
        while let Ok(Some(bytes)) = self.0.chunk().await {
            all.extend_from_slice(&bytes);
            if all.len() >= limit {
                all.truncate(limit);
                break;
            }
        }
        all
    }

    /// Ends an answer whose events are all there: reads its last bytes if they
    /// are already here, so that the connection can serve the next request.
    pub async fn end(mut self) {
        let _ = tokio::time::timeout(TAIL, self.read_at_most(ERROR_BODY)).await;
    }
}

fn url(peer: &Peer, path: &str) -> Result<Url, ModelError> {
    // The base must have a host of its own, or the path would become one.
    let base = peer.host().map(|_| peer.address(path));
    let url = base.and_then(|address| Url::parse(&address).ok());
    let is_web = |url: &Url| matches!(url.scheme(), "http" | "https");
    url.filter(is_web).ok_or_else(|| {
        let message = format!(
            "provider `{}`: base_url is no http or https address; write one such as https://host/v1",
            peer.name()
        );
        ModelError::lasting(FailureKind::Invalid, message)
    })
}

/// The innermost reason: the outer ones only repeat the address.
fn root_cause(error: &reqwest::Error) -> String {
    let mut cause = match error.source() {
        Some(source) => source,
        None => return "unknown".into(),
    };
    while let Some(deeper) = cause.source() {
        cause = deeper;
    }
    cause.to_string()
}

#[cfg(test)]
mod tests;
