//! One fetch: checked, sent, redirected, read up to its cap.
//!
//! Sends no cookies and no credentials, asks for no compression and takes
//! none, uses no proxy. Every hop is checked anew; a redirect to another place
//! is told and not followed, for the guard judged this one.

use std::error::Error as _;
use std::net::IpAddr;
use std::sync::Arc;

use reqwest::header::{ACCEPT, ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_TYPE, LOCATION};
use reqwest::{Client, Response, Url};

use super::addresses::{Filtered, NOT_PUBLIC, is_public};
use super::readable::tame;
use super::settings::WebSettings;

/// As many redirects are followed.
const MOST_REDIRECTS: usize = 5;

/// The longest address, in bytes.
const URL_BYTES: usize = 8 * 1024;

const AGENT: &str = concat!("greenroom/", env!("CARGO_PKG_VERSION"));

/// What a fetch came to.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Fetched {
    /// An answer.
    Page(Page),
    /// The server sends us to another place.
    Elsewhere(Url),
}

/// An answer.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Page {
    /// Where it was in the end.
    pub url: Url,
    /// The HTTP status.
    pub status: u16,
    /// As the server named it; may be empty.
    pub content_type: String,
    /// Its head, up to the cap.
    pub bytes: Vec<u8>,
    /// Whether there was more.
    pub cut: bool,
}

/// Reads an address, and says why it is not fetched: what needs no look-up.
pub(super) fn checked(text: &str, settings: &WebSettings) -> Result<Url, String> {
    if text.len() > URL_BYTES {
        return Err(format!("is longer than {URL_BYTES} bytes"));
    }
    let mut url = Url::parse(text).map_err(|error| format!("is no URL: {error}"))?;
    url.set_fragment(None);
    check(&url, settings)?;
    Ok(url)
}

fn check(url: &Url, settings: &WebSettings) -> Result<(), String> {
    if !matches!(url.scheme(), "http" | "https") {
        return Err("must begin with http:// or https://".to_owned());
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err("must hold no user name and no password".to_owned());
    }
    let host = url.host_str().ok_or("has no host")?;
    settings.admits(host)?;
    let literal = host.trim_start_matches('[').trim_end_matches(']');
    match literal.parse::<IpAddr>() {
        Ok(ip) if !settings.allow_private && !is_public(ip) => {
            Err(format!("leads to {ip}, {NOT_PUBLIC}"))
        }
        _ => Ok(()),
    }
}

/// Fetches. The caller sets the deadline. The error is for the model.
pub(super) async fn fetch(url: Url, settings: &WebSettings) -> Result<Fetched, String> {
    let client = client(settings)?;
    let mut url = url;
    for _ in 0..=MOST_REDIRECTS {
        check(&url, settings).map_err(|why| format!("{url} {why}"))?;
        let request = client
            .get(url.clone())
            .header(
                ACCEPT,
                "text/html, text/*;q=0.9, application/json;q=0.9, */*;q=0.5",
            )
            .header(ACCEPT_ENCODING, "identity");
        let sent = request.send().await;
        let response =
            sent.map_err(|error| format!("{url} cannot be fetched: {}", cause(&error)))?;
        let Some(next) = redirect(&response, &url)? else {
            return read(response, url, settings.max_bytes)
                .await
                .map(Fetched::Page);
        };
        if !is_same_place(&url, &next) {
            return Ok(Fetched::Elsewhere(next));
        }
        url = next;
    }
    Err(format!(
        "more than {MOST_REDIRECTS} redirects; the last led to {url}"
    ))
}

fn client(settings: &WebSettings) -> Result<Client, String> {
    // Fails when it is installed already, which is as good.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let resolver = Filtered {
        allow_private: settings.allow_private,
    };
    Client::builder()
        .user_agent(AGENT)
        .no_proxy()
        .redirect(reqwest::redirect::Policy::none())
        .retry(reqwest::retry::never())
        .referer(false)
        .dns_resolver(Arc::new(resolver))
        .build()
        .map_err(|error| format!("there is no HTTPS client: {}", cause(&error)))
}

fn redirect(response: &Response, url: &Url) -> Result<Option<Url>, String> {
    if !matches!(response.status().as_u16(), 301 | 302 | 303 | 307 | 308) {
        return Ok(None);
    }
    let Some(location) = response.headers().get(LOCATION) else {
        return Ok(None);
    };
    let location = String::from_utf8_lossy(location.as_bytes());
    if location.len() > URL_BYTES {
        return Err(format!(
            "{url} redirects to a URL longer than {URL_BYTES} bytes"
        ));
    }
    let next = url.join(&location);
    let mut next = next.map_err(|error| format!("{url} redirects to no URL: {error}"))?;
    next.set_fragment(None);
    Ok(Some(next))
}

/// The same host and port; or the same host, from plain to secure at the usual
/// ports.
fn is_same_place(old: &Url, new: &Url) -> bool {
    let same_port = old.scheme() == new.scheme() && old.port() == new.port();
    let secured = old.scheme() == "http"
        && new.scheme() == "https"
        && old.port().is_none()
        && new.port().is_none();
    old.host_str() == new.host_str() && (same_port || secured)
}

async fn read(mut response: Response, url: Url, most: usize) -> Result<Page, String> {
    let header = |name| {
        let value = response.headers().get(name);
        value.map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned())
    };
    if let Some(encoding) = header(CONTENT_ENCODING)
        && !encoding.eq_ignore_ascii_case("identity")
    {
        let encoding = tame(&encoding);
        return Err(format!(
            "{url} came compressed ({encoding}), which was not asked for"
        ));
    }
    let content_type = header(CONTENT_TYPE).unwrap_or_default();
    let status = response.status().as_u16();
    let mut bytes = Vec::new();
    let mut cut = false;
    while !cut {
        let piece = response.chunk().await;
        let piece = piece.map_err(|error| format!("{url} broke off: {}", cause(&error)))?;
        let Some(piece) = piece else { break };
        let room = most.saturating_sub(bytes.len());
        cut = piece.len() > room;
        bytes.extend(piece.iter().take(room));
    }
    Ok(Page {
        url,
        status,
        content_type,
        bytes,
        cut,
    })
}

/// The innermost reason, which is what a person can act on.
fn cause(error: &reqwest::Error) -> String {
    let mut inner = error.source();
    let mut text = error.to_string();
    while let Some(it) = inner {
        text = it.to_string();
        inner = it.source();
    }
    tame(&text)
}
