//! Servers that run somewhere: the HTTP client.

use std::time::Duration;

use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use reqwest::redirect::{Attempt, Policy};
use reqwest::{Client, Url};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;

use super::metered::LONGEST_MESSAGE;
use super::settings::Remote;
use super::sse::{SseFault, SseTransport};

/// How long a connection may take to come about.
const CONNECT: Duration = Duration::from_secs(10);
/// As many redirects are followed.
const MOST_REDIRECTS: usize = 5;
/// As much of an error's body is read, in bytes.
const ERROR_BODY: usize = 8 << 10;

/// Where a remote server is, and a client that reaches it.
pub(super) struct Reach {
    url: Url,
    headers: HeaderMap,
    client: Client,
}

impl Reach {
    /// Makes the client; nothing is sent yet.
    pub fn new(remote: &Remote) -> Result<Reach, String> {
        let mut headers = HeaderMap::new();
        for (name, value) in &remote.headers {
            let fault =
                || format!("headers.{name} can be no header of HTTP; mend its name or value");
            let key = HeaderName::try_from(name.as_str()).map_err(|_| fault())?;
            let mut value = HeaderValue::try_from(value.reveal()).map_err(|_| fault())?;
            value.set_sensitive(true);
            headers.insert(key, value);
        }
        let url = Url::parse(remote.url.reveal());
        let url = url.map_err(|fault| format!("url is none: {fault}"))?;
        Ok(Reach {
            client: client(&url)?,
            url,
            headers,
        })
    }

    /// Streamable HTTP.
    pub fn http(self) -> StreamableHttpClientTransport<Client> {
        let named = |(name, value): (Option<HeaderName>, HeaderValue)| Some((name?, value));
        let config = StreamableHttpClientTransportConfig::with_uri(String::from(self.url))
            .custom_headers(self.headers.into_iter().filter_map(named).collect())
            .max_sse_event_size(LONGEST_MESSAGE)
            .max_json_response_size(LONGEST_MESSAGE)
            .max_error_response_size(ERROR_BODY)
            .reinit_on_expired_session(true);
        StreamableHttpClientTransport::with_client(self.client, config)
    }

    /// Server-sent events.
    pub async fn events(self) -> Result<SseTransport, SseFault> {
        SseTransport::open(self.client, self.url, self.headers).await
    }
}

fn client(url: &Url) -> Result<Client, String> {
    // Fails when it is installed already, which is as good.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let builder = Client::builder()
        .connect_timeout(CONNECT)
        .redirect(Policy::custom(follow))
        .retry(reqwest::retry::never())
        .tcp_nodelay(true);
    let builder = match is_local(url) {
        true => builder.no_proxy(),
        false => builder,
    };
    let builder = match url.scheme() {
        "http" => builder.tls_certs_only([]),
        _ => builder,
    };
    builder.build().map_err(|fault| {
        format!("no HTTPS client: {fault}; install the system's certificates (ca-certificates)")
    })
}

/// Only to the same server: headers with secrets go along.
fn follow(attempt: Attempt<'_>) -> reqwest::redirect::Action {
    let place = |url: &Url| {
        let host = url.host_str().map(str::to_owned);
        (url.scheme().to_owned(), host, url.port_or_known_default())
    };
    let first = attempt.previous().first().map(place);
    let is_same = first == Some(place(attempt.url()));
    match is_same && attempt.previous().len() <= MOST_REDIRECTS {
        true => attempt.follow(),
        false => attempt.stop(),
    }
}

fn is_local(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    let host = host.trim_matches(['[', ']']);
    let is_loopback = |it: std::net::IpAddr| it.is_loopback();
    host == "localhost" || host.parse().is_ok_and(is_loopback)
}
