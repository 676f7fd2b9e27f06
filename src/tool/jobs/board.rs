//! Which session has which jobs, and who hears of their ends.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use greenroom_actors::ports::{JobBoard, JobEnded};
use greenroom_protocol::session::SessionId;
use tokio::sync::mpsc;

use super::super::input::nearest;
use super::job::{Job, Stop};

/// Ends that wait for somebody who takes them.
const ENDS: usize = 64;

/// Ended jobs of a session whose output is still kept; of more the oldest go.
const ENDED_KEPT: usize = 8;

/// All jobs of this process. Dropping it ends them.
pub(in crate::tool) struct Jobs {
    /// How many may run at once in one session.
    most: usize,
    /// How much of each one's output is kept, in bytes.
    pub(super) output_bytes: usize,
    sessions: Mutex<HashMap<SessionId, Session>>,
}

struct Session {
    /// The number of the latest job.
    latest: u32,
    starting: usize,
    jobs: Vec<Arc<Job>>,
    ends: mpsc::Sender<JobEnded>,
    /// The other end, until somebody asks for it.
    untaken: Option<mpsc::Receiver<JobEnded>>,
}

impl Jobs {
    /// None yet.
    pub fn new(most: usize, output_bytes: usize) -> Jobs {
        Jobs {
            most,
            output_bytes,
            sessions: Mutex::default(),
        }
    }

    /// Room for one more job of a session, or why there is none.
    pub(super) fn room(self: &Arc<Jobs>, session: &SessionId) -> Result<Room, String> {
        if self.most == 0 {
            return Err("nothing may run in the background here: `tools.jobs` is 0".to_owned());
        }
        let mut sessions = self.lock();
        let held = sessions.entry(session.clone()).or_default();
        let running = held.running();
        if running.len() + held.starting >= self.most {
            let what = match self.most {
                1 => "1 job runs".to_owned(),
                most => format!("{most} jobs run"),
            };
            let names = running.join(", ");
            return Err(format!(
                "{what} in the background already ({names}), and that is the limit: wait for one \
                 with job_output, or end one with job_kill"
            ));
        }
        held.starting += 1;
        held.latest += 1;
        Ok(Room {
            jobs: self.clone(),
            session: session.clone(),
            name: format!("job{}", held.latest),
        })
    }

    /// A session's job of that name, or what to say when there is none.
    pub(super) fn find(&self, session: &SessionId, name: &str) -> Result<Arc<Job>, String> {
        let jobs = self.all(session);
        if let Some(job) = jobs.iter().find(|job| job.name == name) {
            return Ok(job.clone());
        }
        let names: Vec<&str> = jobs.iter().map(|job| job.name.as_str()).collect();
        let hint = match (nearest(name, &names), names.is_empty()) {
            (_, true) => "there are none: start one with shell and `background`".to_owned(),
            (Some(near), false) => format!("did you mean `{near}`? There are {}", names.join(", ")),
            (None, false) => format!("there are {}", names.join(", ")),
        };
        Err(format!("there is no job `{name}`: {hint}"))
    }

    /// A session's jobs, the oldest first: those that run, and the latest of
    /// those that ended.
    pub(super) fn all(&self, session: &SessionId) -> Vec<Arc<Job>> {
        let sessions = self.lock();
        sessions
            .get(session)
            .map_or_else(Vec::new, |held| held.jobs.clone())
    }

    /// Tells whoever listens that a job has ended.
    pub(super) fn tell(&self, session: &SessionId, ended: JobEnded) {
        let mut sessions = self.lock();
        let Some(held) = sessions.get_mut(session) else {
            return;
        };
        held.forget_old();
        if let Err(lost) = held.ends.try_send(ended) {
            tracing::debug!(%session, %lost, "nobody takes the end of a job");
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<SessionId, Session>> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl JobBoard for Jobs {
    fn ends(&self, session: &SessionId) -> Option<mpsc::Receiver<JobEnded>> {
        if self.most == 0 {
            return None;
        }
        let mut sessions = self.lock();
        let held = sessions.entry(session.clone()).or_default();
        if held.untaken.is_none() {
            let (ends, untaken) = mpsc::channel(ENDS);
            (held.ends, held.untaken) = (ends, Some(untaken));
        }
        held.untaken.take()
    }

    fn close_session(&self, session: &SessionId) {
        let held = self.lock().remove(session);
        for job in held.iter().flat_map(|held| &held.jobs) {
            job.stop(Stop::Close);
        }
    }

    fn close(&self) {
        let all: Vec<Session> = self.lock().drain().map(|(_, held)| held).collect();
        for job in all.iter().flat_map(|held| &held.jobs) {
            job.stop(Stop::Close);
        }
    }
}

impl Drop for Jobs {
    fn drop(&mut self) {
        self.close();
    }
}

impl Default for Session {
    fn default() -> Session {
        let (ends, untaken) = mpsc::channel(ENDS);
        Session {
            latest: 0,
            starting: 0,
            jobs: Vec::new(),
            ends,
            untaken: Some(untaken),
        }
    }
}

impl Session {
    /// The names of those that run.
    fn running(&self) -> Vec<&str> {
        let running = self.jobs.iter().filter(|job| job.end().is_none());
        running.map(|job| job.name.as_str()).collect()
    }

    fn forget_old(&mut self) {
        let ended = self.jobs.iter().filter(|job| job.end().is_some()).count();
        let mut surplus = ended.saturating_sub(ENDED_KEPT);
        self.jobs.retain(|job| {
            let goes = surplus > 0 && job.end().is_some();
            surplus -= usize::from(goes);
            !goes
        });
    }
}

/// Room for a job that is being started.
pub(super) struct Room {
    jobs: Arc<Jobs>,
    session: SessionId,
    /// What it will be called.
    pub name: String,
}

impl Room {
    /// The job is there. It has to be stopped at once when its session is over.
    pub fn fill(self, job: Arc<Job>) {
        let mut sessions = self.jobs.lock();
        match sessions.get_mut(&self.session) {
            Some(held) => {
                held.jobs.push(job);
                held.forget_old();
            }
            None => job.stop(Stop::Close),
        }
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        if let Some(held) = self.jobs.lock().get_mut(&self.session) {
            held.starting = held.starting.saturating_sub(1);
        }
    }
}
