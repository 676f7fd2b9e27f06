//! What the system itself keeps commands from: a Landlock domain that a shell
//! and all that it starts live in, whatever was approved. Off by default.
//!
//! - `settings`: what may be set. `grants`: which files and folders that means.
//! - `domain`: the system's side: what it can do, and entering a domain.
//!
//! A domain belongs to a thread and what that starts, and is never left again:
//! so a thread of its own enters it, starts the command and ends. The tools that
//! read and write files run in this process and are the guard's matter alone.

mod domain;
mod grants;
mod settings;

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::thread;

pub use domain::Support;
use grants::{Grants, Places};
pub use settings::{Network, SandboxMode, SandboxSettings};

/// What is in force.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SandboxState {
    /// None is asked for.
    Off,
    /// All that the settings ask for is enforced.
    Enforced,
    /// Files are, but the network that the settings forbid is open.
    NetworkOpen,
    /// The system can't enforce enough of it.
    Absent,
}

impl SandboxState {
    /// What the settings come to on this system.
    pub fn of(settings: &SandboxSettings, support: Support) -> SandboxState {
        match settings.mode {
            SandboxMode::Off => SandboxState::Off,
            SandboxMode::Workspace if !support.files() => SandboxState::Absent,
            SandboxMode::Workspace if settings.network == Network::Deny && !support.network() => {
                SandboxState::NetworkOpen
            }
            SandboxMode::Workspace => SandboxState::Enforced,
        }
    }

    /// What the settings ask for and is not there, in words; then commands are
    /// asked about that would run by themselves.
    pub fn lack(self) -> Option<&'static str> {
        match self {
            SandboxState::Off | SandboxState::Enforced => None,
            SandboxState::NetworkOpen => {
                Some("the sandbox cannot keep commands from the network on this system")
            }
            SandboxState::Absent => {
                Some("the sandbox that the settings ask for is not there on this system")
            }
        }
    }
}

/// Where commands are started.
pub(super) struct Sandbox {
    settings: SandboxSettings,
    state: SandboxState,
    places: Places,
}

impl Sandbox {
    /// With the environment that commands get.
    pub fn new(settings: SandboxSettings, environment: &[(OsString, OsString)]) -> Sandbox {
        let support = match settings.mode {
            SandboxMode::Off => Support::default(),
            SandboxMode::Workspace => Support::probe(),
        };
        let value = |wanted: &str| {
            let found = environment.iter().find(|(name, _)| name == wanted);
            found.map(|(_, value)| PathBuf::from(value))
        };
        let path = value("PATH").unwrap_or_default();
        let programs = path.as_os_str().as_bytes().split(|byte| *byte == b':');
        Sandbox {
            state: SandboxState::of(&settings, support),
            settings,
            places: Places {
                home: value("HOME"),
                temp: value("TMPDIR"),
                programs: programs.map(|it| OsStr::from_bytes(it).into()).collect(),
            },
        }
    }

    /// Does something that starts a command in this workspace: in a domain, if
    /// there is to be one. What it starts stays there; the caller does not.
    /// Fails when the domain cannot be entered, and then does nothing.
    pub fn start<T: Send>(
        &self,
        root: &Path,
        work: impl FnOnce() -> io::Result<T> + Send,
    ) -> io::Result<T> {
        match self.state {
            SandboxState::Off | SandboxState::Absent => return work(),
            SandboxState::Enforced | SandboxState::NetworkOpen => (),
        }
        let grants = Grants::new(root, &self.places, &self.settings);
        let network = self.settings.network;
        let in_domain = move || {
            domain::enter(&grants, network)?;
            work()
        };
        thread::scope(|scope| {
            let name = "greenroom-sandbox".to_owned();
            let thread = thread::Builder::new()
                .name(name)
                .spawn_scoped(scope, in_domain)?;
            let failed = |_| Err(io::Error::other("the sandbox's thread failed inside"));
            thread.join().unwrap_or_else(failed)
        })
    }
}

#[cfg(test)]
mod tests;
