//! Whether a server can be started or reached, without starting it.

use std::ffi::OsStr;
use std::path::Path;
use std::time::Duration;

use reqwest::Url;
use tokio::net::TcpStream;
use tokio::time::timeout;

use super::programs;
use super::settings::{Launch, Program, Remote, ServerConfig};

/// How long a connection to a remote server may take.
const PATIENCE: Duration = Duration::from_secs(5);

/// What was found about one server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checked {
    /// Its name, and where it comes from.
    pub server: String,
    /// What is well, or what is wrong and the next step.
    pub found: Result<String, (String, String)>,
}

/// Looks at servers, side by side. `path` is the `PATH` to find programs in;
/// `root` the workspace. Takes at most 5 s.
pub async fn check(servers: &[ServerConfig], root: &Path, path: Option<&OsStr>) -> Vec<Checked> {
    let looking: Vec<_> = (servers.iter())
        .map(|server| {
            let (server, root) = (server.clone(), root.to_owned());
            let path = path.map(OsStr::to_owned);
            tokio::spawn(async move { look(&server, &root, path.as_deref()).await })
        })
        .collect();
    let mut all = Vec::new();
    for (server, look) in servers.iter().zip(looking) {
        let broke = |_| Err(("looking at it failed".to_owned(), "see the log".to_owned()));
        all.push(Checked {
            server: format!("{} ({})", server.name, server.origin),
            found: look.await.unwrap_or_else(broke),
        });
    }
    all
}

async fn look(
    server: &ServerConfig,
    root: &Path,
    path: Option<&OsStr>,
) -> Result<String, (String, String)> {
    if server.disabled {
        return Ok("is disabled".into());
    }
    match &server.launch {
        Launch::Program(program) => look_for(program, root, path),
        Launch::Remote(remote) => reach(remote).await,
    }
}

fn look_for(
    program: &Program,
    root: &Path,
    path: Option<&OsStr>,
) -> Result<String, (String, String)> {
    let folder = match &program.folder {
        Some(folder) => root.join(folder),
        None => root.to_owned(),
    };
    if !folder.is_dir() {
        let what = format!("its cwd {} is no folder", folder.display());
        return Err((what, "make it, or name another".into()));
    }
    let own = program.environment.iter().find(|(name, _)| name == "PATH");
    let path = own.map(|(_, value)| OsStr::new(value.reveal())).or(path);
    match programs::find(&program.command, &folder, path) {
        Ok(found) => Ok(format!("starts {}", found.display())),
        Err(fault) => {
            let (what, next) = fault
                .split_once("; ")
                .unwrap_or((&fault, "correct `command`"));
            Err((what.to_owned(), next.to_owned()))
        }
    }
}

async fn reach(remote: &Remote) -> Result<String, (String, String)> {
    let shown = remote.shown();
    let next = || format!("see that {shown} is right and runs");
    let url =
        Url::parse(remote.url.reveal()).map_err(|_| ("its url is none".to_owned(), next()))?;
    let (Some(host), Some(port)) = (url.host_str(), url.port_or_known_default()) else {
        return Err(("its url names no host".to_owned(), next()));
    };
    let host = host.trim_matches(['[', ']']);
    match timeout(PATIENCE, TcpStream::connect((host, port))).await {
        Ok(Ok(_)) => Ok(format!("{shown} takes connections")),
        Ok(Err(error)) => Err((format!("{shown} takes no connection: {error}"), next())),
        Err(_) => {
            let seconds = PATIENCE.as_secs();
            Err((
                format!("no connection to {shown} within {seconds} s"),
                next(),
            ))
        }
    }
}
