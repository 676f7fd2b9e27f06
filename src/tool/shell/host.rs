//! How commands are started: which shell, which environment.

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::process::Stdio;

use tokio::process::{Child, Command};
use tokio::runtime::Handle;

use super::super::sandbox::Sandbox;
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

/// Variables by which a command's start is led elsewhere: a file that a shell
/// or the loader runs first, or how it reads its line. They never pass.
const STEERING: &[&str] = &[
    "BASH_ENV",
    "BASH_LOADABLES_PATH",
    "BASHOPTS",
    "CDPATH",
    "ENV",
    "EXECIGNORE",
    "GCONV_PATH",
    "GLOBIGNORE",
    "IFS",
    "LOCPATH",
    "NLSPATH",
    "POSIXLY_CORRECT",
    "PROMPT_COMMAND",
    "PS4",
    "SHELLOPTS",
];

/// The same, by how they begin: exported functions, the loader's variables.
const STEERING_BEGINNINGS: &[&str] = &["BASH_FUNC_", "LD_", "DYLD_", "GLIBC_TUNABLES"];

/// Whether a variable leads a command's start elsewhere. Commands never get it.
pub fn steers_start(name: &str) -> bool {
    let begins = |beginning: &&str| name.starts_with(*beginning);
    STEERING.contains(&name) || STEERING_BEGINNINGS.iter().any(begins)
}

/// Starts commands.
pub(in crate::tool) struct CommandHost {
    shell: &'static str,
    arguments: &'static [&'static str],
    environment: Vec<(OsString, OsString)>,
    search: Vec<SearchFolder>,
    sandbox: Sandbox,
}

/// An entry of `PATH`.
struct SearchFolder {
    named: PathBuf,
    /// With links resolved, as far as it is there.
    real: PathBuf,
}

/// Where a command starts.
pub(in crate::tool) struct Place<'a> {
    /// The workspace.
    pub root: &'a Path,
    /// The folder to start in, opened …
    pub folder: &'a OwnedFd,
    /// … and by its name.
    pub path: &'a Path,
}

impl CommandHost {
    /// Takes the environment out of the settings and keeps what may pass.
    pub fn new(settings: &mut ToolSettings) -> CommandHost {
        let environment = std::mem::take(&mut settings.environment).0;
        let (shell, arguments): (_, &[&str]) = match Path::new("/bin/bash").exists() {
            true => ("/bin/bash", &["--noprofile", "--norc", "-c", "--"]),
            false => ("/bin/sh", &["-c", "--"]),
        };
        let sandbox = Sandbox::new(settings.sandbox.clone(), &environment);
        let environment = scrub(environment, &settings.pass_variables);
        CommandHost {
            shell,
            arguments,
            search: search_folders(&environment),
            environment,
            sandbox,
        }
    }

    /// Starts a command in an open folder. Its standard input is empty.
    pub(super) fn start(&self, line: &str, place: &Place<'_>, marker: String) -> io::Result<Leash> {
        let hold = Hold::new();
        let mut command = self.command(place, &marker);
        command
            .arg(line)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let child = self.spawn(place, command)?;
        Ok(Leash::new(child, marker, hold))
    }

    /// The interpreter in its folder, with its environment and in a group of its
    /// own: what is left to say is its line, and its standard streams.
    pub(super) fn command(&self, place: &Place<'_>, marker: &str) -> Command {
        let mut command = Command::new(self.shell);
        command
            .args(self.arguments)
            // By the descriptor: the name may lead elsewhere by now.
            .current_dir(format!("/proc/self/fd/{}", place.folder.as_raw_fd()))
            .env_clear()
            .envs(self.environment.iter().map(|(name, value)| (name, value)))
            .env("PWD", place.path)
            .env(MARK, marker)
            .process_group(0);
        if let Some(path) = self.search_path(place.root) {
            command.env("PATH", path);
        }
        command
    }

    /// Starts what was prepared, in the sandbox if there is one. This process's
    /// copies of the child's streams are closed then.
    pub(super) fn spawn(&self, place: &Place<'_>, mut command: Command) -> io::Result<Child> {
        let runtime = Handle::current();
        self.sandbox.start(place.root, move || {
            let _inside = runtime.enter();
            command.spawn()
        })
    }

    /// How the interpreter is called, as the beginning of a line of it: what
    /// follows is one argument, the line that it runs.
    pub(super) fn call_itself(&self) -> String {
        let mut words = vec![self.shell];
        words.extend(self.arguments);
        words.join(" ")
    }

    /// `PATH` without folders of the workspace: what the agent writes there
    /// would run under the name of a program that is allowed. Nothing when it
    /// has none of them.
    fn search_path(&self, root: &Path) -> Option<OsString> {
        let is_outside =
            |it: &&SearchFolder| !it.named.starts_with(root) && !it.real.starts_with(root);
        let kept: Vec<&[u8]> = self
            .search
            .iter()
            .filter(is_outside)
            .map(|it| it.named.as_os_str().as_bytes())
            .collect();
        let shorter = kept.len() < self.search.len();
        shorter.then(|| OsString::from_vec(kept.join(&b':')))
    }
}

fn search_folders(environment: &[(OsString, OsString)]) -> Vec<SearchFolder> {
    let paths = environment.iter().filter(|(name, _)| name == "PATH");
    let folders = paths.flat_map(|(_, path)| path.as_bytes().split(|byte| *byte == b':'));
    folders
        .map(|folder| {
            let named = PathBuf::from(OsStr::from_bytes(folder));
            let real = named.canonicalize().unwrap_or_else(|_| named.clone());
            SearchFolder { named, real }
        })
        .collect()
}

/// `PATH` with absolute folders alone: an empty or relative entry means whatever
/// folder a command stands in.
fn absolute_folders(path: &OsStr) -> OsString {
    let folders = path.as_bytes().split(|byte| *byte == b':');
    let kept: Vec<&[u8]> = folders.filter(|it| it.starts_with(b"/")).collect();
    OsString::from_vec(kept.join(&b':'))
}

/// What of an environment a program of the user's may get: the harmless part,
/// and these variables besides, unless their names look like a secret's.
pub fn harmless_environment(
    environment: Vec<(OsString, OsString)>,
    pass: &[String],
) -> Vec<(OsString, OsString)> {
    scrub(environment, pass)
}

fn scrub(
    environment: Vec<(OsString, OsString)>,
    configured: &[String],
) -> Vec<(OsString, OsString)> {
    let mut kept: Vec<(OsString, OsString)> = environment
        .into_iter()
        .filter(|(name, _)| may_pass(name, configured))
        .collect();
    for (name, value) in &mut kept {
        if name == "PATH" {
            *value = absolute_folders(value);
        }
    }
    kept.retain(|(name, value)| name != "PATH" || !value.is_empty());
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
    if is_secret || steers_start(name) || name == MARK {
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
    fn relative_folders_leave_the_path() {
        let kept = scrub(vec![("PATH".into(), ".:/a::b/c:/d:".into())], &[]);
        assert_eq!(kept.first(), Some(&("PATH".into(), "/a:/d".into())));
        let kept = scrub(vec![("PATH".into(), ".:".into())], &[]);
        assert_eq!(kept[0].1, "/usr/local/bin:/usr/bin:/bin");
    }

    #[test]
    fn what_leads_a_start_elsewhere_never_passes() {
        let names = [
            "LD_PRELOAD",
            "LD_AUDIT",
            "SHELLOPTS",
            "BASH_FUNC_ls%%",
            "PS4",
            "IFS",
        ];
        let environment = names.map(|name| (name.into(), "x".into()));
        let kept = scrub(environment.into(), &names.map(String::from));
        let kept: Vec<_> = kept
            .iter()
            .map(|(name, _)| name.to_str().unwrap())
            .collect();
        assert_eq!(kept, ["PATH", "TERM", "GIT_TERMINAL_PROMPT"]);
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
