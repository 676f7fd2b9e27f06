//! The user's wish to end early.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::runtime::Runtime;

use super::trouble::Trouble;
use crate::signals::Signals;

/// Tells whether a signal asked for the end, so that processes and files are
/// tidied up before it. Cheap to clone.
#[derive(Debug, Clone)]
pub(super) struct Stop {
    asked: Arc<AtomicBool>,
    _listener: Option<Arc<Runtime>>,
}

impl Stop {
    /// Listens from now on. Where that is not to be had, signals end the
    /// process as ever.
    pub fn listen() -> Stop {
        let asked = Arc::new(AtomicBool::new(false));
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build();
        let Ok(runtime) = runtime else {
            return Stop {
                asked,
                _listener: None,
            };
        };
        let told = asked.clone();
        runtime.spawn(async move {
            if let Ok(mut signals) = Signals::listen() {
                signals.next().await;
                told.store(true, Ordering::Relaxed);
            }
        });
        Stop {
            asked,
            _listener: Some(Arc::new(runtime)),
        }
    }

    /// Fails when the end was asked for.
    pub fn check(&self) -> Result<(), Trouble> {
        match self.asked.load(Ordering::Relaxed) {
            true => Err(Trouble::Stopped),
            false => Ok(()),
        }
    }
}
