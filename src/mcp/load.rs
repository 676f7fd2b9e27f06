//! The servers of a session: the configuration's, those of the user's
//! `mcp.json`, and those of the workspace's `.mcp.json` when it is trusted.

use std::path::{Path, PathBuf};

use super::entry::EntryFault;
use super::file::{self, Parsed};
use super::settings::ServerConfig;
use super::visible::visible;

/// Where a workspace keeps its servers.
pub const PROJECT_FILE: &str = ".mcp.json";
/// The name of the user's file in the configuration folder.
pub const USER_FILE: &str = "mcp.json";

/// Gives the value of an environment variable, or nothing.
pub type Variables<'a> = dyn Fn(&str) -> Option<String> + 'a;

/// Where servers are looked for.
pub struct Sources<'a> {
    /// Those of `config.yaml`. Of one name they win.
    pub configured: &'a [ServerConfig],
    /// The user's configuration folder, which may have a [`USER_FILE`].
    pub folder: Option<&'a Path>,
    /// The user's home, for `~/`.
    pub home: Option<&'a Path>,
    /// The workspace, which may have a [`PROJECT_FILE`]; its links are resolved.
    pub root: &'a Path,
    /// Whether the user trusts this text at this path: what the file starts runs
    /// with all that the user may do. Asked once, of a file that is there.
    pub trusted: &'a dyn Fn(&Path, &[u8]) -> bool,
    /// How the user comes to trust it, for people: `` `greenroom guard trust` ``.
    pub how_to_trust: &'a str,
    /// What `${NAME}` stands for.
    pub variables: &'a Variables<'a>,
}

/// What was found.
#[derive(Debug, Clone, Default)]
pub struct Loaded {
    /// In order: `config.yaml`, the user's file, the workspace's. No name stands
    /// there twice.
    pub servers: Vec<ServerConfig>,
    /// What people should know, a text a matter, with the remedy: broken files
    /// and entries (whose servers are left out), a file that nobody trusts.
    pub notices: Vec<String>,
    /// The workspace's file, when it is there and not trusted.
    pub untrusted: Option<PathBuf>,
}

/// Finds the servers. Reads at most two files, and starts nothing.
pub fn load(sources: &Sources<'_>) -> Loaded {
    let mut loaded = Loaded {
        servers: sources.configured.to_vec(),
        ..Loaded::default()
    };
    if let Some(folder) = sources.folder {
        let path = folder.join(USER_FILE);
        match file::read(&path) {
            Ok(Some(text)) => match file::only_owner_writes(&path) {
                Ok(()) => loaded.take(&path, &text, sources),
                Err(fault) => loaded.notices.push(format!("{} {fault}", path.display())),
            },
            Ok(None) => (),
            Err(fault) => loaded.notices.push(format!("{} {fault}", path.display())),
        }
    }
    let path = sources.root.join(PROJECT_FILE);
    match file::read(&path) {
        Ok(Some(text)) if (sources.trusted)(&path, &text) => loaded.take(&path, &text, sources),
        Ok(Some(_)) => {
            loaded.notices.push(format!(
                "the servers of {} are not trusted, so none of them is started; read it, then \
                 trust it: {}",
                path.display(),
                sources.how_to_trust
            ));
            loaded.untrusted = Some(path);
        }
        Ok(None) => (),
        Err(fault) => loaded.notices.push(format!("{} {fault}", path.display())),
    }
    loaded
}

impl Loaded {
    fn take(&mut self, path: &Path, text: &[u8], sources: &Sources<'_>) {
        let shown = path.display().to_string();
        let Parsed { servers, unknown } = match file::parse(text) {
            Ok(parsed) => parsed,
            Err(fault) => return self.notices.push(format!("{shown} {fault}")),
        };
        for key in unknown {
            let key: String = visible(&key).chars().take(120).collect();
            self.notices
                .push(format!("{shown}: {key} means nothing here"));
        }
        for (name, entry) in servers {
            let known = self.servers.iter().find(|it| it.name == name);
            if let Some(known) = known {
                let winner = &known.origin;
                self.notices
                    .push(format!("{shown}: the server {name:?} is that of {winner}"));
                continue;
            }
            let server = entry.map_err(EntryFault::Wrong).and_then(|entry| {
                entry.resolve(&name, shown.clone(), sources.home, sources.variables)
            });
            match server {
                Ok(server) => self.servers.push(server),
                Err(fault) => {
                    let name: String = visible(&name).chars().take(64).collect();
                    self.notices
                        .push(format!("{shown}: the server {name:?} is left out: {fault}"));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests;
