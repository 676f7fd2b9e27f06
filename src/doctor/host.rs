//! The machine: sandbox, shell, terminal.

use std::fs;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};

use super::report::{Area, Finding};
use crate::config::Environment;
use crate::tool::{Network, SandboxSettings, SandboxState, Support};

/// What the machine is like.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Host {
    /// `linux`, `macos`, …
    pub os: String,
    /// The kernel's release, such as `6.1.0-18-amd64`.
    pub kernel: Option<String>,
    /// The kernel's version of Landlock; 0 for none.
    pub landlock: Support,
    /// The shell that commands run with.
    pub shell: Option<PathBuf>,
    /// Whether standard error is a terminal.
    pub is_terminal: bool,
    /// `$TERM`
    pub term: Option<String>,
}

/// Shells that commands may run with, the first that is there.
const SHELLS: [&str; 2] = ["/bin/bash", "/bin/sh"];

impl Host {
    /// This machine.
    pub fn here(env: &Environment) -> Host {
        let line = |path: &str| {
            let text = fs::read_to_string(path).ok()?;
            Some(text.trim().to_owned())
        };
        let shell = SHELLS.iter().map(Path::new).find(|shell| shell.exists());
        Host {
            os: std::env::consts::OS.to_owned(),
            kernel: line("/proc/sys/kernel/osrelease"),
            landlock: Support::probe(),
            shell: shell.map(Path::to_owned),
            is_terminal: std::io::stderr().is_terminal(),
            term: env.text("TERM").ok().flatten(),
        }
    }
}

/// `wanted` is what the configuration asks of the sandbox.
pub(super) fn look(host: &Host, wanted: &SandboxSettings) -> Vec<Finding> {
    vec![sandbox(host, wanted), shell(host), terminal(host)]
}

fn sandbox(host: &Host, wanted: &SandboxSettings) -> Finding {
    let kernel = host.kernel.as_deref().unwrap_or("unknown");
    let support = host.landlock;
    let can = match support.0 {
        0 if host.os != "linux" => format!("there is none on {}", host.os),
        0 => format!("the kernel ({kernel}) has no Landlock, or it is off"),
        version => format!("the kernel ({kernel}) has Landlock {version}"),
    };
    let next = "run it in a container, or use a kernel from 6.2 on (6.7 for the network), booted \
                with lsm=landlock";
    match SandboxState::of(wanted, support) {
        SandboxState::Enforced => {
            let what = format!("commands are kept in the workspace; {can}");
            Finding::ok(Area::Sandbox, what)
        }
        SandboxState::Off if wanted.network == Network::Deny => {
            let what = "off (sandbox.mode), so sandbox.network: deny keeps nobody from the network";
            Finding::warn(Area::Sandbox, what, "set sandbox.mode: workspace")
        }
        SandboxState::Off if support.files() => {
            let what = format!("off (sandbox.mode); {can} and could keep commands");
            Finding::ok(Area::Sandbox, what)
        }
        SandboxState::Off => Finding::warn(Area::Sandbox, can, next),
        state @ (SandboxState::NetworkOpen | SandboxState::Absent) => {
            let lack = state.lack().unwrap_or_default();
            let what = format!("{lack} ({can}): commands are asked about");
            Finding::warn(Area::Sandbox, what, next)
        }
    }
}

fn shell(host: &Host) -> Finding {
    match &host.shell {
        Some(shell) if shell.ends_with("bash") => Finding::ok(
            Area::Shell,
            format!("commands run with {}", shell.display()),
        ),
        Some(shell) => Finding::warn(
            Area::Shell,
            format!("commands run with {}", shell.display()),
            "install bash: models write for it",
        ),
        None => Finding::fail(
            Area::Shell,
            format!("there is no {}", SHELLS.join(" and no ")),
            "install bash, or the shell tool will fail",
        ),
    }
}

fn terminal(host: &Host) -> Finding {
    let what = match (host.is_terminal, &host.term) {
        (true, Some(term)) => format!("standard error is a terminal ({term})"),
        (true, None) => "standard error is a terminal".to_owned(),
        (false, _) => "standard error is no terminal; logs go where the starter reads".to_owned(),
    };
    Finding::ok(Area::Terminal, what)
}
