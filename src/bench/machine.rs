//! On what it was measured.

use std::fs;
use std::path::Path;

use crate::cli::VERSION;

/// What stands beside the figures, since they mean nothing without it.
#[derive(Debug, Clone)]
pub(super) struct Machine {
    /// What is measured.
    pub version: &'static str,
    /// Its name.
    pub name: String,
    /// Processors that may be used.
    pub cores: usize,
    /// The processor's model.
    pub cpu: String,
    /// The system and its release.
    pub kernel: String,
    /// `release` or `debug`.
    pub profile: &'static str,
    /// What the journals lie on.
    pub file_system: String,
    /// How many processes wanted to run at the start, over a minute; nothing
    /// where that is not told.
    pub load: Option<f64>,
}

impl Machine {
    /// This one, with journals in `folder`.
    pub fn here(folder: &Path) -> Machine {
        let line = |path: &str| {
            let text = fs::read_to_string(path).ok()?;
            Some(text.trim().to_owned()).filter(|text| !text.is_empty())
        };
        let unknown = || "unknown".to_owned();
        let release = line("/proc/sys/kernel/osrelease").unwrap_or_else(unknown);
        let load = line("/proc/loadavg");
        Machine {
            version: VERSION,
            name: line("/proc/sys/kernel/hostname").unwrap_or_else(unknown),
            cores: std::thread::available_parallelism().map_or(0, usize::from),
            cpu: cpu_model().unwrap_or_else(unknown),
            kernel: format!("{} {release}", std::env::consts::OS),
            profile: match cfg!(debug_assertions) {
                true => "debug",
                false => "release",
            },
            file_system: file_system(folder).unwrap_or_else(unknown),
            load: load.and_then(|load| load.split_whitespace().next()?.parse().ok()),
        }
    }

    /// What a reader must know before the figures mean anything.
    pub fn warnings(&self) -> Vec<String> {
        let mut warnings = Vec::new();
        if self.profile == "debug" {
            let what =
                "this is a debug build: use `cargo run --release -- bench` for figures that count";
            warnings.push(what.to_owned());
        }
        if in_memory(&self.file_system) {
            let what = format!(
                "the journals lie on {}, in memory: durable figures would be worse on a disk",
                self.file_system
            );
            warnings.push(what);
        }
        if let Some(load) = self.load
            && load > 0.5 * self.cores as f64
        {
            let cores = self.cores;
            let what = format!(
                "the machine is busy (load {load} on {cores} cores): times are worse than they could be"
            );
            warnings.push(what);
        }
        warnings
    }
}

/// Whether a folder lies in memory. What is not known is taken for a disk.
pub(super) fn is_in_memory(folder: &Path) -> bool {
    file_system(folder).is_some_and(|name| in_memory(&name))
}

fn in_memory(file_system: &str) -> bool {
    matches!(file_system, "tmpfs" | "ramfs")
}

fn cpu_model() -> Option<String> {
    let text = fs::read_to_string("/proc/cpuinfo").ok()?;
    let line = text.lines().find(|line| line.starts_with("model name"))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}

/// The kind of file system of a folder.
fn file_system(folder: &Path) -> Option<String> {
    let folder = fs::canonicalize(folder).ok()?;
    let mounts = fs::read_to_string("/proc/self/mountinfo").ok()?;
    kind_of(&folder, &mounts)
}

/// Of all mounts above the folder the lowest counts, of equal ones the last.
fn kind_of(folder: &Path, mounts: &str) -> Option<String> {
    let above = |line: &str| {
        let (left, right) = line.split_once(" - ")?;
        let point = left.split(' ').nth(4)?.replace("\\040", " ");
        let kind = right.split(' ').next()?.to_owned();
        folder.starts_with(&point).then_some((point.len(), kind))
    };
    mounts
        .lines()
        .filter_map(above)
        .max_by_key(|(length, _)| *length)
        .map(|(_, kind)| kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lowest_mount_counts() {
        let mounts = "\
22 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw
30 22 0:24 / /tmp rw shared:5 - tmpfs tmpfs rw,size=1g
31 22 0:25 / /mnt/my\\040disk rw - xfs /dev/vdb rw
";
        let kind = |folder| kind_of(Path::new(folder), mounts);
        assert_eq!(kind("/tmp/a/b").as_deref(), Some("tmpfs"));
        assert_eq!(kind("/tmpfile").as_deref(), Some("ext4"));
        assert_eq!(kind("/mnt/my disk/x").as_deref(), Some("xfs"));
        assert_eq!(kind_of(Path::new("/a"), ""), None);
    }
}
