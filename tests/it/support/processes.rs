//! What the system tells of processes (Linux: `/proc`).

use std::fs;
use std::time::Duration;

use tokio::time::Instant;

use super::DEADLINE;

/// Memory that a process has in RAM, in bytes.
pub fn resident_bytes(pid: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kilobytes = line.and_then(|line| line.trim().strip_suffix("kB"));
    kilobytes.map_or(0, |it| it.trim().parse::<u64>().unwrap() * 1024)
}

/// Processes whose command line has this word in it; zombies have none.
pub fn with_word(word: &str) -> Vec<u32> {
    let mut found = Vec::new();
    for entry in fs::read_dir("/proc").unwrap() {
        let name = entry.unwrap().file_name();
        let Some(pid) = name.to_str().and_then(|name| name.parse().ok()) else {
            continue;
        };
        let line = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        if String::from_utf8_lossy(&line).contains(word) && pid != std::process::id() {
            found.push(pid);
        }
    }
    found
}

/// Waits until something holds, and panics when it never does.
pub fn wait_until(what: &str, mut holds: impl FnMut() -> bool) {
    let started = Instant::now();
    while !holds() {
        assert!(started.elapsed() < DEADLINE, "never came true: {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}
