//! The folder that the demonstration happens in. It is gone afterwards.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use anyhow::{Context, Result};
use tokio::process::Command;

/// How often another name is tried when a folder is there already.
const NAMES: usize = 16;
/// How long `git init` may take.
const GIT_TIME: Duration = Duration::from_secs(5);

/// A folder of its own below the system's one for temporary files. Dropping it
/// removes it with all that is in it.
pub(super) struct Scratch {
    root: PathBuf,
}

impl Scratch {
    /// Makes the folder, which nobody else may read, and in it an empty
    /// configuration: the demonstration plays the same on every machine.
    pub fn create() -> Result<Scratch> {
        let parent = std::env::temp_dir();
        let scratch = Scratch {
            root: fresh_folder(&parent)
                .with_context(|| format!("no folder can be made in {}", parent.display()))?,
        };
        for folder in [scratch.repository(), scratch.config_folder()] {
            fs::create_dir(&folder).with_context(|| folder.display().to_string())?;
        }
        let config = scratch.config();
        fs::write(&config, "").with_context(|| config.display().to_string())?;
        Ok(scratch)
    }

    /// The workspace of the session.
    pub fn repository(&self) -> PathBuf {
        self.root.join("repository")
    }

    /// The configuration. Its folder holds nothing else, since tools may not
    /// write beside it.
    pub fn config(&self) -> PathBuf {
        self.config_folder().join("config.yaml")
    }

    /// Where the agent may keep its state.
    pub fn state(&self) -> PathBuf {
        self.root.join("state")
    }

    fn config_folder(&self) -> PathBuf {
        self.root.join("config")
    }

    /// Makes a git repository of the workspace. False when there is no git,
    /// which changes nothing but the words for it.
    pub async fn init_git(&self) -> bool {
        let mut git = Command::new("git");
        git.args(["init", "--quiet", "--template="])
            .current_dir(self.repository())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .kill_on_drop(true);
        // Inside a hook of git these name another repository.
        for variable in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"] {
            git.env_remove(variable);
        }
        let outcome = tokio::time::timeout(GIT_TIME, git.status()).await;
        matches!(outcome, Ok(Ok(status)) if status.success())
    }

    /// Removes it now, so that an error can be told.
    pub fn remove(self) -> Result<()> {
        fs::remove_dir_all(&self.root)
            .with_context(|| format!("{} could not be removed", self.root.display()))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // Nothing more can be done about it here; `remove` tells.
        let _ = fs::remove_dir_all(&self.root);
    }
}

fn fresh_folder(parent: &Path) -> std::io::Result<PathBuf> {
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    let mut outcome = Err(ErrorKind::AlreadyExists.into());
    for _ in 0..NAMES {
        let letters: String = std::iter::repeat_with(fastrand::alphanumeric)
            .take(6)
            .collect();
        let path = parent.join(format!("greenroom-demo-{letters}"));
        match builder.create(&path) {
            // With links resolved, as the agent shows it.
            Ok(()) => return Ok(fs::canonicalize(&path).unwrap_or(path)),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => outcome = Err(error),
            Err(error) => return Err(error),
        }
    }
    outcome
}
