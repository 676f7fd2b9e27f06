//! Does one job and ends. The long wait happens here, so that whoever wants
//! the result is always free to hear an abort; a panic ends the worker only,
//! and its supervisor hears of it.

use std::future::Future;
use std::pin::Pin;

use ractor::{Actor, ActorProcessingErr, ActorRef, SpawnErr};

/// What a worker does. It reports by itself, as its last act.
pub type Job = Pin<Box<dyn Future<Output = ()> + Send>>;

/// The actor of one job.
pub struct Worker;

impl Worker {
    /// Starts a worker under `supervisor`. Killing it drops the job.
    pub async fn start(job: Job, supervisor: ractor::ActorCell) -> Result<ActorRef<()>, SpawnErr> {
        let (worker, _) = Actor::spawn_linked(None, Worker, job, supervisor).await?;
        // It cannot have ended yet: it waits for this.
        let _ = worker.cast(());
        Ok(worker)
    }
}

impl Actor for Worker {
    type Msg = ();
    type State = Option<Job>;
    type Arguments = Job;

    async fn pre_start(
        &self,
        _: ActorRef<()>,
        job: Job,
    ) -> Result<Option<Job>, ActorProcessingErr> {
        Ok(Some(job))
    }

    async fn handle(
        &self,
        myself: ActorRef<()>,
        (): (),
        job: &mut Option<Job>,
    ) -> Result<(), ActorProcessingErr> {
        if let Some(job) = job.take() {
            job.await;
        }
        myself.stop(None);
        Ok(())
    }
}
