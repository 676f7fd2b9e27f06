//! The folders of one test, and how the binary is started in them.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tempfile::TempDir;

use super::Host;
use super::invariants::Wire;

/// The binary under test: the one that cargo built, or the one that
/// `$GREENROOM_TEST_BINARY` names (a release build, an installed one).
pub fn binary() -> PathBuf {
    match std::env::var_os("GREENROOM_TEST_BINARY") {
        Some(path) => PathBuf::from(path),
        None => PathBuf::from(env!("CARGO_BIN_EXE_greenroom")),
    }
}

/// A workspace, a state folder, a script and flags. Gone with its last process.
pub struct Stage {
    root: TempDir,
    flags: Vec<String>,
    wire: Wire,
}

impl Stage {
    /// An empty workspace and hm's wire, without flags.
    pub fn new() -> Stage {
        let root = tempfile::tempdir().unwrap();
        for folder in ["home", "workspace", "state", "bin"] {
            fs::create_dir(root.path().join(folder)).unwrap();
        }
        Stage {
            root,
            flags: Vec::new(),
            wire: Wire::Hm,
        }
    }

    /// A stage whose model plays this script.
    pub fn playing(script: &str) -> Stage {
        Stage::new().script(script)
    }

    /// The model plays this script.
    pub fn script(self, yaml: &str) -> Stage {
        fs::write(self.path("script.yaml"), yaml).unwrap();
        self
    }

    /// The model plays a script of `examples/scripts`.
    pub fn example(self, name: &str) -> Stage {
        let path = repository().join("examples/scripts").join(name);
        let yaml = fs::read_to_string(&path).unwrap();
        self.script(&yaml)
    }

    /// More flags, behind those that choose the wire, the workspace and the
    /// script.
    pub fn flags(mut self, flags: &[&str]) -> Stage {
        self.flags.extend(flags.iter().map(|it| (*it).to_owned()));
        self
    }

    /// Takes all flags away that were added.
    pub fn set_flags(&mut self, flags: &[&str]) {
        self.flags = flags.iter().map(|it| (*it).to_owned()).collect();
    }

    /// Speaks Autohand's wire instead of hm's.
    pub fn autohand(mut self) -> Stage {
        self.wire = Wire::Autohand;
        self
    }

    /// Makes a file of the workspace.
    pub fn file(self, path: &str, content: &str) -> Stage {
        let path = self.workspace().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
        self
    }

    /// Makes a program that commands of the session find first in their PATH.
    pub fn program(self, name: &str, shell_script: &str) -> Stage {
        use std::os::unix::fs::PermissionsExt;
        let path = self.path("bin").join(name);
        fs::write(&path, format!("#!/bin/sh\n{shell_script}\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        self
    }

    /// Writes the configuration file.
    pub fn config(self, yaml: &str) -> Stage {
        let folder = self.path("home").join(".config/greenroom");
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("config.yaml"), yaml).unwrap();
        self
    }

    /// Something in the folder of the test.
    pub fn path(&self, name: &str) -> PathBuf {
        self.root.path().canonicalize().unwrap().join(name)
    }

    /// The workspace, links resolved.
    pub fn workspace(&self) -> PathBuf {
        self.path("workspace")
    }

    /// The state folder, which holds the journal.
    pub fn state(&self) -> PathBuf {
        self.path("state")
    }

    /// The command line that starts it, with pipes. Nothing of the developer's
    /// environment is passed on but PATH.
    pub fn command(&self) -> Command {
        let mut command = self.bare_command();
        match self.wire {
            Wire::Hm => command.args(["agent", "--rpc", "--cwd"]),
            Wire::Autohand => command.args(["--mode", "rpc", "--path"]),
        };
        command.arg(self.workspace());
        let script = self.path("script.yaml");
        if script.exists() {
            command.arg("--script").arg(script);
        }
        command.args(&self.flags);
        command
    }

    /// As [`Stage::command`], without any argument.
    pub fn bare_command(&self) -> Command {
        let mut command = Command::new(binary());
        self.dress(&mut command);
        command
    }

    /// Gives a command the stage's environment and pipes.
    pub fn dress(&self, command: &mut Command) {
        let mut path = OsString::from(self.path("bin"));
        path.push(":");
        path.push(std::env::var_os("PATH").unwrap_or_else(|| "/usr/bin:/bin".into()));
        command
            .env_clear()
            .env("PATH", path)
            .env("HOME", self.path("home"))
            .env("GREENROOM_HOME", self.state())
            .env("LANG", "C.UTF-8")
            .current_dir(self.workspace())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
    }

    /// Starts it, and waits for its first line.
    pub fn start(&self) -> Host {
        let mut host = Host::spawn(self.command(), self.wire);
        host.next();
        host
    }

    /// The wire that it speaks.
    pub fn wire(&self) -> Wire {
        self.wire
    }
}

/// The repository's top folder.
pub fn repository() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}
