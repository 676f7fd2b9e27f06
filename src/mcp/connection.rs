//! One server's connection: a task that owns it, and the handle that others
//! hold. It ends when the last of them lets go.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use greenroom_actors::ports::Clock;
use rmcp::service::{Peer, RoleClient, ServiceError};
use tokio::sync::{Semaphore, mpsc, watch};
use tokio::time::{Instant, sleep, timeout};
use tokio_util::sync::{CancellationToken, DropGuard};

use super::handler::Changes;
use super::listening;
use super::lists;
use super::mask::Mask;
use super::open_calls::{MOST_CALLS, OpenCalls};
use super::programs::ProgramHost;
use super::settings::ServerConfig;
use super::start::{Live, Starter};
use super::status::{State, Status};
use super::words;

/// The pause before a failed server is started anew: it doubles each time …
const FIRST_PAUSE: Duration = Duration::from_millis(500);
/// … up to this.
const LONGEST_PAUSE: Duration = Duration::from_secs(60);
/// A server that was ready for so long begins with the first pause again.
const STEADY: Duration = Duration::from_secs(60);
/// How long a server may take to answer whether it is there.
const PING: Duration = Duration::from_secs(5);
/// How long it has to end by itself once nobody holds it.
const FAREWELL: Duration = Duration::from_millis(500);
/// The least time between two readings of lists that change.
const REST: Duration = Duration::from_secs(1);
/// Letters that wait; all of them say the same.
const MAILBOX: usize = 8;

/// What a connection is told.
#[derive(Debug)]
pub(super) enum Letter {
    /// A call had no answer: look whether the server is still there.
    Suspect,
}

/// A connection, as those hold it who use it.
pub(super) struct Connection {
    pub config: ServerConfig,
    pub root: Arc<Path>,
    pub state: watch::Receiver<State>,
    pub letters: mpsc::Sender<Letter>,
    pub calls: Arc<OpenCalls>,
    pub too_long: watch::Receiver<u64>,
    pub places: Arc<Semaphore>,
    pub mask: Mask,
    _end: DropGuard,
}

impl Connection {
    /// Opens one in the background. Needs a tokio runtime.
    pub fn open(
        config: ServerConfig,
        root: Arc<Path>,
        programs: Arc<ProgramHost>,
        mask: Mask,
        clock: Arc<dyn Clock>,
    ) -> Connection {
        let end = CancellationToken::new();
        let (letters, mailbox) = mpsc::channel(MAILBOX);
        let (too_long, told_too_long) = watch::channel(0);
        let (state, seen) = watch::channel(State::new(Status::Connecting));
        let calls = Arc::new(OpenCalls::default());
        let task = Task {
            starter: Starter {
                config: config.clone(),
                root: root.clone(),
                programs,
                mask: mask.clone(),
                calls: calls.clone(),
                changes: Arc::new(Changes::default()),
                too_long,
            },
            state,
            mailbox,
            clock,
            end: end.clone(),
        };
        tokio::spawn(task.run());
        Connection {
            config,
            root,
            state: seen,
            letters,
            calls,
            too_long: told_too_long,
            places: Arc::new(Semaphore::new(MOST_CALLS)),
            mask,
            _end: end.drop_guard(),
        }
    }
}

struct Task {
    starter: Starter,
    state: watch::Sender<State>,
    mailbox: mpsc::Receiver<Letter>,
    clock: Arc<dyn Clock>,
    end: CancellationToken,
}

impl Task {
    async fn run(mut self) {
        let end = self.end.clone();
        let mut pause = FIRST_PAUSE;
        let mut last_reason = String::new();
        loop {
            self.tell(Status::Connecting, None);
            let started = tokio::select! {
                biased;
                () = end.cancelled() => break,
                started = self.starter.start() => started,
            };
            let reason = match started {
                Err(reason) => reason,
                Ok(live) => {
                    let ready_at = Instant::now();
                    let Some(reason) = self.serve(live).await else {
                        break;
                    };
                    if ready_at.elapsed() >= STEADY {
                        pause = FIRST_PAUSE;
                    }
                    reason
                }
            };
            if reason != last_reason {
                let server = &self.starter.config.name;
                tracing::warn!(%server, "the MCP server failed: {reason}");
                last_reason.clone_from(&reason);
            }
            let since = self.clock.now();
            let reason = reason.into();
            self.tell(Status::Failed { reason, since }, None);
            // Not all at once after a failure that they share.
            let chance = 0.75 + fastrand::f64() / 2.0;
            tokio::select! {
                biased;
                () = end.cancelled() => break,
                () = sleep(pause.mul_f64(chance)) => (),
            }
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
        self.tell(Status::Stopped, None);
    }

    fn tell(&self, status: Status, peer: Option<Peer<RoleClient>>) {
        self.state.send_modify(|state| {
            state.status = status;
            state.peer = peer;
        });
    }

    /// Serves until the connection fails, which it gives the reason of, or
    /// nobody holds it any more.
    async fn serve(&mut self, live: Live) -> Option<String> {
        let Live {
            service,
            catalog,
            watch,
            mut process,
            errors,
        } = live;
        let peer = service.peer().clone();
        self.state.send_modify(|state| {
            state.status = Status::Ready;
            state.catalog = Arc::new(catalog);
            state.peer = Some(peer.clone());
        });
        let _listening = listening::listen(&peer, &self.starter.changes);
        let closing = service.cancellation_token();
        let mut closed = std::pin::pin!(service.waiting());
        let reason = loop {
            let step = tokio::select! {
                biased;
                () = self.end.cancelled() => break None,
                _ = &mut closed => break Some(None),
                status = ended(&mut process) => break Some(Some(words::of_ending(status))),
                Some(Letter::Suspect) = self.mailbox.recv() => Step::Look,
                changed = self.starter.changes.next() => Step::Read(changed),
            };
            let outcome = tokio::select! {
                biased;
                () = self.end.cancelled() => break None,
                outcome = self.carry_out(step, &peer) => outcome,
            };
            if let Err(reason) = outcome {
                break Some(Some(reason));
            }
        };
        // Nobody is to call it from here on.
        self.tell(Status::Connecting, None);
        closing.cancel();
        let Some(reason) = reason else {
            // Its input is closed now: it has a moment to end by itself.
            let _ = timeout(FAREWELL, closed).await;
            if process.is_some() {
                let _ = timeout(FAREWELL, ended(&mut process)).await;
            }
            return None;
        };
        let reason = match (watch.trouble(), reason) {
            (Some(trouble), _) => trouble.to_owned(),
            (None, Some(reason)) => format!("it ended or hung: {reason}"),
            (None, None) => match timeout(FAREWELL, ended(&mut process)).await {
                Ok(status) => format!("it ended ({})", words::of_ending(status)),
                Err(_) => "it closed the connection".to_owned(),
            },
        };
        let reason = self.starter.mask.reason(&reason);
        Some(match &errors {
            Some(errors) => self.starter.with_last_line(reason, errors),
            None => reason,
        })
    }

    async fn carry_out(&self, step: Step, peer: &Peer<RoleClient>) -> Result<(), String> {
        match step {
            Step::Look => {
                let ping = rmcp::model::ClientRequest::PingRequest(Default::default());
                match timeout(PING, peer.send_request(ping)).await {
                    Ok(Err(
                        fault @ (ServiceError::TransportSend(_) | ServiceError::TransportClosed),
                    )) => Err(words::of_request(&fault)),
                    // Whatever it says, it is there.
                    Ok(_) => Ok(()),
                    Err(_) => Err(format!("no answer to a ping within {} s", PING.as_secs())),
                }
            }
            Step::Read(changed) => {
                let old = self.state.borrow().catalog.clone();
                match lists::read_again(peer, &changed, &old).await {
                    Ok(catalog) => self.state.send_modify(|state| {
                        state.catalog = Arc::new(catalog);
                    }),
                    Err(fault) => {
                        let server = &self.starter.config.name;
                        let fault = self.starter.mask.reason(&fault);
                        tracing::warn!(%server, "changed lists of the MCP server: {fault}");
                    }
                }
                // However often they change, they are read once in this time.
                sleep(REST).await;
                Ok(())
            }
        }
    }
}

enum Step {
    Look,
    Read(Vec<super::handler::List>),
}

/// Waits for a process to end; for ever when there is none.
async fn ended(process: &mut Option<crate::tool::ServerProcess>) -> std::process::ExitStatus {
    if let Some(process) = process
        && let Ok(status) = process.wait().await
    {
        return status;
    }
    std::future::pending().await
}
