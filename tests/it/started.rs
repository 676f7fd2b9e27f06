//! Programs that tests start: in a folder and with a home of their own, without
//! anybody's keys, and with a deadline on all that is waited for.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::process::{Child, Command};
use tokio::time::timeout;

/// The daemon under test.
pub const GREENROOM: &str = env!("CARGO_BIN_EXE_greenroom");
/// How long anything may take on a machine under load.
const PATIENCE: Duration = Duration::from_secs(120);

/// Folders of one test; they are removed with it.
pub struct Place {
    folder: tempfile::TempDir,
}

impl Place {
    pub fn new() -> Place {
        let place = Place {
            folder: tempfile::tempdir().unwrap(),
        };
        for name in ["home", "temporary", "work"] {
            std::fs::create_dir(place.folder.path().join(name)).unwrap();
        }
        place
    }

    /// Where programs are started.
    pub fn work(&self) -> PathBuf {
        self.folder.path().join("work")
    }

    /// What the programs have for their temporary files.
    pub fn temporary(&self) -> PathBuf {
        self.folder.path().join("temporary")
    }

    /// The home folder.
    pub fn home(&self) -> PathBuf {
        self.folder.path().join("home")
    }

    /// A command that sees this place and nothing of the machine's user.
    pub fn command(&self, program: impl AsRef<OsStr>, arguments: &[&str]) -> Command {
        let mut command = Command::new(program);
        command
            .args(arguments)
            .current_dir(self.work())
            .env_clear()
            .env("HOME", self.home())
            .env("TMPDIR", self.temporary())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true);
        // Rust and Python programs need no other variable.
        if let Some(path) = std::env::var_os("PATH") {
            command.env("PATH", path);
        }
        command
    }

    /// Runs it to its end.
    pub async fn run(&self, program: impl AsRef<OsStr>, arguments: &[&str]) -> Ended {
        ended(self.command(program, arguments).spawn().unwrap()).await
    }

    /// Runs it to its end; `typed` is its whole standard input.
    pub async fn run_typing(
        &self,
        program: impl AsRef<OsStr>,
        arguments: &[&str],
        typed: &str,
    ) -> Ended {
        let mut command = self.command(program, arguments);
        let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
        let mut input = child.stdin.take().unwrap();
        // One that ends without reading it is told by its output.
        let _ = input.write_all(typed.as_bytes()).await;
        drop(input);
        ended(child).await
    }
}

/// A path as an argument.
pub fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// A file of `examples/`.
pub fn example(name: &str) -> String {
    format!("{}/examples/{name}", env!("CARGO_MANIFEST_DIR"))
}

/// How a program ended.
#[derive(Debug, PartialEq, Eq)]
pub struct Ended {
    /// Nothing when a signal ended it.
    pub code: Option<i32>,
    pub output: String,
    pub errors: String,
}

/// Waits for its end.
pub async fn ended(child: Child) -> Ended {
    let outcome = timeout(PATIENCE, child.wait_with_output()).await;
    let Output {
        status,
        stdout,
        stderr,
    } = outcome.expect("it ends in time").unwrap();
    Ended {
        code: status.code(),
        output: String::from_utf8(stdout).unwrap(),
        errors: String::from_utf8(stderr).unwrap(),
    }
}

/// Reads on until `words` came; what was read.
pub async fn read_until(mut from: impl AsyncRead + Unpin, words: &str) -> String {
    let mut seen = Vec::new();
    let reading = async {
        while !String::from_utf8_lossy(&seen).contains(words) {
            let count = from.read_buf(&mut seen).await.unwrap();
            let text = String::from_utf8_lossy(&seen);
            assert!(count > 0, "it ended before {words:?}: {text}");
        }
    };
    timeout(PATIENCE, reading).await.expect("it comes in time");
    String::from_utf8_lossy(&seen).into_owned()
}

/// Sends it SIGINT, as Ctrl-C does.
#[cfg(unix)]
pub fn interrupt(child: &Child) {
    let id = i32::try_from(child.id().unwrap()).unwrap();
    let process = rustix::process::Pid::from_raw(id).unwrap();
    rustix::process::kill_process(process, rustix::process::Signal::INT).unwrap();
}
