//! The rule files of a user and of one workspace as they are now: for people
//! who want to know what is in force, and before one is trusted.
//!
//! It reads files anew and keeps nothing; [`super::files`] is what sessions use.

use std::path::{Path, PathBuf};

use greenroom_actors::modes::Modes;

use super::files::{LONGEST, PROJECT_FILE, SHIPPED, USER_FILE};
use super::rules::{Origin, Outline, RuleFile, RulesError};
use super::source;
use super::trust::{Digest, LIST, TrustList};

/// Where rules are looked for, and what they are checked against.
pub struct Survey<'a> {
    /// The user's configuration folder.
    pub folder: Option<&'a Path>,
    /// What `~/` stands for.
    pub home: Option<&'a Path>,
    /// What rules may be for.
    pub modes: &'a Modes,
}

/// A rule file that was looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Surveyed {
    /// Whose it is.
    pub origin: Origin,
    /// Where it is; of the shipped one, where it lies in the sources.
    pub path: PathBuf,
    /// What was found.
    pub state: State,
}

/// What was found at the place of a rule file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum State {
    /// There is none.
    Missing,
    /// It cannot be believed or understood: no new session starts.
    Broken(RulesError),
    /// It is sound.
    Sound {
        /// What it says.
        outline: Outline,
        /// Of its text.
        digest: Digest,
        /// Whether all of it counts: of a project's file that nobody trusts
        /// only what denies and asks does.
        trusted: bool,
    },
}

impl Survey<'_> {
    /// All files that are for a workspace (absolute, links resolved), the
    /// widest first. The error is of the list of trusted files: nothing is
    /// trusted then, and no new session starts.
    pub fn all(&self, root: &Path) -> (Vec<Surveyed>, Option<RulesError>) {
        let (list, error) = match self.trust_list() {
            Ok(list) => (list, None),
            Err(error) => (TrustList::default(), Some(error)),
        };
        let shipped = PathBuf::from("config/guard.yaml");
        let state = self.sound(SHIPPED, &shipped, Origin::Shipped, |_| true);
        let mut all = vec![Surveyed {
            origin: Origin::Shipped,
            path: shipped,
            state,
        }];
        if let Some(folder) = self.folder {
            let path = folder.join(USER_FILE);
            all.push(self.look(path, Origin::User, |_| true));
        }
        let path = root.join(PROJECT_FILE);
        let trusted = |digest: &Digest| list.trusts(&root.join(PROJECT_FILE), digest);
        all.push(self.look(path, Origin::Project, trusted));
        (all, error)
    }

    /// One file, as if it were the user's.
    pub fn file(&self, path: &Path) -> Surveyed {
        self.look(path.to_owned(), Origin::User, |_| true)
    }

    /// A workspace's file, and the list that could trust it.
    pub fn project(&self, root: &Path) -> Result<(Surveyed, TrustList), RulesError> {
        let list = self.trust_list()?;
        let path = root.join(PROJECT_FILE);
        let trusted = |digest: &Digest| list.trusts(&root.join(PROJECT_FILE), digest);
        let found = self.look(path, Origin::Project, trusted);
        Ok((found, list))
    }

    /// Where the list of trusted files is, whether it exists or not; nothing
    /// without a configuration folder.
    pub fn list_path(&self) -> Option<PathBuf> {
        self.folder.map(|folder| folder.join(LIST))
    }

    fn trust_list(&self) -> Result<TrustList, RulesError> {
        match self.list_path() {
            Some(path) => TrustList::load(&path),
            None => Ok(TrustList::default()),
        }
    }

    fn look(&self, path: PathBuf, origin: Origin, trusted: impl Fn(&Digest) -> bool) -> Surveyed {
        let state = match source::read(&path, LONGEST) {
            Ok(Some(text)) => self.sound(&text, &path, origin, trusted),
            Ok(None) => State::Missing,
            Err(error) => State::Broken(error),
        };
        Surveyed {
            origin,
            path,
            state,
        }
    }

    fn sound(
        &self,
        text: &str,
        path: &Path,
        origin: Origin,
        trusted: impl Fn(&Digest) -> bool,
    ) -> State {
        let home = self.home.and_then(Path::to_str);
        let checked = RuleFile::parse(text, path, origin, home)
            .and_then(|file| file.check_modes(path, self.modes));
        if let Err(error) = checked {
            return State::Broken(error);
        }
        let digest = Digest::of(text.as_bytes());
        State::Sound {
            // A text that was read as rules is YAML.
            outline: Outline::of(text).unwrap_or_default(),
            trusted: trusted(&digest),
            digest,
        }
    }
}
