//! Programs that note how they were called, and shells that can run nothing
//! else.

use std::fs;
use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const LOG: &str = "GUARD_FUZZ_LOG";

/// A shell to compare with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shell {
    Bash,
    Dash,
}

impl Shell {
    pub fn name(self) -> &'static str {
        match self {
            Shell::Bash => "bash",
            Shell::Dash => "dash",
        }
    }
}

/// A folder with the programs and a workspace.
pub struct World {
    folder: PathBuf,
}

/// Every program that exists for the shells.
pub const PROGRAMS: &[&str] = &[
    "aa", "bb", "cc", "rm", "curl", "go", "git", "ls", "cat", "head", "wc", "grep", "find", "npm",
    "make", "sort", "sh", "touch", "evil", "sudo", "xargs", "timeout", "nice", "nohup", "env",
];

impl World {
    pub fn new() -> World {
        let folder = std::env::temp_dir().join(format!("guard-fuzz-{}", std::process::id()));
        let programs = folder.join("bin");
        fs::create_dir_all(&programs).expect("a folder");
        let own = std::env::current_exe().expect("this program");
        for name in PROGRAMS {
            std::os::unix::fs::symlink(&own, programs.join(name)).expect("a link");
        }
        let world = World { folder };
        world.clean();
        world
    }

    /// The workspace: absolute.
    pub fn root(&self) -> PathBuf {
        self.folder.join("w")
    }

    /// The workspace as it was at first.
    pub fn clean(&self) {
        let _ = fs::remove_dir_all(self.root());
        fs::create_dir_all(self.root().join("src")).expect("a folder");
        fs::write(self.root().join("f1"), "").expect("a file");
    }

    pub fn remove(&self) {
        let _ = fs::remove_dir_all(&self.folder);
    }

    /// Names of the files and folders in the workspace itself.
    pub fn files(&self) -> Vec<String> {
        let entries = fs::read_dir(self.root()).expect("the workspace");
        let name = |entry: std::io::Result<fs::DirEntry>| {
            entry
                .expect("an entry")
                .file_name()
                .to_string_lossy()
                .into_owned()
        };
        let mut names: Vec<String> = entries.map(name).collect();
        names.sort();
        names
    }

    /// What programs a line ran, each with its arguments.
    pub fn run(&self, shell: Shell, line: &str) -> Vec<Vec<String>> {
        // One log a line: what an earlier line left in the background must not
        // count for this one.
        let log = self.folder.join(format!("log-{:016x}", fastrand::u64(..)));
        fs::write(&log, "").expect("the log");
        let mut command = Command::new("/usr/bin/timeout");
        command.args(["3", &format!("/bin/{}", shell.name())]);
        if shell == Shell::Bash {
            command.args(["--noprofile", "--norc"]);
        }
        // Programs in the background keep the pipes open, so that their end is
        // waited for.
        let run = command
            .args(["-c", "--", line])
            .current_dir(self.root())
            .env_clear()
            .env("PATH", self.folder.join("bin"))
            .env("HOME", "/h")
            .env(LOG, &log)
            .stdin(Stdio::null())
            .output();
        run.expect("the shell");
        let calls = read(&log);
        let _ = fs::remove_file(&log);
        calls
    }
}

fn read(log: &Path) -> Vec<Vec<String>> {
    let text = fs::read_to_string(log).expect("the log is text");
    let calls = text.split_terminator("\u{2}");
    calls
        .map(|call| call.split_terminator('\0').map(str::to_owned).collect())
        .collect()
}

/// Plays a program, when this process was started as one.
pub fn play() -> bool {
    let Some(log) = std::env::var_os(LOG) else {
        return false;
    };
    let mut note = Vec::new();
    for (at, argument) in std::env::args_os().enumerate() {
        match at {
            0 => note.extend(
                argument
                    .as_bytes()
                    .rsplit(|b| *b == b'/')
                    .next()
                    .unwrap_or_default(),
            ),
            _ => note.extend(argument.as_bytes()),
        }
        note.push(0);
    }
    note.push(2);
    let mut file = fs::OpenOptions::new()
        .append(true)
        .open(log)
        .expect("the log");
    // One write: calls of one pipeline come at once.
    file.write_all(&note).expect("the log can be written");
    true
}
