//! Processes as `/proc` tells them: which of them belong to a call.

use std::collections::HashMap;
use std::fs;
use std::io::Read;

use rustix::process::{Pid, PidfdFlags, Signal, WaitOptions};

use super::host::MARK;

/// More of an environment than this is not looked through.
const ENVIRONMENT_BYTES: u64 = 2 << 20;

/// A call's processes, however they were forked: those of its process group,
/// those that carry its mark, and what these started.
#[derive(Debug, Clone)]
pub(super) struct Family {
    /// The shell itself, whose number is also the group's.
    pub leader: i32,
    /// The value of the mark.
    pub marker: String,
}

/// A process as it was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Facts {
    parent: i32,
    group: i32,
    session: i32,
    /// In the system's own ticks.
    started: u64,
    is_zombie: bool,
}

/// A process for good: its number alone may become another's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Name {
    pub pid: i32,
    started: u64,
}

impl Name {
    /// Of a process that is there, alive or dead.
    pub fn of(pid: i32) -> Option<Name> {
        let started = Facts::of(pid)?.started;
        Some(Name { pid, started })
    }

    /// Whether it is there, and no zombie.
    pub fn is_living(&self) -> bool {
        Facts::of(self.pid).is_some_and(|it| it.started == self.started && !it.is_zombie)
    }

    /// Takes a dead child's status; tells whether the child is gone by now.
    pub fn bury(&self) -> bool {
        bury(self.pid);
        Name::of(self.pid) != Some(*self)
    }
}

impl Family {
    /// Its living members. Members that died as our own children are buried
    /// here, but for the leader: that one is somebody else's to wait for.
    pub fn living(&self) -> Vec<i32> {
        let all: HashMap<i32, Facts> = everyone()
            .into_iter()
            .filter_map(|pid| Some((pid, Facts::of(pid)?)))
            .collect();
        let mut known: HashMap<i32, bool> = HashMap::new();
        for pid in all.keys() {
            self.find_out(*pid, &all, &mut known);
        }
        let me = own_pid();
        let mut living = Vec::new();
        for (pid, facts) in &all {
            let adopted = facts.parent == me && *pid != self.leader;
            let member = known.get(pid) == Some(&true);
            if facts.is_zombie {
                if adopted && (member || facts.session != own_session()) {
                    bury(*pid);
                }
            } else if member {
                living.push(*pid);
            }
        }
        living
    }

    /// The same, but looking only at our own children and what they started.
    /// Much quicker, and complete once the leader is gone: whoever lost its
    /// parent was adopted by us, if we are the subreaper. Nothing when the
    /// system does not list children.
    pub fn adopted(&self) -> Option<Vec<i32>> {
        let me = own_pid();
        let mut ahead: Vec<i32> = Vec::new();
        for pid in children(me)? {
            let Some(facts) = Facts::of(pid) else {
                continue;
            };
            if facts.is_zombie {
                let is_ours = facts.group == self.leader || facts.session != own_session();
                if pid != self.leader && is_ours {
                    bury(pid);
                }
            } else if facts.group == self.leader || self.marks(pid) {
                ahead.push(pid);
            }
        }
        Some(with_descendants(ahead))
    }

    /// Whether a process bears a sign of the call: its group, or its mark.
    pub fn has(&self, pid: i32) -> bool {
        self.has_in_group(pid) || self.marks(pid)
    }

    /// Whether a process is in the leader's own group.
    pub fn has_in_group(&self, pid: i32) -> bool {
        Facts::of(pid).is_some_and(|facts| facts.group == self.leader)
    }

    /// Sends a signal to every one of `members` that still belongs to the call.
    pub fn signal(&self, members: &[i32], signal: Signal) {
        for pid in members {
            self.signal_one(*pid, signal);
        }
    }

    fn signal_one(&self, raw: i32, signal: Signal) {
        let Some(pid) = Pid::from_raw(raw) else {
            return;
        };
        // A descriptor names one process for good: its number may be another's
        // by the time the signal is sent.
        match rustix::process::pidfd_open(pid, PidfdFlags::empty()) {
            Ok(process) => {
                if Facts::of(raw).is_some() {
                    let _ = rustix::process::pidfd_send_signal(process, signal);
                }
            }
            Err(rustix::io::Errno::SRCH) => {}
            Err(_) => {
                let _ = rustix::process::kill_process(pid, signal);
            }
        }
    }

    /// Whether a process, or one that it descends from, is of this call.
    fn find_out(&self, pid: i32, all: &HashMap<i32, Facts>, known: &mut HashMap<i32, bool>) {
        let mut line = Vec::new();
        let mut at = pid;
        let answer = loop {
            if let Some(answer) = known.get(&at) {
                break *answer;
            }
            let Some(facts) = all.get(&at).filter(|_| at != own_pid()) else {
                break false;
            };
            line.push(at);
            let is_own = at == self.leader || facts.group == self.leader;
            if is_own || (!facts.is_zombie && self.marks(at)) {
                break true;
            }
            // No circle in a snapshot that changed while it was taken.
            if line.len() > all.len() {
                break false;
            }
            at = facts.parent;
        };
        known.extend(line.into_iter().map(|pid| (pid, answer)));
    }

    /// Whether a process carries the call's mark in its environment.
    fn marks(&self, pid: i32) -> bool {
        let Ok(file) = fs::File::open(format!("/proc/{pid}/environ")) else {
            return false;
        };
        let mut environment = Vec::new();
        // What was read before an error still counts.
        let _ = file.take(ENVIRONMENT_BYTES).read_to_end(&mut environment);
        let mark = format!("{MARK}={}", self.marker);
        environment
            .split(|byte| *byte == 0)
            .any(|variable| variable == mark.as_bytes())
    }
}

impl Facts {
    fn of(pid: i32) -> Option<Facts> {
        let stat = fs::read(format!("/proc/{pid}/stat")).ok()?;
        Facts::parse(&stat)
    }

    /// Reads `pid (name) state parent group session …`. The name may hold
    /// anything, so the last `)` counts.
    fn parse(stat: &[u8]) -> Option<Facts> {
        let name_end = stat.iter().rposition(|byte| *byte == b')')?;
        let rest = std::str::from_utf8(stat.get(name_end + 1..)?).ok()?;
        let mut fields = rest.split_ascii_whitespace();
        let state = fields.next()?;
        let mut number = || fields.next()?.parse::<i32>().ok();
        Some(Facts {
            parent: number()?,
            group: number()?,
            session: number()?,
            started: fields.nth(15)?.parse().ok()?,
            is_zombie: matches!(state, "Z" | "X"),
        })
    }
}

fn own_pid() -> i32 {
    rustix::process::getpid().as_raw_nonzero().get()
}

/// The session that we are in: 0 when its leader is outside our namespace of
/// processes, as in a container. `rustix::process::getsid` takes a 0 for
/// impossible and panics.
fn own_session() -> i32 {
    Facts::of(own_pid()).map_or(0, |own| own.session)
}

/// Takes an adopted dead child's status, so that its entry goes away. Processes
/// that we started ourselves are leaders of a group in our own session: they
/// never come here, so that nobody waits for them in vain.
fn bury(raw: i32) {
    if let Some(pid) = Pid::from_raw(raw) {
        let _ = rustix::process::waitpid(Some(pid), WaitOptions::NOHANG);
    }
}

fn everyone() -> Vec<i32> {
    let Ok(entries) = fs::read_dir("/proc") else {
        return Vec::new();
    };
    entries
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
        .collect()
}

/// The children of this process, the dead ones among them.
pub(super) fn own_children() -> Vec<i32> {
    let me = own_pid();
    children(me).unwrap_or_else(|| {
        let is_own = |pid: &i32| Facts::of(*pid).is_some_and(|it| it.parent == me);
        everyone().into_iter().filter(is_own).collect()
    })
}

/// Processes and all that they started, as far as the system lists children.
pub(super) fn with_descendants(mut ahead: Vec<i32>) -> Vec<i32> {
    let mut all = Vec::new();
    while let Some(pid) = ahead.pop() {
        all.push(pid);
        ahead.extend(children(pid).unwrap_or_default());
    }
    all
}

/// A process's children, or nothing when the system does not list them.
fn children(pid: i32) -> Option<Vec<i32>> {
    let mut found = Vec::new();
    for thread in fs::read_dir(format!("/proc/{pid}/task")).ok()? {
        let path = thread.ok()?.path().join("children");
        match fs::read_to_string(path) {
            Ok(list) => found.extend(
                list.split_ascii_whitespace()
                    .filter_map(|pid| pid.parse::<i32>().ok()),
            ),
            // The thread has just ended; a kernel without such lists has none at all.
            Err(_) if lists_children() => {}
            Err(_) => return None,
        }
    }
    Some(found)
}

fn lists_children() -> bool {
    let me = own_pid();
    fs::metadata(format!("/proc/{me}/task/{me}/children")).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_a_name_with_blanks_and_brackets() {
        let facts =
            Facts::parse(b"12 (a) Z 1 ) S 7 8 9 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 4711 9\n");
        let expected = Facts {
            parent: 7,
            group: 8,
            session: 9,
            started: 4711,
            is_zombie: false,
        };
        assert_eq!(facts, Some(expected));
        assert_eq!(Facts::parse(b"12 (cut"), None);
        assert_eq!(Facts::parse(b""), None);
    }

    #[test]
    fn knows_its_own_process() {
        let facts = Facts::of(own_pid()).unwrap();
        assert!(!facts.is_zombie);
        assert!(facts.session >= 0 && facts.session == own_session());
        assert!(everyone().contains(&own_pid()));
    }
}
