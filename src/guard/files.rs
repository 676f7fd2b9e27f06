//! The rule files of a user and of workspaces: loaded, and loaded anew when they
//! change.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use greenroom_actors::modes::Modes;
use greenroom_protocol::session::Text;

use super::rules::{Origin, RuleFile, Rules, RulesError};
use super::source::{self, Stamp};
use super::trust::{Digest, LIST, TrustList};

/// Where a workspace keeps its rules.
pub const PROJECT_FILE: &str = ".greenroom/guard.yaml";

/// The name of the user's rules in the configuration folder.
pub const USER_FILE: &str = "guard.yaml";

/// A longer file is something else.
pub(super) const LONGEST: u64 = 1 << 20;

/// Workspaces whose rules are kept; of one more the oldest is read again.
const MOST_WORKSPACES: usize = 64;

pub(super) const SHIPPED: &str = include_str!("../../config/guard.yaml");

/// Reads rule files and keeps what is in force.
pub struct RuleFiles {
    folder: Option<PathBuf>,
    home: Option<String>,
    shipped: RuleFile,
    modes: Modes,
    state: Mutex<State>,
}

struct State {
    user: Loaded,
    trust: TrustFile,
    projects: HashMap<PathBuf, Project>,
}

/// One file, as it was when it was last read well.
struct Loaded {
    stamp: Stamp,
    digest: Option<Digest>,
    rules: RuleFile,
    /// What became of it since, when that is bad.
    trouble: Option<Text>,
}

struct TrustFile {
    stamp: Stamp,
    list: TrustList,
    /// Why it is not believed.
    trouble: Option<Text>,
}

struct Project {
    /// Why there are no rules at all: the file was broken from the start.
    broken: Option<RulesError>,
    file: Loaded,
    /// What the merged rules were made of.
    made_of: (Stamp, Stamp, Stamp),
    merged: Arc<Rules>,
}

impl RuleFiles {
    /// Loads the shipped rules and the user's. `folder` is the user's
    /// configuration folder, `home` what `~/` stands for, `modes` what rules may
    /// be for. Fails when a file that
    /// exists cannot be believed or understood.
    pub fn load(
        folder: Option<PathBuf>,
        home: Option<&Path>,
        modes: Modes,
    ) -> Result<RuleFiles, RulesError> {
        let home = home.and_then(Path::to_str).map(str::to_owned);
        let shipped = RuleFile::parse(
            SHIPPED,
            Path::new("config/guard.yaml"),
            Origin::Shipped,
            home.as_deref(),
        )?;
        let mut files = RuleFiles {
            folder,
            home,
            shipped,
            modes,
            state: Mutex::new(State {
                user: Loaded::nothing(),
                trust: TrustFile {
                    stamp: Stamp::Missing,
                    list: TrustList::default(),
                    trouble: None,
                },
                projects: HashMap::new(),
            }),
        };
        if let (Some(user), Some(list)) = (files.user_file(), files.trust_list()) {
            let user = files.read(&user, Origin::User)?;
            let trust = read_trust(&list)?;
            let state = files
                .state
                .get_mut()
                .unwrap_or_else(PoisonError::into_inner);
            (state.user, state.trust) = (user, trust);
        }
        Ok(files)
    }

    /// No files at all: the shipped rules are not in force either.
    #[cfg(test)]
    pub(super) fn none() -> RuleFiles {
        RuleFiles {
            folder: None,
            home: None,
            shipped: RuleFile::default(),
            modes: Modes::default(),
            state: Mutex::new(State {
                user: Loaded::nothing(),
                trust: TrustFile {
                    stamp: Stamp::Missing,
                    list: TrustList::default(),
                    trouble: None,
                },
                projects: HashMap::new(),
            }),
        }
    }

    /// The user's rule file, whether it exists or not.
    pub fn user_file(&self) -> Option<PathBuf> {
        self.folder.as_ref().map(|folder| folder.join(USER_FILE))
    }

    /// The list of trusted project files, whether it exists or not.
    pub fn trust_list(&self) -> Option<PathBuf> {
        self.folder.as_ref().map(|folder| folder.join(LIST))
    }

    /// What `~/` stands for.
    pub fn home(&self) -> Option<&str> {
        self.home.as_deref()
    }

    /// The rules in force in a workspace. Looks whether files changed (three
    /// questions to the system) and reads those that did. A file that is broken
    /// now leaves in force what it said before; one that was broken from the
    /// start gives an error, and nothing may run.
    pub fn rules(&self, root: &Path) -> Result<Arc<Rules>, RulesError> {
        let mut state = self.lock();
        let State {
            user,
            trust,
            projects,
        } = &mut *state;
        if let Some(path) = self.user_file() {
            self.renew(user, &path, Origin::User);
        }
        if let Some(path) = self.trust_list() {
            renew_trust(trust, &path);
        }
        let path = root.join(PROJECT_FILE);
        if !projects.contains_key(root) && projects.len() >= MOST_WORKSPACES {
            projects.clear();
        }
        let project = projects
            .entry(root.to_owned())
            .or_insert_with(|| self.project(&path));
        if project.broken.is_some() && Stamp::now(&path) != project.file.stamp {
            *project = self.project(&path);
        }
        if let Some(error) = &project.broken {
            return Err(error.clone());
        }
        self.renew(&mut project.file, &path, Origin::Project);
        let made_of = (user.stamp, trust.stamp, project.file.stamp);
        if project.made_of != made_of {
            project.merged = Arc::new(self.merge(user, trust, &project.file, &path));
            project.made_of = made_of;
        }
        Ok(project.merged.clone())
    }

    /// What people should know of the rules in force in a workspace, as they
    /// were when [`RuleFiles::rules`] was last asked for them: files that broke
    /// or went since they were read, a list of trusted ones that broke, and
    /// that the workspace's own are not trusted.
    pub fn warnings(&self, root: &Path) -> Vec<Text> {
        let untrusted = self.is_untrusted(root).then(|| {
            let path = root.join(PROJECT_FILE);
            let text = format!(
                "the rules of {} are not trusted: only what they deny and ask about counts; to \
                 trust the rest: `greenroom guard trust`",
                path.display()
            );
            Text::from(text)
        });
        let state = self.lock();
        let project = state.projects.get(root);
        let project = project.and_then(|project| project.file.trouble.clone());
        let troubles = [&state.user.trouble, &state.trust.trouble];
        let troubles = troubles.into_iter().flatten().cloned();
        troubles.chain(project).chain(untrusted).collect()
    }

    /// Whether a workspace has rules that nobody trusts: then only those count
    /// that deny or ask.
    pub fn is_untrusted(&self, root: &Path) -> bool {
        let path = root.join(PROJECT_FILE);
        let state = self.lock();
        let digest = state
            .projects
            .get(root)
            .and_then(|it| it.file.digest.clone());
        digest.is_some_and(|digest| !state.trust.list.trusts(&path, &digest))
    }

    fn project(&self, path: &Path) -> Project {
        let (file, broken) = match self.read(path, Origin::Project) {
            Ok(file) => (file, None),
            Err(error) => {
                let mut file = Loaded::nothing();
                file.stamp = Stamp::now(path);
                (file, Some(error))
            }
        };
        Project {
            broken,
            file,
            // Equal to no real stamps, so that the rules are merged at once.
            made_of: (Stamp::Never, Stamp::Never, Stamp::Never),
            merged: Arc::default(),
        }
    }

    fn merge(&self, user: &Loaded, trust: &TrustFile, file: &Loaded, path: &Path) -> Rules {
        let trusted = file
            .digest
            .as_ref()
            .is_some_and(|it| trust.list.trusts(path, it));
        let project = match trusted {
            true => file.rules.clone(),
            false => file.rules.tightening(),
        };
        Rules::of([&self.shipped, &user.rules, &project])
    }

    /// Reads a file that changed. What it said before stays in force when it is
    /// broken; when it is gone, what it forbade does.
    fn renew(&self, loaded: &mut Loaded, path: &Path, origin: Origin) {
        let stamp = Stamp::now(path);
        if stamp == loaded.stamp {
            return;
        }
        loaded.stamp = stamp;
        match self.read(path, origin) {
            Ok(new) if new.digest.is_some() => {
                // The stamp of before reading: what was written since is read again.
                if new.digest != loaded.digest {
                    tracing::info!(file = %path.display(), "the guard's rules were read anew");
                }
                *loaded = Loaded { stamp, ..new };
            }
            Ok(_) => {
                loaded.rules = loaded.rules.tightening();
                loaded.digest = None;
                loaded.trouble = Some(told(format!(
                    "the guard's rules {} are gone; what they denied and asked about stays so \
                     until the next start",
                    path.display()
                )));
            }
            Err(error) => {
                loaded.trouble = Some(told(format!(
                    "the guard's rules are broken; those of before stay in force: {error}"
                )));
            }
        }
    }

    fn read(&self, path: &Path, origin: Origin) -> Result<Loaded, RulesError> {
        let stamp = Stamp::now(path);
        let Some(text) = source::read(path, LONGEST)? else {
            return Ok(Loaded::nothing());
        };
        let mut rules = RuleFile::parse(&text, path, origin, self.home.as_deref())?;
        rules.name_lines(&text, path);
        rules.check_modes(path, &self.modes)?;
        let digest = Some(Digest::of(text.as_bytes()));
        Ok(Loaded {
            stamp,
            digest,
            rules,
            trouble: None,
        })
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Loaded {
    fn nothing() -> Loaded {
        Loaded {
            stamp: Stamp::Missing,
            digest: None,
            rules: RuleFile::default(),
            trouble: None,
        }
    }
}

/// Logs a trouble that is to be told to clients as well.
fn told(trouble: String) -> Text {
    tracing::error!("{trouble}");
    trouble.into()
}

fn read_trust(path: &Path) -> Result<TrustFile, RulesError> {
    let stamp = Stamp::now(path);
    let list = TrustList::load(path)?;
    Ok(TrustFile {
        stamp,
        list,
        trouble: None,
    })
}

/// A list that is broken now trusts nothing.
fn renew_trust(trust: &mut TrustFile, path: &Path) {
    let stamp = Stamp::now(path);
    if stamp == trust.stamp {
        return;
    }
    *trust = read_trust(path).unwrap_or_else(|error| {
        let trouble = format!("the list of trusted rules is broken; none is trusted: {error}");
        TrustFile {
            stamp,
            list: TrustList::default(),
            trouble: Some(told(trouble)),
        }
    });
}

#[cfg(test)]
mod tests;
