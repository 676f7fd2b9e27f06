//! The machine: sandbox, shell, terminal.

use std::fs;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};

use super::report::{Area, Finding};
use crate::config::Environment;

/// What the machine is like.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Host {
    /// `linux`, `macos`, …
    pub os: String,
    /// The kernel's release, such as `6.1.0-18-amd64`.
    pub kernel: Option<String>,
    /// The kernel's security modules, when they can be read.
    pub security_modules: Option<String>,
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
            security_modules: line("/sys/kernel/security/lsm"),
            shell: shell.map(Path::to_owned),
            is_terminal: std::io::stderr().is_terminal(),
            term: env.text("TERM").ok().flatten(),
        }
    }
}

pub(super) fn look(host: &Host) -> Vec<Finding> {
    vec![sandbox(host), shell(host), terminal(host)]
}

fn sandbox(host: &Host) -> Finding {
    let kernel = host.kernel.as_deref().unwrap_or("unknown");
    if host.os != "linux" {
        return Finding::warn(
            Area::Sandbox,
            format!("there is none on {}", host.os),
            "keep mode ask, or run it in a container",
        );
    }
    let next = "keep mode ask, or run it in a container; a kernel from 5.13 on, booted with \
                lsm=landlock, has it";
    match &host.security_modules {
        Some(modules) if modules.split(',').any(|module| module.trim() == "landlock") => {
            Finding::ok(
                Area::Sandbox,
                format!("Landlock is there (kernel {kernel})"),
            )
        }
        Some(_) => Finding::warn(
            Area::Sandbox,
            format!("the kernel ({kernel}) runs without Landlock"),
            next,
        ),
        // The file system that tells is often not mounted in containers.
        None if version(kernel).is_some_and(|version| version >= (5, 13)) => Finding::ok(
            Area::Sandbox,
            format!("the kernel ({kernel}) can do Landlock; whether it is on cannot be seen here"),
        ),
        None => Finding::warn(
            Area::Sandbox,
            format!("the kernel ({kernel}) has no Landlock"),
            next,
        ),
    }
}

/// Major and minor number of a kernel's release.
fn version(release: &str) -> Option<(u32, u32)> {
    let mut numbers = release.split(|c: char| !c.is_ascii_digit());
    let major = numbers.next()?.parse().ok()?;
    let minor = numbers.next()?.parse().ok()?;
    Some((major, minor))
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
