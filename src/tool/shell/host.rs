//! How commands are started: which shell, which environment.

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::Path;
use std::process::Stdio;

use tokio::process::Command;

use super::super::settings::ToolSettings;
use super::hold::Hold;
use super::leash::Leash;

/// Every process of a call carries this variable, `<session>/<call>/<random>`,
/// whatever it forks; so those that left the process group are found all the
/// same.
pub(super) const MARK: &str = "GREENROOM_CALL";

/// Variables that commands get, besides `LC_*` and the configured ones.
const PASSED: &[&str] = &[
    "PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "TMPDIR", "TZ",
];

/// Parts of names that hold secrets: such variables pass in no case.
const SECRET: &[&str] = &[
    "API_KEY",
    "APIKEY",
    "TOKEN",
    "SECRET",
    "PASSWORD",
    "PASSWD",
    "PRIVATE_KEY",
    "ACCESS_KEY",
    "CREDENTIAL",
];

/// The names that make a shell run a file of somebody's choice.
const STARTUP: &[&str] = &["BASH_ENV", "ENV"];

/// Starts commands.
pub(in crate::tool) struct CommandHost {
    shell: &'static str,
    arguments: &'static [&'static str],
    environment: Vec<(OsString, OsString)>,
}

impl CommandHost {
    /// Takes the environment out of the settings and keeps what may pass.
    pub fn new(settings: &mut ToolSettings) -> CommandHost {
        let environment = std::mem::take(&mut settings.environment).0;
        let (shell, arguments): (_, &[&str]) = match Path::new("/bin/bash").exists() {
            true => ("/bin/bash", &["--noprofile", "--norc", "-c", "--"]),
            false => ("/bin/sh", &["-c", "--"]),
        };
        CommandHost {
            shell,
            arguments,
            environment: scrub(environment, &settings.pass_variables),
        }
    }

    /// Starts a command in an open folder. Its standard input is empty.
    pub(super) fn start(
        &self,
        command: &str,
        folder: &OwnedFd,
        path: &Path,
        marker: String,
    ) -> io::Result<Leash> {
        let hold = Hold::new();
        let child = Command::new(self.shell)
            .args(self.arguments)
            .arg(command)
            // By the descriptor: the name may lead elsewhere by now.
            .current_dir(format!("/proc/self/fd/{}", folder.as_raw_fd()))
            .env_clear()
            .envs(self.environment.iter().map(|(name, value)| (name, value)))
            .env("PWD", path)
            .env(MARK, &marker)
            .process_group(0)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        Ok(Leash::new(child, marker, hold))
    }
}

fn scrub(
    environment: Vec<(OsString, OsString)>,
    configured: &[String],
) -> Vec<(OsString, OsString)> {
    let mut kept: Vec<(OsString, OsString)> = environment
        .into_iter()
        .filter(|(name, _)| may_pass(name, configured))
        .collect();
    if !kept.iter().any(|(name, _)| name == "PATH") {
        kept.push(("PATH".into(), "/usr/local/bin:/usr/bin:/bin".into()));
    }
    // Nobody is at a terminal: no colours, no pager, no question for a password.
    kept.push(("TERM".into(), "dumb".into()));
    kept.push(("GIT_TERMINAL_PROMPT".into(), "0".into()));
    kept
}

fn may_pass(name: &OsStr, configured: &[String]) -> bool {
    let Some(name) = name.to_str() else {
        return false;
    };
    let upper = name.to_uppercase();
    let is_secret = SECRET.iter().any(|part| upper.contains(part));
    if is_secret || STARTUP.contains(&name) || name == MARK {
        return false;
    }
    PASSED.contains(&name) || name.starts_with("LC_") || configured.iter().any(|own| own == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_harmless_variables_pass() {
        let environment = [
            ("PATH", "/bin"),
            ("LC_ALL", "C"),
            ("OPENAI_API_KEY", "sk-1"),
            ("GITHUB_TOKEN", "t"),
            ("My_Secret", "s"),
            ("BASH_ENV", "/evil"),
            ("ENV", "/evil"),
            ("TERM", "xterm"),
            ("LD_PRELOAD", "/evil.so"),
            ("GOFLAGS", "-v"),
            ("GREENROOM_CALL", "other"),
        ];
        let environment = environment.map(|(name, value)| (name.into(), value.into()));
        let configured = ["GOFLAGS", "GITHUB_TOKEN", "BASH_ENV"].map(String::from);
        let kept = scrub(environment.into(), &configured);
        let kept: Vec<(&str, &str)> = kept
            .iter()
            .map(|(name, value)| (name.to_str().unwrap(), value.to_str().unwrap()))
            .collect();
        assert_eq!(
            kept,
            [
                ("PATH", "/bin"),
                ("LC_ALL", "C"),
                ("GOFLAGS", "-v"),
                ("TERM", "dumb"),
                ("GIT_TERMINAL_PROMPT", "0"),
            ]
        );
    }

    #[test]
    fn a_path_is_always_there() {
        let kept = scrub(Vec::new(), &[]);
        assert_eq!(
            kept.first(),
            Some(&("PATH".into(), "/usr/local/bin:/usr/bin:/bin".into()))
        );
    }
}
