//! What the system tells of a process. Only Linux tells it this way; elsewhere
//! those figures are unmeasured.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::Duration;

use super::trouble::Trouble;

/// A process, by its number.
#[derive(Debug, Clone, Copy)]
pub(super) struct Process(pub u32);

/// The processor time that a process has used.
#[derive(Debug, Clone)]
pub(super) struct Cpu {
    /// Of each thread that lives, exactly.
    threads: BTreeMap<String, u64>,
    /// Of all threads that ever were, in the system's coarse ticks.
    ticks: u64,
}

impl Process {
    /// Memory that is in use now, in bytes.
    pub fn memory(self) -> Result<u64, Trouble> {
        self.status("VmRSS:")
    }

    /// The most memory that ever was in use, in bytes.
    pub fn peak_memory(self) -> Result<u64, Trouble> {
        self.status("VmHWM:")
    }

    fn status(self, name: &str) -> Result<u64, Trouble> {
        let path = format!("/proc/{}/status", self.0);
        let text = fs::read_to_string(&path).map_err(|error| unreadable(&path, &error))?;
        let line = text.lines().find_map(|line| line.strip_prefix(name));
        let kilobytes: Option<u64> =
            line.and_then(|line| line.split_whitespace().next()?.parse().ok());
        match kilobytes {
            Some(kilobytes) => Ok(kilobytes * 1024),
            None => Err(Trouble::unmeasured(format!("{path} has no {name}"))),
        }
    }

    /// The processor time used so far.
    pub fn cpu(self) -> Result<Cpu, Trouble> {
        let path = format!("/proc/{}/stat", self.0);
        let stat = fs::read_to_string(&path).map_err(|error| unreadable(&path, &error))?;
        let ticks =
            ticks(&stat).ok_or_else(|| Trouble::unmeasured(format!("{path} is unknown")))?;
        let mut threads = BTreeMap::new();
        let tasks = fs::read_dir(format!("/proc/{}/task", self.0));
        for task in tasks.into_iter().flatten().flatten() {
            let used = fs::read_to_string(task.path().join("schedstat")).unwrap_or_default();
            let used = used.split_whitespace().next();
            if let Some(used) = used.and_then(|used| used.parse().ok()) {
                let name = task.file_name().to_string_lossy().into_owned();
                threads.insert(name, used);
            }
        }
        Ok(Cpu { threads, ticks })
    }
}

impl Cpu {
    /// What was used since an earlier look: exact as long as no thread ended
    /// between, else to two ticks of 10 ms.
    pub fn since(&self, earlier: &Cpu) -> Duration {
        let all_there = !earlier.threads.is_empty()
            && earlier
                .threads
                .keys()
                .all(|name| self.threads.contains_key(name));
        if all_there {
            let sum = |cpu: &Cpu| cpu.threads.values().sum::<u64>();
            return Duration::from_nanos(sum(self).saturating_sub(sum(earlier)));
        }
        // Linux counts in hundredths of a second on all machines of today.
        Duration::from_millis(10 * self.ticks.saturating_sub(earlier.ticks))
    }
}

/// User and system time: the 14th and 15th field, counted from behind the
/// program's name, which may hold blanks and brackets.
fn ticks(stat: &str) -> Option<u64> {
    let (_, rest) = stat.rsplit_once(')')?;
    let mut fields = rest.split_whitespace().skip(11);
    let user: u64 = fields.next()?.parse().ok()?;
    let system: u64 = fields.next()?.parse().ok()?;
    Some(user + system)
}

/// The processes that work in a folder: what a command left running is there.
pub(super) fn working_in(folder: &Path) -> Result<Vec<u32>, Trouble> {
    let entries = fs::read_dir("/proc").map_err(|error| unreadable("/proc", &error))?;
    let mut found = Vec::new();
    for entry in entries.flatten() {
        let name = entry.file_name();
        let Some(pid) = name.to_str().and_then(|name| name.parse().ok()) else {
            continue;
        };
        if fs::read_link(entry.path().join("cwd")).is_ok_and(|cwd| cwd == folder) {
            found.push(pid);
        }
    }
    Ok(found)
}

fn unreadable(path: &str, error: &std::io::Error) -> Trouble {
    Trouble::unmeasured(format!("{path} cannot be read: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_found_behind_any_name() {
        let stat = "7 (a ) b) S 1 7 7 0 -1 4194560 90 0 0 0 12 30 0 0 20 0 4 0 99";
        assert_eq!(ticks(stat), Some(42));
        assert_eq!(ticks("7 (cut"), None);
    }

    #[test]
    fn time_counts_by_thread_while_all_are_there() {
        let cpu = |threads: &[(&str, u64)], ticks| Cpu {
            threads: threads
                .iter()
                .map(|(name, used)| ((*name).to_owned(), *used))
                .collect(),
            ticks,
        };
        let earlier = cpu(&[("1", 100), ("2", 50)], 1);
        let later = cpu(&[("1", 150), ("2", 60), ("3", 5)], 4);
        assert_eq!(later.since(&earlier), Duration::from_nanos(65));
        let without = cpu(&[("1", 150)], 4);
        assert_eq!(without.since(&earlier), Duration::from_millis(30));
    }
}
