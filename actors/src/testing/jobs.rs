//! Nothing in the background.

use greenroom_protocol::session::SessionId;
use tokio::sync::mpsc;

use crate::ports::{JobBoard, JobEnded};

/// No session has anything in the background.
#[derive(Debug)]
pub struct NoJobs;

impl JobBoard for NoJobs {
    fn ends(&self, _: &SessionId) -> Option<mpsc::Receiver<JobEnded>> {
        None
    }

    fn close_session(&self, _: &SessionId) {}

    fn close(&self) {}
}
