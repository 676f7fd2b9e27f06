//! One job as others see it: what it is, what it wrote, how it stands.

use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use greenroom_actors::ports::{JobEnd, JobEnded};
use greenroom_protocol::session::Text;
use tokio::process::ChildStdin;
use tokio::sync::watch;
use tokio::time::{Instant, timeout_at};

use super::super::shell::signal_name;
use super::super::text::headline;
use super::ring::Ring;

/// How much of its output goes with the word that a job ended.
const TAIL: usize = 4 << 10;

/// How long what comes next is waited for, once something came.
const SETTLE: Duration = Duration::from_millis(200);

/// A command that runs in the background, or did.
pub(super) struct Job {
    /// Its name in the session: `job1`.
    pub name: String,
    /// The command line.
    pub command: String,
    /// The folder that it was started in: absolute, without links.
    pub folder: PathBuf,
    /// Whether it outlives its session.
    pub is_kept: bool,
    started: Instant,
    inner: Mutex<Inner>,
    /// Counts what happens to it.
    changes: watch::Sender<u64>,
    stop: watch::Sender<Stop>,
}

struct Inner {
    ring: Ring,
    /// Up to where its output was looked at.
    seen: u64,
    end: Option<(JobEnd, Duration)>,
    input: Input,
}

/// A job's standard input.
pub(super) enum Input {
    /// Nobody writes into it.
    Free(ChildStdin),
    /// Somebody does.
    Taken,
    /// It has none, or none any more.
    Closed,
}

/// What the runner is to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stop {
    /// Go on.
    No,
    /// End the job, and tell how it ended.
    Kill,
    /// The session is over: end it, or leave it alone if it is kept.
    Close,
}

/// What is waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Until {
    /// Output that was not looked at, or the end.
    Output,
    /// The end.
    End,
}

/// Output, and how the job stood when it was looked at.
pub(super) struct Look {
    /// The output.
    pub text: String,
    /// The state, in words.
    pub state: String,
    /// How it ended, if it did.
    pub end: Option<JobEnd>,
}

impl Job {
    /// A job that has just been started.
    pub fn new(
        name: String,
        command: String,
        folder: PathBuf,
        is_kept: bool,
        most: usize,
        input: Option<ChildStdin>,
    ) -> Job {
        Job {
            name,
            command,
            folder,
            is_kept,
            started: Instant::now(),
            inner: Mutex::new(Inner {
                ring: Ring::new(most),
                seen: 0,
                end: None,
                input: input.map_or(Input::Closed, Input::Free),
            }),
            changes: watch::Sender::new(0),
            stop: watch::Sender::new(Stop::No),
        }
    }

    /// Takes the next piece of output.
    pub fn wrote(&self, piece: &str) {
        if !piece.is_empty() {
            self.lock().ring.push(piece);
            self.changed();
        }
    }

    /// Takes note of its end; gives what is told of it.
    pub fn ended(&self, end: JobEnd) -> JobEnded {
        let ran_for = self.started.elapsed();
        let mut inner = self.lock();
        inner.end = Some((end, ran_for));
        inner.input = Input::Closed;
        let tail = inner.ring.tail(TAIL);
        drop(inner);
        self.changed();
        JobEnded {
            job: Text::from(self.name.as_str()),
            command: Text::from(self.command.as_str()),
            end,
            tail: Text::from(tail),
            seconds: ran_for.as_secs(),
        }
    }

    /// How it ended, if it did.
    pub fn end(&self) -> Option<JobEnd> {
        self.lock().end.map(|(end, _)| end)
    }

    /// Tells the runner what to do.
    pub fn stop(&self, stop: Stop) {
        self.stop.send_replace(stop);
    }

    /// Where the runner hears of it.
    pub fn stops(&self) -> watch::Receiver<Stop> {
        self.stop.subscribe()
    }

    /// Takes the standard input, to write into it.
    pub fn take_input(&self) -> Input {
        let mut inner = self.lock();
        match std::mem::replace(&mut inner.input, Input::Closed) {
            Input::Free(input) => {
                inner.input = Input::Taken;
                Input::Free(input)
            }
            Input::Taken => {
                inner.input = Input::Taken;
                Input::Taken
            }
            Input::Closed => Input::Closed,
        }
    }

    /// Gives it back; nothing closes it.
    pub fn put_input(&self, input: Option<ChildStdin>) {
        let mut inner = self.lock();
        let is_over = inner.end.is_some();
        inner.input = match input.filter(|_| !is_over) {
            Some(input) => Input::Free(input),
            None => Input::Closed,
        };
    }

    /// Waits for something, at most until then.
    pub async fn wait(&self, until: Until, deadline: Instant) {
        let mut changes = self.changes.subscribe();
        loop {
            changes.mark_unchanged();
            if self.end().is_some() {
                return;
            }
            if until == Until::Output && self.has_news() {
                let settled = (Instant::now() + SETTLE).min(deadline);
                let ended =
                    async { while self.end().is_none() && changes.changed().await.is_ok() {} };
                let _ = timeout_at(settled, ended).await;
                return;
            }
            if !matches!(timeout_at(deadline, changes.changed()).await, Ok(Ok(()))) {
                return;
            }
        }
    }

    /// What came since the last look, or the last lines. Either way all that is
    /// there now counts as looked at.
    pub fn look(&self, lines: Option<usize>) -> Look {
        let mut inner = self.lock();
        let text = match lines {
            Some(lines) => inner.ring.last_lines(lines),
            None => inner.ring.since(inner.seen),
        };
        inner.seen = inner.ring.total();
        let end = inner.end;
        drop(inner);
        Look {
            text,
            state: self.state(end),
            end: end.map(|(end, _)| end),
        }
    }

    /// One line for a list of jobs.
    pub fn line(&self) -> String {
        let inner = self.lock();
        let (end, news) = (inner.end, inner.ring.total() - inner.seen);
        drop(inner);
        let news = match news {
            0 => String::new(),
            news => format!("; {news} bytes of output not looked at"),
        };
        let kept = match self.is_kept {
            true => ", outlives the session",
            false => "",
        };
        let command = headline(&self.command);
        format!("{}{kept}{news}: {command}", self.state(end))
    }

    /// How it stands now, in words.
    pub fn standing(&self) -> String {
        let end = self.lock().end;
        self.state(end)
    }

    fn state(&self, end: Option<(JobEnd, Duration)>) -> String {
        let name = &self.name;
        match end {
            None => format!(
                "{name} is running, for {} so far",
                seconds(self.started.elapsed())
            ),
            Some((end, ran_for)) => {
                format!("{name} ended after {}: {}", seconds(ran_for), words(end))
            }
        }
    }

    fn has_news(&self) -> bool {
        let inner = self.lock();
        inner.ring.total() > inner.seen
    }

    fn changed(&self) {
        self.changes.send_modify(|count| *count += 1);
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn seconds(time: Duration) -> String {
    format!("{} s", time.as_secs())
}

/// An end in words.
fn words(end: JobEnd) -> String {
    match end {
        JobEnd::Exited(code) => format!("exit code {code}"),
        JobEnd::Signalled(signal) => format!("killed by signal {signal}{}", signal_name(signal)),
        JobEnd::Lost => "it was lost sight of".to_owned(),
    }
}
