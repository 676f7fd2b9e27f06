//! The calls that a connection has open: where their progress goes, and whom
//! the server asks while they run.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use greenroom_actors::ports::OutputSink;
use greenroom_protocol::session::OutputStream;
use rmcp::model::{ProgressToken, RequestId};
use tokio::sync::watch;

use super::elicit::Ask;

/// As many calls may be open on one connection; more wait.
pub(super) const MOST_CALLS: usize = 64;

/// The open calls of one connection.
#[derive(Default)]
pub(super) struct OpenCalls {
    calls: Mutex<HashMap<RequestId, OpenCall>>,
}

struct OpenCall {
    token: ProgressToken,
    output: Option<OutputSink>,
    ask: Option<Asking>,
}

/// Whom to ask, and how many questions are open.
#[derive(Clone)]
pub(super) struct Asking {
    pub ask: Ask,
    pub open: Arc<watch::Sender<usize>>,
}

impl OpenCalls {
    /// Notes a call, until what it returns is dropped.
    pub fn note(
        self: &Arc<OpenCalls>,
        id: RequestId,
        token: ProgressToken,
        output: Option<OutputSink>,
        ask: Option<Asking>,
    ) -> Noted {
        let call = OpenCall { token, output, ask };
        self.lock().insert(id.clone(), call);
        Noted {
            calls: self.clone(),
            id,
        }
    }

    /// Passes a piece of progress on. It is left out when the sink is full: the
    /// next one says more.
    pub fn progress(&self, token: &ProgressToken, text: String) {
        let calls = self.lock();
        let call = calls.values().find(|call| call.token == *token);
        if let Some(output) = call.and_then(|call| call.output.as_ref()) {
            let _ = output.try_send((OutputStream::Stdout, text));
        }
    }

    /// Whom to ask. `origin` is the call that the question belongs to, where the
    /// transport tells; else there must be just one, since a session must never
    /// answer what another one's call asks.
    pub fn whom_to_ask(&self, origin: Option<&RequestId>) -> Option<Asking> {
        let calls = self.lock();
        let call = match origin {
            Some(id) => calls.get(id),
            None if calls.len() == 1 => calls.values().next(),
            None => None,
        };
        call.and_then(|call| call.ask.clone())
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<RequestId, OpenCall>> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A call that is noted.
pub(super) struct Noted {
    calls: Arc<OpenCalls>,
    id: RequestId,
}

impl Drop for Noted {
    fn drop(&mut self) {
        self.calls.lock().remove(&self.id);
    }
}
