//! How a connection stands.

use std::sync::Arc;

use greenroom_protocol::session::{Millis, Text};
use rmcp::service::{Peer, RoleClient};

use super::catalog::Catalog;

/// How a server stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Status {
    /// It is being started, or started anew.
    Connecting,
    /// It takes calls.
    Ready,
    /// It failed, and is started anew by and by.
    Failed {
        /// Why, in one line without secrets, with the next step where one is
        /// known.
        reason: Text,
        /// Since when.
        since: Millis,
    },
    /// It is disabled, or nobody holds it any more.
    Stopped,
}

/// What a connection tells those who hold it.
#[derive(Debug, Clone)]
pub(super) struct State {
    pub status: Status,
    /// What it offers, as it last said: it stays while the server is started
    /// anew, so that the list of tools does not come and go.
    pub catalog: Arc<Catalog>,
    /// Whom to call, while it is ready.
    pub peer: Option<Peer<RoleClient>>,
}

impl State {
    pub fn new(status: Status) -> State {
        State {
            status,
            catalog: Arc::default(),
            peer: None,
        }
    }
}
