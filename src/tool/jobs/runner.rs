//! The task beside a job: reads what it writes, ends it when told, and tells
//! how it ended.

use std::io;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::sync::Arc;
use std::time::Duration;

use greenroom_actors::ports::{JobEnd, JobEnded};
use tokio::net::unix::pipe::Receiver;
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until, timeout_at};

use super::super::shell::{Leash, Pipe};
use super::job::{Job, Stop};

/// From the polite signal to the one that cannot be refused.
const POLITE: Duration = Duration::from_secs(2);

/// How long output is read on when the command itself has ended.
const GRACE: Duration = Duration::from_millis(500);

/// Runs beside a job until it has ended; then `tell` is called, unless the
/// session killed the job or is over. Dropping this stops the job, unless it is kept.
pub(super) async fn run(
    job: Arc<Job>,
    leash: Leash,
    output: Receiver,
    stops: watch::Receiver<Stop>,
    tell: impl FnOnce(JobEnded),
) {
    let mut runner = Runner {
        leash,
        output: Pipe::new(Some(output)),
        stops,
        job,
        was_killed: false,
    };
    let Some(status) = runner.until_exit().await else {
        // The session is over: letting go of the leash does the rest.
        return;
    };
    runner.read_rest().await;
    runner.leash.release();
    let ended = runner.job.ended(end_of(status));
    if !runner.was_killed {
        tell(ended);
    }
}

struct Runner {
    leash: Leash,
    output: Pipe<Receiver>,
    stops: watch::Receiver<Stop>,
    job: Arc<Job>,
    was_killed: bool,
}

impl Runner {
    /// Reads until the command itself has ended; nothing when the session is
    /// over before that.
    async fn until_exit(&mut self) -> Option<io::Result<ExitStatus>> {
        let mut kill_at: Option<Instant> = None;
        loop {
            let late = kill_at.unwrap_or_else(Instant::now);
            tokio::select! {
                changed = self.stops.changed() => match *self.stops.borrow_and_update() {
                    // The job is held by us: its sender is there.
                    _ if changed.is_err() => return None,
                    Stop::Close => return None,
                    Stop::Kill if !self.was_killed => {
                        self.was_killed = true;
                        self.leash.terminate();
                        kill_at = Some(Instant::now() + POLITE);
                    }
                    Stop::Kill | Stop::No => {}
                },
                piece = self.output.read(), if !self.output.is_closed() => self.job.wrote(&piece),
                status = self.leash.wait() => return Some(status),
                () = sleep_until(late), if kill_at.is_some() => {
                    kill_at = None;
                    self.leash.kill();
                }
            }
        }
    }

    /// Reads what a command that has ended left in its pipe.
    async fn read_rest(&mut self) {
        let deadline = Instant::now() + GRACE;
        while !self.output.is_closed() {
            match timeout_at(deadline, self.output.read()).await {
                Ok(piece) => self.job.wrote(&piece),
                Err(_) => return,
            }
        }
    }
}

fn end_of(status: io::Result<ExitStatus>) -> JobEnd {
    let Ok(status) = status else {
        return JobEnd::Lost;
    };
    match (status.code(), status.signal()) {
        (Some(code), _) => JobEnd::Exited(code),
        (None, Some(signal)) => JobEnd::Signalled(signal),
        (None, None) => JobEnd::Lost,
    }
}
