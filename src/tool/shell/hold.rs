//! Which commands are held, and which processes are left of no matter which.
//!
//! A process that drops its mark and leaves its group can't be told for its
//! call's. But once its parents are gone it becomes a child of this process,
//! if that is the subreaper; and whoever is our child, and neither a held
//! command nor was there before the first, was left behind by some command. By
//! which one is unknown while several run: so it is stopped when the last of
//! those that are held ends, whether by itself or because it is stopped.

use std::sync::{Mutex, MutexGuard, PoisonError};

use super::processes::{Family, Name, own_children, with_descendants};

static STATE: Mutex<State> = Mutex::new(State {
    held: 0,
    claim: None,
    kept: Vec::new(),
});

struct State {
    /// Commands from before they are started until they are gone.
    held: usize,
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

/// How many commands are held.
pub(super) fn held() -> usize {
    state().held
}

/// Counts a command that is about to be started, until it is gone.
pub(super) struct Hold {
    is_counted: bool,
}

impl Hold {
    /// To be made before the command is started: from then on the process must
    /// not end without it, and its child is nobody's orphan.
    pub fn new() -> Hold {
        state().held += 1;
        Hold { is_counted: true }
    }

    /// Ends the hold, unless it is the last one and there are orphans: then
    /// they are its to stop.
    pub fn try_end(&mut self, leader: i32) -> bool {
        let mut state = state();
        if self.is_counted && !state.orphans(leader).is_empty() {
            return false;
        }
        self.end(&mut state);
        true
    }

    fn end(&mut self, state: &mut State) {
        if std::mem::replace(&mut self.is_counted, false) {
            state.held -= 1;
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
    /// The living orphans, if only one command is held. The dead are buried.
    /// No command can be started meanwhile: its hold waits for the state.
    fn orphans(&mut self, leader: i32) -> Vec<Name> {
        self.kept.retain(|(name, _)| name.is_living());
        let kept = &self.kept;
        let is_kept = |pid: i32| kept.iter().any(|(_, family)| family.has(pid));
        let Some(claim) = self.claim.as_ref().filter(|_| self.held == 1) else {
            return Vec::new();
        };
        own_children()
            .into_iter()
            .filter(|pid| *pid != leader)
            .filter_map(Name::of)
            .filter(|name| !claim.but.contains(name) && !is_kept(name.pid))
            .filter(|name| name.is_living() || !name.bury())
            .collect()
    }
}

fn state() -> MutexGuard<'static, State> {
    STATE.lock().unwrap_or_else(PoisonError::into_inner)
}
