//! All connections of the process. Sessions that name the same server for the
//! same workspace share one.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use greenroom_actors::ports::Clock;

use super::connection::Connection;
use super::mask::Mask;
use super::programs::ProgramHost;
use super::session::SessionServers;
use super::settings::ServerConfig;
use crate::redact::Redactor;
use crate::tool::{Environment, harmless_environment};

/// What a hub is made with.
pub struct HubSettings {
    /// The environment of the process, as read at start. Servers get only the
    /// harmless part of it, and what their own configuration gives them.
    pub environment: Environment,
    /// Names of more variables that all servers get, unless they look like a
    /// secret's.
    pub pass_variables: Vec<String>,
    /// Greenroom's own program: with it, no server outlives a `kill -9` of this
    /// process. `/proc/self/exe` is it, also when its file was replaced.
    pub keeper: Option<PathBuf>,
    /// Tells since when a server is down.
    pub clock: Arc<dyn Clock>,
    /// Takes secrets that the process knows out of what servers say. A server's
    /// own secrets are taken out in any case.
    pub redactor: Option<Arc<Redactor>>,
}

/// All connections. Cheap to clone. Dropping it ends none: sessions do.
#[derive(Clone)]
pub struct Hub {
    shared: Arc<Shared>,
}

struct Shared {
    programs: Arc<ProgramHost>,
    clock: Arc<dyn Clock>,
    redactor: Option<Arc<Redactor>>,
    connections: Mutex<Vec<Weak<Connection>>>,
}

impl Hub {
    /// A hub without connections.
    pub fn new(settings: HubSettings) -> Hub {
        let environment = harmless_environment(settings.environment.0, &settings.pass_variables);
        Hub {
            shared: Arc::new(Shared {
                programs: Arc::new(ProgramHost {
                    environment,
                    keeper: settings.keeper,
                }),
                clock: settings.clock,
                redactor: settings.redactor,
                connections: Mutex::default(),
            }),
        }
    }

    /// The servers of a session whose workspace is `root` (absolute, links
    /// resolved). Returns at once: those that nobody has opened yet are started
    /// in the background, those that are disabled are not. Needs a tokio runtime.
    pub fn open(&self, servers: &[ServerConfig], root: &Path) -> SessionServers {
        let leases = servers.iter().map(|config| match config.disabled {
            true => Err(config.name.as_str().into()),
            false => Ok(self.lease(config, root)),
        });
        SessionServers::new(leases.collect())
    }

    /// How many connections there are.
    pub fn connections(&self) -> usize {
        let connections = self.shared.connections.lock();
        let connections = connections.unwrap_or_else(PoisonError::into_inner);
        (connections.iter())
            .filter(|connection| connection.strong_count() > 0)
            .count()
    }

    fn lease(&self, config: &ServerConfig, root: &Path) -> Arc<Connection> {
        let connections = self.shared.connections.lock();
        let mut connections = connections.unwrap_or_else(PoisonError::into_inner);
        connections.retain(|connection| connection.strong_count() > 0);
        let mut living = connections.iter().filter_map(Weak::upgrade);
        if let Some(found) = living.find(|it| it.config == *config && *it.root == *root) {
            return found;
        }
        let connection = Arc::new(Connection::open(
            config.clone(),
            root.into(),
            self.shared.programs.clone(),
            Mask::new(config.redactor(), self.shared.redactor.clone()),
            self.shared.clock.clone(),
        ));
        connections.push(Arc::downgrade(&connection));
        connection
    }
}

impl fmt::Debug for Hub {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Hub({} connections)", self.connections())
    }
}
