//! Calls that have a worker each, for the supervisor of these workers.

use std::collections::BTreeMap;

use greenroom_protocol::session::CallId;
use ractor::{ActorCell, ActorId, SpawnErr, SupervisionEvent};

use super::worker::{Job, Worker};

/// Which worker works for which call.
#[derive(Debug, Default)]
pub struct InFlight(BTreeMap<ActorId, CallId>);

impl InFlight {
    /// Starts a worker for a call, under `supervisor`.
    pub async fn start(
        &mut self,
        call: CallId,
        job: Job,
        supervisor: ActorCell,
    ) -> Result<(), SpawnErr> {
        let worker = Worker::start(job, supervisor).await?;
        self.0.insert(worker.get_id(), call);
        Ok(())
    }

    /// Takes in what a supervisor hears of its workers. The call of a worker
    /// that failed inside: it has reported nothing.
    pub fn ended(&mut self, event: SupervisionEvent) -> Option<CallId> {
        match event {
            SupervisionEvent::ActorTerminated(worker, ..) => {
                self.0.remove(&worker.get_id());
                None
            }
            SupervisionEvent::ActorFailed(worker, reason) => {
                let call = self.0.remove(&worker.get_id())?;
                tracing::error!(%call, %reason, "work on a call failed inside");
                Some(call)
            }
            _ => None,
        }
    }
}
