//! Servers that run somewhere: the HTTP client.

use std::collections::HashMap;
use std::time::Duration;

use reqwest::header::{HeaderName, HeaderValue};
use reqwest::redirect::{Attempt, Policy};
use reqwest::{Client, Url};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;

use super::metered::LONGEST_MESSAGE;
use super::settings::{Remote, Transport};

/// How long a connection may take to come about.
const CONNECT: Duration = Duration::from_secs(10);
/// As many redirects are followed.
const MOST_REDIRECTS: usize = 5;
/// As much of an error's body is read, in bytes.
const ERROR_BODY: usize = 8 << 10;

/// The transport to a remote server; or why there is none.
pub(super) fn transport(remote: &Remote) -> Result<StreamableHttpClientTransport<Client>, String> {
    if remote.transport == Transport::Sse {
        return Err(
            "it is spoken to by server-sent events, which the protocol has left behind in 2025 and \
             Greenroom does not speak; take the server's streamable HTTP address (often /mcp \
             instead of /sse) with `transport: http`, or a bridge such as mcp-remote as `command`"
                .into(),
        );
    }
    let mut headers: HashMap<HeaderName, HeaderValue> = HashMap::new();
    for (name, value) in &remote.headers {
        let fault = || format!("headers.{name} can be no header of HTTP; mend its name or value");
        let key = HeaderName::try_from(name.as_str()).map_err(|_| fault())?;
        let mut value = HeaderValue::try_from(value.reveal()).map_err(|_| fault())?;
        value.set_sensitive(true);
        headers.insert(key, value);
    }
    let url = Url::parse(remote.url.reveal()).map_err(|fault| format!("url is none: {fault}"))?;
    let client = client(&url)?;
    let config = StreamableHttpClientTransportConfig::with_uri(remote.url.reveal())
        .custom_headers(headers)
        .max_sse_event_size(LONGEST_MESSAGE)
        .max_json_response_size(LONGEST_MESSAGE)
        .max_error_response_size(ERROR_BODY)
        .reinit_on_expired_session(true);
    Ok(StreamableHttpClientTransport::with_client(client, config))
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
