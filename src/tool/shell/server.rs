//! Programs that serve over their standard streams for as long as somebody
//! holds them.
//!
//! A server is held as a command is (its own process group, its mark, TERM, then
//! KILL), and it has a keeper besides, when one is named: that ends it when
//! this process dies without a word. Knows nothing of what is served.

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::process::{ExitStatus, Stdio};

use tokio::process::{ChildStderr, ChildStdin, ChildStdout, Command};

use super::hold;
use super::host::MARK;
use super::keeper::KEEPER_WORD;
use super::leash::Leash;

/// A server that is to be started.
pub struct ServerCommand {
    /// The program, by its path.
    pub program: PathBuf,
    /// What it is given. May hold secrets, as the environment may.
    pub arguments: Vec<OsString>,
    /// Its whole environment.
    pub environment: Vec<(OsString, OsString)>,
    /// The folder that it starts in.
    pub folder: PathBuf,
    /// What it is called, in its mark: `mcp/github`.
    pub label: String,
    /// Greenroom's own program, to be started as its keeper. Without one, a
    /// server that wants to outlives a `kill -9` of this process.
    pub keeper: Option<PathBuf>,
}

/// A running server. Dropping it stops it with all that it started: TERM, KILL
/// two seconds later, by a thread that waits for nobody.
pub struct ServerProcess {
    leash: Leash,
}

impl ServerProcess {
    /// Starts one. Needs a tokio runtime.
    pub fn start(server: ServerCommand) -> io::Result<ServerProcess> {
        let marker = format!("{}/{:08x}", server.label, fastrand::u32(..));
        let mut command = match &server.keeper {
            None => Command::new(&server.program),
            Some(keeper) => {
                let mut command = Command::new(keeper);
                let own = rustix::process::getpid().as_raw_nonzero();
                command
                    .arg(KEEPER_WORD)
                    .arg(own.to_string())
                    .arg(&server.program);
                command
            }
        };
        command
            .args(server.arguments)
            .current_dir(&server.folder)
            .env_clear()
            .envs(server.environment)
            .env("PWD", &server.folder)
            .env(MARK, &marker)
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let (child, hold) = hold::start_server(|| command.spawn())?;
        Ok(ServerProcess {
            leash: Leash::new(child, marker, hold),
        })
    }

    /// Its standard input, once.
    pub fn take_stdin(&mut self) -> Option<ChildStdin> {
        self.leash.take_stdin()
    }

    /// Its standard output, once.
    pub fn take_stdout(&mut self) -> Option<ChildStdout> {
        self.leash.take_stdout()
    }

    /// Its standard error, once.
    pub fn take_stderr(&mut self) -> Option<ChildStderr> {
        self.leash.take_stderr()
    }

    /// Waits for its end. Its keeper passes its exit code on; a signal as 128
    /// and its number.
    pub async fn wait(&mut self) -> io::Result<ExitStatus> {
        self.leash.wait().await
    }
}
