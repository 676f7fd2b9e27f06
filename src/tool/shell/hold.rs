//! Which commands are held, and which processes are left of no matter which.
//!
//! A process that drops its mark and leaves its group can't be told for its
//! call's. But once its parents are gone it becomes a child of this process,
//! if that is the subreaper; and whoever is our child, and neither a held
//! command nor was there before the first, was left behind by some command. By
//! which one is unknown while several run: so it is stopped when the last of
//! those that are held ends, whether by itself or because it is stopped.
//!
//! Servers are held for long, so no command waits for their end: they are known
//! by their names, and what they leave behind is their keeper's matter.

use std::io;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::process::Child;

use super::processes::{Family, Name, own_children, with_descendants};

static STATE: Mutex<State> = Mutex::new(State {
    held: 0,
    servers: Vec::new(),
    claim: None,
    kept: Vec::new(),
});

struct State {
    /// Commands from before they are started until they are gone.
    held: usize,
    /// Servers from their start until they are gone.
    servers: Vec<Name>,
    claim: Option<Claim>,
    /// Commands that may outlive this process, by their own processes.
    kept: Vec<(Name, Family)>,
}

/// That all children of this process, but for these, are commands or what
/// these left behind.
struct Claim {
    but: Vec<Name>,
}

/// Claims all children that this process will ever have: none is to be started
/// but by a tool. Those that it has already (a program that was there before it
/// may have become this one) are left alone.
pub(super) fn claim_children() {
    let mut state = state();
    if state.claim.is_none() {
        state.claim = Some(Claim {
            but: own_children().into_iter().filter_map(Name::of).collect(),
        });
    }
}

/// Leaves a command alone that may outlive this process: it is not counted, and
/// neither it nor what bears its group or mark is an orphan as long as its own
/// process lives. To be called while the command is still held.
pub(super) fn keep(family: Family) {
    if let Some(name) = Name::of(family.leader) {
        state().kept.push((name, family));
    }
}

/// How many commands and servers are held.
pub(super) fn held() -> usize {
    let state = state();
    state.held + state.servers.len()
}

/// Starts a server. Nobody looks for orphans meanwhile, who could take it for
/// one.
pub(super) fn start_server(start: impl FnOnce() -> io::Result<Child>) -> io::Result<(Child, Hold)> {
    let mut state = state();
    let child = start()?;
    let pid = child.id().and_then(|id| i32::try_from(id).ok());
    let name = pid.and_then(Name::of);
    state.servers.extend(name);
    Ok((child, Hold(name.map_or(Kept::Nothing, Kept::Server))))
}

/// Counts a command that is about to be started, or a server, until it is gone.
pub(super) struct Hold(Kept);

#[derive(PartialEq)]
enum Kept {
    Command,
    Server(Name),
    Nothing,
}

impl Hold {
    /// To be made before the command is started: from then on the process must
    /// not end without it, and its child is nobody's orphan.
    pub fn new() -> Hold {
        state().held += 1;
        Hold(Kept::Command)
    }

    /// Ends the hold, unless it is the last one and there are orphans: then
    /// they are its to stop.
    pub fn try_end(&mut self, leader: i32) -> bool {
        let mut state = state();
        if self.0 != Kept::Nothing && !state.orphans(leader).is_empty() {
            return false;
        }
        self.end(&mut state);
        true
    }

    fn end(&mut self, state: &mut State) {
        match std::mem::replace(&mut self.0, Kept::Nothing) {
            Kept::Command => state.held -= 1,
            Kept::Server(name) => state.servers.retain(|it| *it != name),
            Kept::Nothing => (),
        }
    }
}

impl Drop for Hold {
    fn drop(&mut self) {
        self.end(&mut state());
    }
}

/// The orphans that one stops. Once known they stay so, whatever is started
/// meanwhile.
#[derive(Default)]
pub(super) struct Orphans {
    known: Vec<Name>,
}

impl Orphans {
    /// Looks for orphans; gives those that live, and what they started. The
    /// leader is the held command's own process.
    pub fn living(&mut self, leader: i32) -> Vec<i32> {
        for orphan in state().orphans(leader) {
            if !self.known.contains(&orphan) {
                self.known.push(orphan);
            }
        }
        self.known.retain(Name::is_living);
        with_descendants(self.known.iter().map(|name| name.pid).collect())
    }
}

impl State {
    /// The living orphans, if no command is held but this one (none at all, when
    /// it is a server that asks). The dead are buried. No command can be started
    /// meanwhile: its hold waits for the state.
    fn orphans(&mut self, leader: i32) -> Vec<Name> {
        self.kept.retain(|(name, _)| name.is_living());
        let kept = &self.kept;
        let is_kept = |pid: i32| kept.iter().any(|(_, family)| family.has(pid));
        let is_server = self.servers.iter().any(|name| name.pid == leader);
        let last = usize::from(!is_server);
        let Some(claim) = self.claim.as_ref().filter(|_| self.held == last) else {
            return Vec::new();
        };
        own_children()
            .into_iter()
            .filter(|pid| *pid != leader)
            .filter_map(Name::of)
            .filter(|name| !claim.but.contains(name) && !self.servers.contains(name))
            .filter(|name| !is_kept(name.pid))
            .filter(|name| name.is_living() || !name.bury())
            .collect()
    }
}

fn state() -> MutexGuard<'static, State> {
    STATE.lock().unwrap_or_else(PoisonError::into_inner)
}
