//! The client library's errors in our words: what went wrong at the bottom, and
//! never what a server sent in full.

use std::error::Error;
use std::process::ExitStatus;

use rmcp::service::{ClientInitializeError, ServiceError};
use rmcp::transport::DynamicTransportError;
use rmcp::transport::streamable_http_client::StreamableHttpError;

use super::sse::SseFault;

/// Why a handshake failed.
pub(super) fn of_handshake(fault: &ClientInitializeError) -> String {
    match fault {
        ClientInitializeError::ExpectedInitResponse(_)
        | ClientInitializeError::ExpectedInitResult(_) => {
            "its answer to initialize is none".to_owned()
        }
        ClientInitializeError::JsonRpcError(error) => {
            format!("it refused to initialize: {}", error.message)
        }
        ClientInitializeError::ConnectionClosed(_) => "it closed the connection".to_owned(),
        ClientInitializeError::TransportError { error, .. } => of_transport(error),
        fault => bottom(fault),
    }
}

/// Why a request failed.
pub(super) fn of_request(fault: &ServiceError) -> String {
    match fault {
        ServiceError::McpError(error) => error.message.to_string(),
        ServiceError::TransportSend(error) => of_transport(error),
        ServiceError::TransportClosed => "it closed the connection".to_owned(),
        ServiceError::UnexpectedResponse => "its answer is none to this question".to_owned(),
        ServiceError::Timeout { timeout } => {
            format!("no answer within {} s", timeout.as_secs_f32())
        }
        fault => bottom(fault),
    }
}

/// Why a stream of events was not opened.
pub(super) fn of_sse(fault: &SseFault) -> String {
    unauthorized(fault.to_string())
}

fn of_transport(error: &DynamicTransportError) -> String {
    let inner = error.error.as_ref();
    // It names no cause, and has one.
    unauthorized(
        match inner.downcast_ref::<StreamableHttpError<reqwest::Error>>() {
            Some(StreamableHttpError::Client(fault)) => bottom(fault),
            _ => bottom(inner),
        },
    )
}

fn unauthorized(said: String) -> String {
    match said.starts_with("authorization required") {
        true => "it wants to know who asks (HTTP 401); put what it wants into `headers`".to_owned(),
        false => said,
    }
}

/// The cause of all causes; those above it tell the same with less.
pub(super) fn bottom(error: &(dyn Error + 'static)) -> String {
    let mut at = error;
    while let Some(cause) = at.source() {
        at = cause;
    }
    let said = at.to_string();
    said.trim_end_matches([':', ' ']).to_owned()
}

/// `exit code 3`, `signal 9`.
pub(super) fn of_ending(status: ExitStatus) -> String {
    use std::os::unix::process::ExitStatusExt;
    match (status.code(), status.signal()) {
        // The keeper's way to tell of a signal.
        (Some(code @ 129..=192), _) => format!("signal {}", code - 128),
        (Some(code), _) => format!("exit code {code}"),
        (None, Some(signal)) => format!("signal {signal}"),
        (None, None) => "nobody knows how".to_owned(),
    }
}
