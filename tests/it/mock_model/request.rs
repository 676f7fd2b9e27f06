//! Reads one HTTP/1.1 request.

use serde_json::Value;
use tokio::io::{AsyncRead, AsyncReadExt};

/// A request as it came.
#[derive(Debug, Clone)]
pub struct Request {
    pub method: String,
    pub path: String,
    /// In order, with names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body as it was written.
    pub text: String,
    /// The body, read.
    pub body: Value,
}

impl Request {
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut found = self.headers.iter().filter(|(key, _)| key == name);
        let value = found.next().map(|(_, value)| value.as_str());
        assert!(found.next().is_none(), "{name} is sent once");
        value
    }

    /// What the client authenticates with; empty when it doesn't.
    pub(super) fn key(&self) -> &str {
        let bearer = self.header("authorization");
        let bearer = bearer.and_then(|value| value.strip_prefix("Bearer "));
        bearer.or(self.header("x-api-key")).unwrap_or("")
    }

    /// Reads one; nothing when the client closes the connection before.
    pub(super) async fn read(stream: &mut (impl AsyncRead + Unpin)) -> Option<Request> {
        let mut bytes = Vec::new();
        let head = loop {
            if let Some(end) = bytes.windows(4).position(|four| four == b"\r\n\r\n") {
                break end;
            }
            if stream.read_buf(&mut bytes).await.ok()? == 0 {
                return None;
            }
        };
        let text = String::from_utf8(bytes[..head].to_vec()).expect("headers are text");
        let mut lines = text.split("\r\n");
        let mut first = lines.next()?.split(' ');
        let (method, path) = (first.next()?.to_owned(), first.next()?.to_owned());
        let headers: Vec<(String, String)> = lines
            .map(|line| line.split_once(':').expect("a header"))
            .map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned()))
            .collect();
        let length = headers.iter().find(|(name, _)| name == "content-length");
        let length: usize = length.map_or(0, |(_, value)| value.parse().expect("a length"));
        while bytes.len() < head + 4 + length {
            if stream.read_buf(&mut bytes).await.ok()? == 0 {
                return None;
            }
        }
        let text = String::from_utf8(bytes.split_off(head + 4)).expect("a body of text");
        let body = match text.is_empty() {
            true => Value::Null,
            false => serde_json::from_str(&text).expect("a body of JSON"),
        };
        Some(Request {
            method,
            path,
            headers,
            text,
            body,
        })
    }
}
