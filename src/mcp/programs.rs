//! Servers that are started here: where their program is, what environment they
//! get, and what they said on standard error.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::task::AbortHandle;

use super::settings::Program;
use crate::tool::{ServerCommand, ServerProcess};

/// What is kept of standard error, from its end, in bytes.
const KEPT_ERRORS: usize = 4 << 10;
/// How much of it is read a second; a server that writes more waits.
const READ_A_SECOND: usize = 1 << 20;

/// What every server that is started here gets.
pub(super) struct ProgramHost {
    /// The harmless part of our own environment.
    pub environment: Vec<(OsString, OsString)>,
    /// Greenroom's own program, as the keeper of servers.
    pub keeper: Option<PathBuf>,
}

impl ProgramHost {
    /// Starts a server of this name for a workspace; or says why not.
    pub fn start(
        &self,
        name: &str,
        program: &Program,
        root: &Path,
    ) -> Result<ServerProcess, String> {
        let folder = match &program.folder {
            Some(folder) => root.join(folder),
            None => root.to_owned(),
        };
        if !folder.is_dir() {
            return Err(format!(
                "cwd: {} is no folder; make it or name another",
                folder.display()
            ));
        }
        let environment = self.environment_for(program, root);
        let path = variable(&environment, "PATH");
        let found = find(&program.command, &folder, path)?;
        let command = ServerCommand {
            arguments: (program.arguments.iter())
                .map(|argument| argument.reveal().into())
                .collect(),
            program: found,
            environment,
            folder,
            label: format!("mcp/{name}"),
            keeper: self.keeper.clone(),
        };
        ServerProcess::start(command)
            .map_err(|error| format!("{} cannot be started: {error}", program.command))
    }

    /// Ours without folders of the workspace in `PATH` (the agent may write
    /// there), and the server's own on top.
    fn environment_for(&self, program: &Program, root: &Path) -> Vec<(OsString, OsString)> {
        let own = |name: &OsStr| {
            program
                .environment
                .iter()
                .any(|(it, _)| OsStr::new(it) == name)
        };
        let mut all: Vec<(OsString, OsString)> = (self.environment.iter())
            .filter(|(name, _)| !own(name))
            .cloned()
            .collect();
        if let Some((_, path)) = all.iter_mut().find(|(name, _)| name == "PATH") {
            *path = outside(path, root);
        }
        let given = program.environment.iter();
        all.extend(given.map(|(name, value)| (name.into(), value.reveal().into())));
        all
    }
}

fn variable<'a>(environment: &'a [(OsString, OsString)], name: &str) -> Option<&'a OsStr> {
    let found = environment.iter().rfind(|(it, _)| it == name);
    found.map(|(_, value)| value.as_os_str())
}

fn outside(path: &OsStr, root: &Path) -> OsString {
    let folders = path.as_bytes().split(|byte| *byte == b':');
    let is_outside = |folder: &&[u8]| {
        let folder = Path::new(OsStr::from_bytes(folder));
        let real = folder.canonicalize();
        !folder.starts_with(root) && !real.is_ok_and(|real| real.starts_with(root))
    };
    let kept: Vec<&[u8]> = folders.filter(is_outside).collect();
    OsString::from_vec(kept.join(&b':'))
}

/// Where a program is: looked for in `path`, unless its name is a path, which is
/// relative to the folder that it starts in.
pub(super) fn find(command: &str, folder: &Path, path: Option<&OsStr>) -> Result<PathBuf, String> {
    if command.contains('/') {
        let program = folder.join(command);
        return match is_program(&program) {
            true => Ok(program),
            false => Err(format!(
                "{} is no program; install it, or correct `command`",
                program.display()
            )),
        };
    }
    let folders = path
        .unwrap_or_default()
        .as_bytes()
        .split(|byte| *byte == b':');
    let mut programs = folders
        .filter(|folder| folder.starts_with(b"/"))
        .map(|folder| Path::new(OsStr::from_bytes(folder)).join(command));
    programs.find(|program| is_program(program)).ok_or_else(|| {
        format!("{command} is not in $PATH; install it, or write its whole path as `command`")
    })
}

fn is_program(path: &Path) -> bool {
    let facts = path.metadata();
    facts.is_ok_and(|facts| facts.is_file() && facts.permissions().mode() & 0o111 != 0)
}

/// Reads a server's standard error for as long as it is held, and keeps the
/// end.
pub(super) struct ErrorTail {
    kept: Arc<Mutex<Vec<u8>>>,
    reading: AbortHandle,
}

impl ErrorTail {
    pub fn read(pipe: Option<impl AsyncRead + Unpin + Send + 'static>) -> ErrorTail {
        let kept = Arc::new(Mutex::new(Vec::new()));
        let reading = tokio::spawn(drain(pipe, kept.clone())).abort_handle();
        ErrorTail { kept, reading }
    }

    /// The last line that says something.
    pub fn last_line(&self) -> Option<String> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let text = String::from_utf8_lossy(&kept).into_owned();
        let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
        lines.next_back().map(str::to_owned)
    }
}

impl Drop for ErrorTail {
    fn drop(&mut self) {
        self.reading.abort();
    }
}

async fn drain(pipe: Option<impl AsyncRead + Unpin>, kept: Arc<Mutex<Vec<u8>>>) {
    let Some(mut pipe) = pipe else { return };
    let mut piece = vec![0; KEPT_ERRORS];
    let mut since_pause = 0;
    while let Ok(length) = pipe.read(&mut piece).await {
        if length == 0 {
            return;
        }
        {
            let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
            kept.extend_from_slice(piece.get(..length).unwrap_or_default());
            let surplus = kept.len().saturating_sub(KEPT_ERRORS);
            kept.drain(..surplus);
        }
        since_pause += length;
        if since_pause >= READ_A_SECOND / 10 {
            since_pause = 0;
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    }
}
