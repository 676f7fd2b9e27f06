//! The transport of before 2025-03: the server writes one endless stream of
//! events, and names in the first where we are to post to.
//!
//! The client library has left it behind; servers have not all. A stream that
//! breaks ends the connection: it is then opened anew, as any other.

use std::time::Duration;

use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderMap};
use reqwest::{Client, Response, StatusCode, Url};
use rmcp::service::{RoleClient, RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use thiserror::Error;
use tokio::sync::{mpsc, oneshot};
use tokio::task::AbortHandle;

use crate::provider::sse::SseParser;

/// How long a message may take to be taken by the server.
const POST: Duration = Duration::from_secs(30);
/// Messages that wait to be taken in; the stream waits for more room.
const WAITING: usize = 16;

/// What went wrong, without any address.
#[derive(Debug, Error)]
#[error("{0}")]
pub(super) struct SseFault(pub String);

/// An open stream, and where to post to.
pub(super) struct SseTransport {
    client: Client,
    headers: HeaderMap,
    endpoint: Url,
    messages: mpsc::Receiver<RxJsonRpcMessage<RoleClient>>,
    reading: AbortHandle,
}

impl SseTransport {
    /// Opens the stream and waits to hear where to post to: for as long as the
    /// caller waits.
    pub async fn open(
        client: Client,
        url: Url,
        headers: HeaderMap,
    ) -> Result<SseTransport, SseFault> {
        let request = client
            .get(url.clone())
            .headers(headers.clone())
            .header(ACCEPT, "text/event-stream");
        let stream = taken(request.send().await)?;
        let (named, endpoint) = oneshot::channel();
        let (sender, messages) = mpsc::channel(WAITING);
        let reading = tokio::spawn(read(stream, named, sender)).abort_handle();
        let mut transport = SseTransport {
            client,
            headers,
            endpoint: url.clone(),
            messages,
            reading,
        };
        let named = endpoint.await;
        let named = named.map_err(|_| SseFault("its stream names no endpoint".into()))?;
        let endpoint = url.join(named.trim());
        // Our headers go there: to nobody else.
        transport.endpoint = endpoint
            .ok()
            .filter(|it| it.origin() == url.origin())
            .ok_or_else(|| SseFault("its stream names an endpoint of somebody else".into()))?;
        Ok(transport)
    }
}

impl Drop for SseTransport {
    fn drop(&mut self) {
        self.reading.abort();
    }
}

impl Transport<RoleClient> for SseTransport {
    type Error = SseFault;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = Result<(), SseFault>> + Send + 'static {
        let request = self
            .client
            .post(self.endpoint.clone())
            .headers(self.headers.clone())
            .header(CONTENT_TYPE, "application/json")
            .timeout(POST);
        async move {
            let body = serde_json::to_vec(&message).map_err(|it| SseFault(it.to_string()))?;
            taken(request.body(body).send().await).map(drop)
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        self.messages.recv().await
    }

    async fn close(&mut self) -> Result<(), SseFault> {
        self.reading.abort();
        self.messages.close();
        Ok(())
    }
}

fn taken(sent: reqwest::Result<Response>) -> Result<Response, SseFault> {
    match sent {
        Ok(response) if response.status().is_success() => Ok(response),
        Ok(response) if response.status() == StatusCode::UNAUTHORIZED => {
            Err(SseFault("authorization required".into()))
        }
        Ok(response) => Err(SseFault(format!(
            "unexpected answer: HTTP {}",
            response.status()
        ))),
        Err(error) => Err(SseFault(super::words::bottom(&error))),
    }
}

/// Reads the stream to its end. What is no message is read over.
async fn read(
    mut stream: Response,
    named: oneshot::Sender<String>,
    messages: mpsc::Sender<RxJsonRpcMessage<RoleClient>>,
) {
    let mut parser = SseParser::default();
    let mut named = Some(named);
    let mut events = Vec::new();
    while let Ok(Some(bytes)) = stream.chunk().await {
        if parser.push(&bytes, &mut events).is_err() {
            tracing::warn!("an event of an MCP server's stream is too long; the stream is closed");
            return;
        }
        for event in events.drain(..) {
            match (event.name.as_str(), named.take()) {
                ("endpoint", Some(named)) => {
                    let _ = named.send(event.data);
                }
                (_, waiting) => {
                    named = waiting;
                    let Ok(message) = serde_json::from_str(&event.data) else {
                        continue;
                    };
                    if messages.send(message).await.is_err() {
                        return;
                    }
                }
            }
        }
    }
}
