//! The signals that end a process politely, as values to select on.

use std::io;

#[cfg(test)]
mod tests;

/// A signal that asks the process to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signal {
    /// SIGINT: Ctrl-C.
    Interrupt,
    /// SIGTERM.
    Terminate,
    /// SIGHUP: the terminal is gone. Never told to a process that was started
    /// with it ignored (`nohup`).
    HangUp,
}

/// The signals of this process from [`Signals::listen`] on: none of them ends
/// it by itself any more.
pub struct Signals {
    #[cfg(unix)]
    interrupt: tokio::signal::unix::Signal,
    #[cfg(unix)]
    terminate: tokio::signal::unix::Signal,
    #[cfg(unix)]
    hang_up: Option<tokio::signal::unix::Signal>,
}

#[cfg(unix)]
impl Signals {
    /// Begins to listen. Must be called inside a tokio runtime with I/O.
    pub fn listen() -> io::Result<Signals> {
        use tokio::signal::unix::{SignalKind, signal};
        let hang_up = match hang_up_is_ignored() {
            true => None,
            false => Some(signal(SignalKind::hangup())?),
        };
        Ok(Signals {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
            hang_up,
        })
    }

    /// The next signal; waits for ever when none comes. Equal ones that come
    /// close together count as one. May be dropped and called again.
    pub async fn next(&mut self) -> Signal {
        let hang_up = async {
            match &mut self.hang_up {
                Some(hang_up) => hang_up.recv().await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            _ = self.interrupt.recv() => Signal::Interrupt,
            _ = self.terminate.recv() => Signal::Terminate,
            _ = hang_up => Signal::HangUp,
        }
    }
}

#[cfg(not(unix))]
impl Signals {
    /// Begins to listen.
    pub fn listen() -> io::Result<Signals> {
        Ok(Signals {})
    }

    /// The next signal; only Ctrl-C is known here.
    pub async fn next(&mut self) -> Signal {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
        Signal::Interrupt
    }
}

/// Whether the process was started with SIGHUP ignored. Where that cannot be
/// known it was not.
#[cfg(unix)]
fn hang_up_is_ignored() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    ignores_hang_up(&status)
}

/// Reads the mask of ignored signals in `/proc/<pid>/status`; SIGHUP is its
/// lowest bit.
#[cfg(unix)]
fn ignores_hang_up(status: &str) -> bool {
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    match mask.map(|mask| u64::from_str_radix(mask.trim(), 16)) {
        Some(Ok(mask)) => mask & 1 == 1,
        _ => false,
    }
}
