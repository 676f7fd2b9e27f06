//! How a connection reaches its session, also after the session's actor was
//! started anew.

use greenroom_protocol::session::{SessionId, SubscriberId};
use ractor::ActorRef;
use tokio::sync::watch;

use crate::session::SessionMsg;

/// A session as one client sees it. Cheap to clone.
#[derive(Debug, Clone)]
pub struct SessionHandle {
    pub(super) id: SessionId,
    pub(super) client: SubscriberId,
    pub(super) current: watch::Receiver<(u32, ActorRef<SessionMsg>)>,
}

impl PartialEq for SessionHandle {
    /// The same client of the same session.
    fn eq(&self, other: &SessionHandle) -> bool {
        (&self.id, self.client) == (&other.id, other.client)
    }
}

impl SessionHandle {
    /// The session's name.
    pub fn id(&self) -> &SessionId {
        &self.id
    }

    /// This client's name.
    pub fn client(&self) -> SubscriberId {
        self.client
    }

    /// Sends a message; returns the number of the actor that it went to. An
    /// actor that has failed meanwhile gives no answer: its client is told so
    /// with [`crate::outbox::Out::Restarted`] or [`crate::outbox::Out::Closed`].
    pub fn send(&self, message: SessionMsg) -> u32 {
        let current = self.current.borrow();
        let (generation, session) = &*current;
        let _ = session.cast(message);
        *generation
    }
}
