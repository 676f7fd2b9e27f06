//! The keeper of a server: a small process of our own between Greenroom and a
//! server, that ends the server with all that it started when Greenroom is gone.
//!
//! Nothing can be done in a process that dies of `kill -9`; so somebody else
//! must be there. The keeper watches the one that started it through a pidfd,
//! and as subreaper it is the parent of whatever the server leaves behind. It
//! reads nothing and writes nothing: the server has its streams.

use std::ffi::OsString;
use std::io;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::thread;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, Signal};
use tokio::process::{Child, Command};
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::oneshot;
use tokio::time::{Instant, sleep};

use super::processes::{Family, Name, own_children, with_descendants};

/// The first argument of a process that is to be a keeper. Behind it: the number
/// of the process that starts it, the server's program, and its arguments.
pub const KEEPER_WORD: &str = "__keep-server";

/// From the polite signal to the one that cannot be refused.
const POLITE: Duration = Duration::from_secs(2);
/// After that, how long the killed are waited for.
const KILLED: Duration = Duration::from_secs(10);
/// How often it looks who is left.
const TICK: Duration = Duration::from_millis(20);

/// Exit codes of the keeper's own, as shells have them.
const NOT_STARTED: u8 = 126;
const NOT_FOUND: u8 = 127;

/// Keeps a server until it ends, or whoever started us is gone; gives the exit
/// code. To be called by a process that has nothing else to do.
pub fn keep_server(arguments: Vec<OsString>) -> u8 {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    match runtime {
        Ok(runtime) => {
            runtime
                .block_on(keep(arguments))
                .unwrap_or_else(|error| match error.kind() {
                    io::ErrorKind::NotFound => NOT_FOUND,
                    _ => NOT_STARTED,
                })
        }
        Err(_) => NOT_STARTED,
    }
}

async fn keep(arguments: Vec<OsString>) -> io::Result<u8> {
    let mut arguments = arguments.into_iter();
    let starter = arguments.next().and_then(|it| it.to_str()?.parse().ok());
    let (Some(starter), Some(program)) = (starter, arguments.next()) else {
        return Err(io::Error::other(
            "whom to watch, or what to start, is missing",
        ));
    };
    let mut starter_gone = watch(starter)?;
    rustix::process::set_child_subreaper(Some(rustix::process::getpid()))?;
    // What asks us to end is meant for the server. We end with it.
    let mut asked = signal(SignalKind::terminate())?;
    let mut interrupted = signal(SignalKind::interrupt())?;
    let mut hung_up = signal(SignalKind::hangup())?;
    let mut child_ended = signal(SignalKind::child())?;
    let mut server = Command::new(program)
        .args(arguments)
        .process_group(0)
        .spawn()?;
    let pid = server.id().and_then(|id| i32::try_from(id).ok());
    let family = Family {
        // No process ever has the largest number.
        leader: pid.unwrap_or(i32::MAX),
        marker: String::new(),
    };
    let code = loop {
        tokio::select! {
            biased;
            _ = &mut starter_gone => break NOT_STARTED,
            status = server.wait() => break code(status?),
            _ = asked.recv() => ask(&family),
            _ = interrupted.recv() => ask(&family),
            _ = hung_up.recv() => ask(&family),
            _ = child_ended.recv() => bury_adopted(&family),
        }
    };
    stop_all(&family, &mut server).await;
    Ok(code)
}

/// Gives word when the one who started us ends. A thread waits for that, in
/// one system call.
fn watch(starter: i32) -> io::Result<oneshot::Receiver<()>> {
    let gone = || io::Error::other("whoever started this is gone");
    let pid = Pid::from_raw(starter).ok_or_else(gone)?;
    let descriptor = rustix::process::pidfd_open(pid, PidfdFlags::empty())?;
    // Its number may have been another's by then.
    if rustix::process::getppid() != Some(pid) {
        return Err(gone());
    }
    let (word, heard) = oneshot::channel();
    thread::Builder::new()
        .name("greenroom-watch".into())
        .stack_size(64 << 10)
        .spawn(move || {
            let mut polled = [PollFd::new(&descriptor, PollFlags::IN)];
            while poll(&mut polled, None) == Err(Errno::INTR) {}
            let _ = word.send(());
        })?;
    Ok(heard)
}

fn ask(family: &Family) {
    if let Some(group) = Pid::from_raw(family.leader) {
        let _ = rustix::process::kill_process_group(group, Signal::TERM);
    }
}

/// Ends the server and whatever is left of it: all of them are our descendants.
async fn stop_all(family: &Family, server: &mut Child) {
    let started = Instant::now();
    let mut asked: Vec<i32> = Vec::new();
    loop {
        let _ = server.try_wait();
        bury_adopted(family);
        let mut left = with_descendants(own_children());
        left.retain(|pid| Name::of(*pid).is_some_and(|name| name.is_living()));
        let age = started.elapsed();
        if left.is_empty() || age >= POLITE + KILLED {
            return;
        }
        if age >= POLITE {
            family.signal(&left, Signal::KILL);
        } else {
            let new: Vec<i32> = (left.iter().filter(|pid| !asked.contains(pid)))
                .copied()
                .collect();
            family.signal(&new, Signal::TERM);
            // A stopped process hears nothing else.
            family.signal(&new, Signal::CONT);
            asked.extend(new);
        }
        sleep(TICK).await;
    }
}

/// Takes the status of dead children that the server left behind.
fn bury_adopted(family: &Family) {
    let adopted = own_children()
        .into_iter()
        .filter(|pid| *pid != family.leader);
    for name in adopted.filter_map(Name::of) {
        if !name.is_living() {
            name.bury();
        }
    }
}

fn code(status: ExitStatus) -> u8 {
    let code = match (status.code(), status.signal()) {
        (Some(code), _) => code,
        (None, Some(signal)) => 128 + signal,
        (None, None) => i32::from(NOT_STARTED),
    };
    u8::try_from(code).unwrap_or(u8::MAX)
}
