//! Which files and folders commands may use. Landlock only ever allows: homes'
//! secrets are kept by not naming the home as a whole.

use std::fs;
use std::path::{Path, PathBuf};

use super::settings::SandboxSettings;

/// Read and executed by everybody.
const SYSTEM: &[&str] = &[
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/etc",
    "/proc",
    "/sys",
    "/dev",
    "/run/systemd/resolve",
];

/// The same, but homes of services lie in such folders (`/var/lib/jenkins`): one
/// that holds this user's home is left out.
const SHARED: &[&str] = &["/opt", "/nix", "/snap", "/var/lib", "/var/cache"];

/// Written by everybody.
const SCRATCH: &[&str] = &[
    "/tmp",
    "/var/tmp",
    "/dev/shm",
    "/dev/null",
    "/dev/zero",
    "/dev/full",
    "/dev/random",
    "/dev/urandom",
    "/dev/tty",
    "/dev/ptmx",
    "/dev/pts",
];

/// Toolchains in homes, and settings of tools that hold no secrets. Where keys
/// lie beside them (`~/.cargo/credentials.toml`, `~/.config/git/credentials`),
/// only the harmless neighbours stand here.
const IN_HOME: &[&str] = &[
    ".cargo/bin",
    ".cargo/config.toml",
    ".cargo/env",
    ".cargo/git",
    ".cargo/registry",
    ".rustup",
    ".nvm",
    ".volta",
    ".bun/bin",
    ".bun/install",
    ".deno",
    ".pyenv",
    ".rbenv",
    ".asdf",
    ".sdkman",
    ".jenv",
    ".ghcup",
    ".opam",
    ".local/bin",
    ".local/lib",
    ".local/share/mise",
    ".local/share/pnpm",
    ".local/share/uv",
    "go",
    ".gitconfig",
    ".config/git/attributes",
    ".config/git/config",
    ".config/git/ignore",
];

/// Where this user's things are.
#[derive(Debug, Default)]
pub(super) struct Places {
    pub home: Option<PathBuf>,
    /// `$TMPDIR`.
    pub temp: Option<PathBuf>,
    /// `$PATH`, entry by entry.
    pub programs: Vec<PathBuf>,
}

/// What commands may use, with all that is below.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Grants {
    pub write: Vec<PathBuf>,
    pub read: Vec<PathBuf>,
}

impl Grants {
    pub fn new(root: &Path, places: &Places, settings: &SandboxSettings) -> Grants {
        let home = places.home.as_deref().filter(|home| home.is_absolute());
        let mut write = vec![root.to_owned()];
        write.extend(SCRATCH.iter().map(PathBuf::from));
        write.extend(
            places
                .temp
                .iter()
                .filter(|temp| is_narrow(temp, home))
                .cloned(),
        );
        write.extend(settings.extra_write.iter().cloned());
        write.extend(repository_of(root, &write));

        let mut read: Vec<PathBuf> = SYSTEM.iter().map(PathBuf::from).collect();
        let shared = SHARED.iter().map(PathBuf::from);
        read.extend(shared.filter(|folder| is_narrow(folder, home)));
        let programs = places.programs.iter();
        read.extend(programs.filter(|folder| is_narrow(folder, home)).cloned());
        if let Some(home) = home {
            read.extend(IN_HOME.iter().map(|name| home.join(name)));
        }
        read.extend(settings.extra_read.iter().cloned());
        Grants { write, read }
    }
}

/// Whether a folder of the environment may be granted: neither the home nor
/// what the home lies in, and no name that depends on where one stands.
fn is_narrow(folder: &Path, home: Option<&Path>) -> bool {
    let real = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    let holds_home = |home: &Path| {
        let real_home = home.canonicalize().unwrap_or_else(|_| home.to_owned());
        home.starts_with(&real) || real_home.starts_with(&real)
    };
    folder.is_absolute() && real.parent().is_some() && !home.is_some_and(holds_home)
}

/// The repository that a linked worktree (`git worktree add`) belongs to. Its
/// `.git` is a file that the agent may write, so what it names counts only when
/// that place names this worktree, too, and lies where nobody in the sandbox may
/// write: else they could arrange that themselves.
fn repository_of(root: &Path, writable: &[PathBuf]) -> Option<PathBuf> {
    let link = root.join(".git");
    let text = short_file(&link)?;
    let named = text.strip_prefix("gitdir:")?.trim();
    let own = root.join(named).canonicalize().ok()?;
    let is_writable = |folder: &PathBuf| {
        let real = folder.canonicalize();
        own.starts_with(folder) || real.is_ok_and(|real| own.starts_with(real))
    };
    if writable.iter().any(is_writable) {
        return None;
    }
    let back = short_file(&own.join("gitdir"))?;
    let back = own.join(back.trim()).canonicalize().ok()?;
    let worktrees = own.parent()?;
    let repository = worktrees.parent()?;
    let is_linked = back == link.canonicalize().ok()? && worktrees.ends_with("worktrees");
    let is_repository = repository.join("HEAD").is_file() && repository.join("objects").is_dir();
    (is_linked && is_repository).then(|| repository.to_owned())
}

/// The text of a small regular file.
fn short_file(path: &Path) -> Option<String> {
    let found = fs::symlink_metadata(path).ok()?;
    match found.is_file() && found.len() <= 4096 {
        true => fs::read_to_string(path).ok(),
        false => None,
    }
}
