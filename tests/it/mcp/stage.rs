//! A workspace with the server of `tests/servers`, and a hub to open it with.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use greenroom::mcp::{
    Callers, Hub, HubSettings, Launch, Program, ServerConfig, SessionServers, Status, ToolFilter,
};
use greenroom::secret::Secret;
use greenroom::tool::Environment;
use greenroom_actors::ports::{Clock, Ran};
use greenroom_protocol::session::{Document, Millis};

use crate::started::GREENROOM;
use crate::support::{processes, repository};

/// How long anything may take on a machine under load.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// A time of day that stands still.
pub struct Noon;

impl Clock for Noon {
    fn now(&self) -> Millis {
        Millis(1_000)
    }
}

pub struct Stage {
    folder: tempfile::TempDir,
    /// A word that stands in the command lines of this stage's processes and in
    /// no others.
    pub word: String,
}

impl Stage {
    pub fn new() -> Stage {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        Stage {
            folder: tempfile::tempdir().unwrap(),
            word: format!("mcp-stage-{}-{number}-end", std::process::id()),
        }
    }

    pub fn root(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap()
    }

    /// The hostile server with these flags.
    pub fn server(&self, flags: &[&str]) -> ServerConfig {
        let script = repository().join("tests/servers/mcp_server.py");
        let own = [script.to_str().unwrap(), "--word", &self.word];
        let all = own.iter().chain(flags).map(|it| Secret::new((*it).into()));
        ServerConfig {
            name: "s".into(),
            launch: Launch::Program(Program {
                command: "python3".into(),
                arguments: all.collect(),
                environment: Vec::new(),
                folder: None,
            }),
            tools: ToolFilter::default(),
            timeout: PATIENCE,
            start_timeout: PATIENCE,
            output_bytes: 64 << 10,
            disabled: false,
            origin: "a test".into(),
            secrets: Vec::new(),
        }
    }

    /// The servers of a session that has only this one, ready.
    pub async fn ready(&self, hub: &Hub, server: &ServerConfig) -> SessionServers {
        let servers = hub.open(std::slice::from_ref(server), &self.root());
        servers.settled(PATIENCE).await;
        let (_, status) = &servers.statuses()[0];
        assert_eq!(*status, Status::Ready, "{:?}", servers.notices());
        servers
    }

    /// Waits until none of this stage's processes is there.
    pub async fn nobody_is_left(&self) {
        let word = self.word.clone();
        let waiting = move || {
            processes::wait_until("all servers are gone", || {
                processes::with_word(&word).is_empty()
            })
        };
        tokio::task::spawn_blocking(waiting).await.unwrap();
    }

    /// How many of this stage's processes run the server itself, keepers aside.
    pub fn servers_running(&self) -> usize {
        let all = processes::with_word(&self.word).into_iter();
        let is_keeper = |pid: &u32| {
            let line = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
            line.starts_with(GREENROOM.as_bytes())
        };
        all.filter(|pid| !is_keeper(pid)).count()
    }
}

/// A hub whose servers see this process's `PATH`, its home, and a variable that
/// none of them may see.
pub fn hub() -> Hub {
    let mut environment: Vec<_> = std::env::vars_os()
        .filter(|(name, _)| name == "PATH" || name == "HOME")
        .collect();
    environment.push(("OPENAI_API_KEY".into(), "sk-nobody-may-see".into()));
    Hub::new(HubSettings {
        environment: Environment(environment),
        pass_variables: vec!["OPENAI_API_KEY".into()],
        keeper: Some(GREENROOM.into()),
        clock: Arc::new(Noon),
        redactor: None,
    })
}

/// Calls a tool of the server `s`.
pub async fn call(servers: &SessionServers, tool: &str, input: &str) -> Ran {
    call_with(servers, tool, input, Callers::default()).await
}

pub async fn call_with(servers: &SessionServers, tool: &str, input: &str, callers: Callers) -> Ran {
    let call = servers.call("s", tool, &Document(input.into()), callers);
    tokio::time::timeout(PATIENCE * 2, call).await.unwrap()
}

/// What it says, and whether it failed.
pub async fn said(servers: &SessionServers, tool: &str, input: &str) -> (String, bool) {
    let ran = call(servers, tool, input).await;
    (ran.text, ran.failed)
}
