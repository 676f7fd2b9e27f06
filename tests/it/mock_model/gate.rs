//! Paces a stream by hand.

use std::sync::Arc;

use tokio::sync::Semaphore;

/// Closed at first. Each piece of a reply waits until one more is let through.
#[derive(Debug, Clone)]
pub struct Gate(Arc<Semaphore>);

impl Gate {
    pub fn closed() -> Gate {
        Gate(Arc::new(Semaphore::new(0)))
    }

    /// Lets so many more pieces through.
    pub fn open(&self, pieces: usize) {
        self.0.add_permits(pieces);
    }

    pub(super) async fn pass(&self) {
        self.0.acquire().await.unwrap().forget();
    }
}
