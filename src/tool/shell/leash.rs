//! The hold on a running command: whoever lets go of it stops the command and
//! all that it started.

use std::fs::File;
use std::io::{self, Read};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::process::ExitStatus;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use rustix::process::{Pid, Signal};
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout};
use tokio::time::Instant;

use super::hold::{self, Hold, Orphans};
use super::processes::Family;

/// From the polite signal to the one that cannot be refused.
const POLITE: Duration = Duration::from_secs(2);
/// After that, how long the killed are waited for.
const KILLED: Duration = Duration::from_secs(10);
/// How often the reaper looks.
const TICK: Duration = Duration::from_millis(20);

/// Whether orphans come to us instead of to init.
static SUBREAPER: AtomicBool = AtomicBool::new(false);

/// Lets orphans of commands become children of this process, so that they are
/// found and buried. To be called once, at the start of the process; without
/// it, orphans are still found by their mark, if by a slower way.
///
/// From then on only tools may start processes: any other child of this one
/// counts as an orphan, and is stopped with the last command.
pub fn become_subreaper() -> io::Result<()> {
    adopt_orphans()?;
    hold::claim_children();
    Ok(())
}

/// The same, for a process that has other children, too (such as that of the
/// unit tests): only orphans that bear a sign of their call are found.
pub(in crate::tool) fn adopt_orphans() -> io::Result<()> {
    rustix::process::set_child_subreaper(Some(rustix::process::getpid()))?;
    SUBREAPER.store(true, Ordering::Relaxed);
    Ok(())
}

/// Waits until every command is gone, or the limit has passed; tells whether
/// all are gone. To be called before the process ends, when all turns have been
/// stopped: also those count whose worker has not heard of it yet.
pub async fn wait_for_stops(limit: Duration) -> bool {
    let deadline = Instant::now() + limit;
    while hold::held() > 0 {
        if Instant::now() >= deadline {
            return false;
        }
        tokio::time::sleep(TICK).await;
    }
    true
}

/// A running command. Dropping it stops the command, unless it is kept: TERM to all of its
/// processes, KILL two seconds later, by a thread that waits for nobody.
pub(in crate::tool) struct Leash {
    child: Option<Child>,
    family: Family,
    pipes: Vec<File>,
    asked: bool,
    hold: Option<Hold>,
    is_kept: bool,
    /// What a watcher of the command waits on (see `background`): it is to end
    /// with the reaper, not before it.
    lifeline: Option<OwnedFd>,
}

impl Leash {
    /// Takes a command that leads its own process group and was started with
    /// this hold.
    pub(super) fn new(child: Child, marker: String, hold: Hold) -> Leash {
        // The number is there: nobody has waited for the child yet.
        let leader = child.id().and_then(|id| i32::try_from(id).ok());
        let stdout = child.stdout.as_ref().map(ChildStdout::as_fd);
        let stderr = child.stderr.as_ref().map(ChildStderr::as_fd);
        Leash {
            pipes: [stdout, stderr]
                .into_iter()
                .flatten()
                .filter_map(duplicate)
                .collect(),
            child: Some(child),
            asked: false,
            hold: Some(hold),
            is_kept: false,
            lifeline: None,
            family: Family {
                // No process and no group ever has the largest number.
                leader: leader.unwrap_or(i32::MAX),
                marker,
            },
        }
    }

    /// The same, with a pipe that it writes into (a copy, to be emptied while it
    /// dies) and the lifeline of its watcher.
    pub fn tied(mut self, pipe: OwnedFd, lifeline: OwnedFd) -> Leash {
        self.pipes.push(File::from(pipe));
        self.lifeline = Some(lifeline);
        self
    }

    /// Makes it one that may outlive this process: nobody waits for its end, it
    /// is nobody's orphan, and whoever lets go of it leaves it alone.
    pub fn keep(&mut self) {
        hold::keep(self.family.clone());
        self.is_kept = true;
        self.hold = None;
    }

    /// Its standard input, once, of a server.
    pub fn take_stdin(&mut self) -> Option<ChildStdin> {
        self.child.as_mut()?.stdin.take()
    }

    /// Its standard output, once.
    pub fn take_stdout(&mut self) -> Option<ChildStdout> {
        self.child.as_mut()?.stdout.take()
    }

    /// Its standard error, once.
    pub fn take_stderr(&mut self) -> Option<ChildStderr> {
        self.child.as_mut()?.stderr.take()
    }

    /// Waits for the command itself, not for what it started.
    pub async fn wait(&mut self) -> io::Result<ExitStatus> {
        match &mut self.child {
            Some(child) => child.wait().await,
            None => Err(io::Error::other("nobody is there to wait for")),
        }
    }

    /// Asks the whole group to end; once, since many take a second asking for
    /// impatience.
    pub fn terminate(&mut self) {
        if std::mem::replace(&mut self.asked, true) {
            return;
        }
        signal_group(self.family.leader, Signal::TERM);
        // A stopped process hears nothing else.
        signal_group(self.family.leader, Signal::CONT);
    }

    /// Ends the whole group, whatever it is doing.
    pub fn kill(&mut self) {
        signal_group(self.family.leader, Signal::KILL);
    }

    /// Lets go of a command that has ended. What it left behind is stopped.
    pub fn release(mut self) {
        let has_ended = match &mut self.child {
            Some(child) => matches!(child.try_wait(), Ok(Some(_))),
            None => true,
        };
        if has_ended && self.left_behind() == Some(false) && self.end_hold() {
            self.child = None;
        }
        // Anything else is for the reaper, by the drop.
    }

    /// Whether the hold has ended: it does not while it has orphans to stop.
    fn end_hold(&mut self) -> bool {
        let leader = self.family.leader;
        self.hold.as_mut().is_none_or(|hold| hold.try_end(leader))
    }

    /// Whether processes of the command are still there; nothing when only the
    /// slow way could tell.
    fn left_behind(&self) -> Option<bool> {
        if !SUBREAPER.load(Ordering::Relaxed) {
            return None;
        }
        let group = Pid::from_raw(self.family.leader)?;
        let left = self.family.adopted()?;
        let empty_group = rustix::process::test_kill_process_group(group).is_err();
        Some(!left.is_empty() || !empty_group)
    }
}

impl Drop for Leash {
    fn drop(&mut self) {
        let Some(mut child) = self.child.take() else {
            return;
        };
        let is_running = matches!(child.try_wait(), Ok(None));
        if is_running && self.is_kept {
            return;
        }
        // At once, and not by the thread: it may be the process's last act.
        if is_running {
            self.terminate();
        }
        let family = self.family.clone();
        let asked = self.asked;
        let mut pipes = std::mem::take(&mut self.pipes);
        let mut hold = self.hold.take();
        let lifeline = self.lifeline.take();
        let reaper = thread::Builder::new()
            .name("greenroom-reaper".into())
            .stack_size(256 << 10)
            .spawn(move || {
                reap(&family, &mut child, &mut pipes, asked, hold.as_mut());
                drop(lifeline);
            });
        if reaper.is_err() {
            // No thread is to be had: no time for politeness then.
            signal_group(self.family.leader, Signal::KILL);
            let members = members(&self.family, &mut Orphans::default());
            self.family.signal(&members, Signal::KILL);
        }
    }
}

/// Stops a family, and the orphans if nobody else is there to do it, and waits
/// until they are gone. Looks twice in a row, since a process may fork while it
/// is looked for.
fn reap(
    family: &Family,
    child: &mut Child,
    pipes: &mut [File],
    group_asked: bool,
    mut hold: Option<&mut Hold>,
) {
    let mut orphans = Orphans::default();
    let started = Instant::now();
    let mut asked: Vec<i32> = Vec::new();
    if group_asked {
        let members = family.living();
        asked.extend(members.iter().filter(|pid| family.has_in_group(**pid)));
    }
    let mut empty_looks = 0;
    loop {
        let leader_gone = !matches!(child.try_wait(), Ok(None));
        let members = members(family, &mut orphans);
        if members.is_empty() && leader_gone {
            empty_looks += 1;
            let leader = family.leader;
            if empty_looks >= 2 && hold.as_mut().is_none_or(|hold| hold.try_end(leader)) {
                return;
            }
            continue;
        }
        empty_looks = 0;
        let age = started.elapsed();
        if age >= POLITE + KILLED {
            let left = members.len();
            tracing::warn!(call = %family.marker, left, "processes of a command cannot be killed");
            return;
        }
        if age >= POLITE {
            family.signal(&members, Signal::KILL);
        } else {
            let new: Vec<i32> = members
                .iter()
                .filter(|pid| !asked.contains(pid))
                .copied()
                .collect();
            family.signal(&new, Signal::TERM);
            family.signal(&new, Signal::CONT);
            asked.extend(new);
        }
        drain(pipes);
        thread::sleep(TICK);
    }
}

/// Who is to be stopped.
fn members(family: &Family, orphans: &mut Orphans) -> Vec<i32> {
    let mut members = family.living();
    for pid in orphans.living(family.leader) {
        if !members.contains(&pid) {
            members.push(pid);
        }
    }
    members
}

/// Throws away what the dying still write. Were the pipes closed, their first
/// word would kill them before they had tidied up; were they full, it would
/// hold them.
fn drain(pipes: &mut [File]) {
    let mut piece = [0; 4 << 10];
    for pipe in pipes {
        // They don't block: tokio has set them so.
        let mut reads = 0;
        while reads < 256 && matches!(pipe.read(&mut piece), Ok(length) if length > 0) {
            reads += 1;
        }
    }
}

fn duplicate(pipe: BorrowedFd<'_>) -> Option<File> {
    pipe.try_clone_to_owned().ok().map(File::from)
}

fn signal_group(leader: i32, signal: Signal) {
    if let Some(group) = Pid::from_raw(leader) {
        let _ = rustix::process::kill_process_group(group, signal);
    }
}
