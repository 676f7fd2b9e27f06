//! A transport that a server cannot flood: messages are taken in at a pace, and
//! a server that leaves too many of its requests open is cut off.
//!
//! The client library starts a task for each message that comes; so the bound
//! has to be in front of it.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rmcp::model::{JsonRpcMessage, ServerNotification};
use rmcp::service::{RoleClient, RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use tokio::time::{Instant, sleep_until};

/// The time that each message takes up: 2,000 a second are taken in.
const EACH: Duration = Duration::from_micros(500);
/// How much of it may be taken up at once: a burst of 2,000.
const BURST: Duration = Duration::from_secs(1);
/// As many requests of a server may wait for our answer.
const MOST_OPEN: usize = 64;

/// What becomes of a connection beside its messages.
#[derive(Debug, Default)]
pub(super) struct Watch {
    /// The server's requests that have no answer yet.
    open: AtomicUsize,
    /// Why it was cut off.
    trouble: Mutex<Option<&'static str>>,
}

impl Watch {
    /// Why it was cut off, if it was.
    pub fn trouble(&self) -> Option<&'static str> {
        *self.trouble.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes why it is cut off.
    pub fn cut(&self, why: &'static str) {
        *self.trouble.lock().unwrap_or_else(PoisonError::into_inner) = Some(why);
    }

    fn settled(&self) {
        let one_less = |open: usize| open.checked_sub(1);
        let order = Ordering::Relaxed;
        // It is at zero already when a server cancels what it never asked.
        let _ = self.open.fetch_update(order, order, one_less);
    }
}

/// A transport with a [`Watch`] over it.
pub(super) struct Guarded<T> {
    inner: T,
    watch: Arc<Watch>,
    /// Until when the time is taken up.
    taken_up: Instant,
}

impl<T> Guarded<T> {
    pub fn new(inner: T, watch: Arc<Watch>) -> Guarded<T> {
        Guarded {
            inner,
            watch,
            taken_up: Instant::now(),
        }
    }
}

impl<T: Transport<RoleClient>> Transport<RoleClient> for Guarded<T> {
    type Error = T::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = Result<(), T::Error>> + Send + 'static {
        let is_answer = matches!(
            message,
            JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_)
        );
        let sending = self.inner.send(message);
        let watch = self.watch.clone();
        async move {
            let sent = sending.await;
            if is_answer {
                watch.settled();
            }
            sent
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        // Dropped and called again at any await: nothing changes before the
        // message is there.
        if let Some(pace) = self.taken_up.checked_sub(BURST) {
            sleep_until(pace).await;
        }
        let message = self.inner.receive().await?;
        self.taken_up = self.taken_up.max(Instant::now()) + EACH;
        match &message {
            JsonRpcMessage::Request(_) => {
                let open = self.watch.open.fetch_add(1, Ordering::Relaxed);
                if open >= MOST_OPEN {
                    self.watch
                        .cut("it asked too much at once and did not take the answers");
                    return None;
                }
            }
            JsonRpcMessage::Notification(notification) => {
                let is_cancel = matches!(
                    notification.notification,
                    ServerNotification::CancelledNotification(_)
                );
                if is_cancel {
                    self.watch.settled();
                }
            }
            _ => (),
        }
        Some(message)
    }

    fn close(&mut self) -> impl Future<Output = Result<(), T::Error>> + Send {
        self.inner.close()
    }
}
