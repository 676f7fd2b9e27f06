//! Where an export goes.

use std::path::{Path, PathBuf};

use greenroom_protocol::session::{ExportFormat, SessionId};

/// The folders of the user, as the environment tells them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Places {
    /// `$XDG_DOWNLOAD_DIR`
    pub downloads: Option<PathBuf>,
    /// `$XDG_CONFIG_HOME`
    pub config: Option<PathBuf>,
    /// `$HOME`
    pub home: Option<PathBuf>,
    /// Greenroom's own files and folders, links resolved: nothing is written
    /// there.
    pub own: Vec<PathBuf>,
}

/// A file to be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Target {
    /// The client named it: what is there is replaced.
    Named(PathBuf),
    /// It has the default name: what is there stays, and the next free name is
    /// taken.
    Free { folder: PathBuf, stem: String },
}

impl Places {
    /// Downloads as the desktop has it, else `~/Downloads` where there is one,
    /// else the home folder. Nothing without a home.
    pub(super) fn downloads(&self) -> Option<PathBuf> {
        let named = self.downloads.clone().or_else(|| self.of_desktop());
        if let Some(folder) = named.filter(|folder| folder.is_absolute() && folder.is_dir()) {
            return Some(folder);
        }
        let home = self.home.as_ref()?;
        let usual = home.join("Downloads");
        Some(if usual.is_dir() { usual } else { home.clone() })
    }

    /// What `user-dirs.dirs` says, which desktops write.
    fn of_desktop(&self) -> Option<PathBuf> {
        let home = self.home.as_ref()?;
        let usual = || home.join(".config");
        let folder = self.config.clone().unwrap_or_else(usual);
        let text = std::fs::read_to_string(folder.join("user-dirs.dirs")).ok()?;
        let line = text
            .lines()
            .find_map(|line| line.trim().strip_prefix("XDG_DOWNLOAD_DIR="))?;
        let value = line.trim().trim_matches('"');
        Some(match value.strip_prefix("$HOME") {
            Some(rest) => home.join(rest.trim_start_matches('/')),
            None => PathBuf::from(value),
        })
    }

    /// Whether a path leads into what is Greenroom's own: by its folder's real
    /// place, or as a link.
    fn is_own(&self, path: &Path) -> bool {
        let folder = path.parent().and_then(|it| it.canonicalize().ok());
        let beside = folder.zip(path.file_name()).map(|(it, name)| it.join(name));
        let places = [path.canonicalize().ok(), beside, Some(path.to_owned())];
        let mut places = places.into_iter().flatten();
        places.any(|place| self.own.iter().any(|own| place.starts_with(own)))
    }

    /// The file that a client means by `path`, relative to the workspace.
    pub(super) fn target(
        &self,
        path: Option<&str>,
        root: &Path,
        session: &SessionId,
        format: ExportFormat,
    ) -> Result<Target, String> {
        let stem = format!("greenroom-{session}");
        let Some(path) = path else {
            let folder = self
                .downloads()
                .ok_or_else(|| "there is no home folder to write to; give \"path\"".to_owned())?;
            return Ok(Target::Free { folder, stem });
        };
        // Without the dots that say nothing.
        let named: PathBuf = root.join(path).components().collect();
        if self.is_own(&named) {
            return Err(format!(
                "{} is one of Greenroom's own; name another place",
                named.display()
            ));
        }
        if named.is_dir() {
            let folder = named;
            return Ok(Target::Free { folder, stem });
        }
        let shown = named.display();
        if path.ends_with('/') {
            return Err(format!("there is no folder {shown}; make it first"));
        }
        match named.parent() {
            Some(folder) if folder.is_dir() => (),
            _ => return Err(format!("the folder of {shown} is not there; make it first")),
        }
        match named.symlink_metadata() {
            Ok(found) if !found.is_file() && !found.is_symlink() => Err(format!(
                "{shown} is no file; name another, ending in .{}",
                format.name()
            )),
            _ => Ok(Target::Named(named)),
        }
    }
}
