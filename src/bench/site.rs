//! Where the bench works: a folder of its own, and the program to measure.

use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use tokio::time::Instant;

use super::machine::is_in_memory;
use super::stop::Stop;
use super::trouble::Trouble;
use crate::config::Environment;

/// The scripts that the model plays.
const SCRIPT: &str = include_str!("script.yaml");
/// A script that does not look at the prompt.
const PLAIN: &str = "otherwise:\n  - say: ok\n";
/// Files in the folder.
const SCRIPT_FILE: &str = "script.yaml";
const PLAIN_FILE: &str = "plain.yaml";
const WORKSPACE: &str = "workspace";

/// Where the bench works. Its folder goes with it.
pub(super) struct Site {
    folder: PathBuf,
    program: PathBuf,
    config: Option<PathBuf>,
    /// Whether runs are fewer and shorter.
    pub quick: bool,
    /// The user's wish to end.
    pub stop: Stop,
    end: Instant,
}

impl Site {
    /// Makes the folder: beside the executable when cargo built it there, else
    /// in the current folder, else among the temporary ones; the first of them
    /// that is not in memory.
    pub fn new(config: Option<&Path>, quick: bool, stop: Stop) -> io::Result<Site> {
        let program = std::env::current_exe()?;
        let mut places = Vec::new();
        places.extend(cargo_folder(&program));
        places.extend(std::env::current_dir());
        places.push(std::env::temp_dir());
        let folder = places
            .iter()
            .filter(|place| !is_in_memory(place))
            .chain([&std::env::temp_dir()])
            .find_map(|place| make_folder(place).ok())
            .ok_or_else(|| io::Error::other("no folder can be written to: run it in one"))?;
        // From here on the folder is removed whatever comes.
        let longest = match quick {
            true => Duration::from_secs(120),
            false => Duration::from_secs(180),
        };
        let site = Site {
            folder,
            program,
            config: config.map(Path::to_owned),
            quick,
            stop,
            end: Instant::now() + longest,
        };
        fs::create_dir(site.workspace())?;
        fs::write(site.folder.join(SCRIPT_FILE), SCRIPT)?;
        fs::write(site.plain_script(), PLAIN)?;
        Ok(site)
    }

    /// The folder of everything.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The folder that sessions work in.
    pub fn workspace(&self) -> PathBuf {
        self.folder.join(WORKSPACE)
    }

    /// A script that answers every prompt at once, without looking at it; a
    /// later `--script` counts.
    pub fn plain_script(&self) -> PathBuf {
        self.folder.join(PLAIN_FILE)
    }

    /// A home for journals; the same name gives the same one.
    pub fn home(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// Picks by the length of the bench.
    pub fn pick<T>(&self, quick: T, whole: T) -> T {
        if self.quick { quick } else { whole }
    }

    /// The command of a session in this home, with more flags.
    pub fn session(&self, home: &Path, flags: &[&str]) -> Command {
        let mut command = self.clean_command(&self.program);
        command.args(["agent", "--rpc", "--cwd"]);
        command.arg(self.workspace());
        command.arg("--script").arg(self.folder.join(SCRIPT_FILE));
        if let Some(config) = &self.config {
            command.arg("--config").arg(config);
        }
        command.args(flags);
        command.env("GREENROOM_HOME", home);
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        command
    }

    /// A command without the user's keys, settings and habits.
    pub fn clean_command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        let path = Environment::process().get("PATH");
        command.env_clear();
        command.env("PATH", path.unwrap_or_else(|| "/usr/bin:/bin".into()));
        command.env("HOME", &self.folder);
        command
    }

    /// Fails when the bench is to end: the user said so, or it takes too long.
    pub fn check(&self) -> Result<(), Trouble> {
        self.stop.check()?;
        match Instant::now() < self.end {
            true => Ok(()),
            false => Err(Trouble::unmeasured("the bench took too long before it")),
        }
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_dir_all(&self.folder) {
            tracing::warn!(folder = %self.folder.display(), %error, "the bench's folder is left");
        }
    }
}

/// The folder of the executable, when it is one of cargo's.
fn cargo_folder(program: &Path) -> Option<PathBuf> {
    let folder = program.parent()?;
    let tagged = folder.parent()?.join("CACHEDIR.TAG").exists();
    tagged.then(|| folder.to_owned())
}

fn make_folder(place: &Path) -> io::Result<PathBuf> {
    let process = std::process::id();
    let random = fastrand::u32(..);
    let folder = fs::canonicalize(place)?.join(format!("greenroom-bench-{process}-{random:08x}"));
    DirBuilder::new().mode(0o700).create(&folder)?;
    Ok(folder)
}
