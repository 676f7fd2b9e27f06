//! The servers of one session: what a session sees and holds of the hub.

use std::sync::Arc;
use std::time::Duration;

use greenroom_actors::ports::{Ran, ToolSpec, Work};
use greenroom_protocol::session::{Category, Document, Text};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::{Instant, timeout_at};

use super::call::{self, Callers};
use super::catalog::{Catalog, ServerPrompt, ServerResource};
use super::connection::Connection;
use super::names::Names;
use super::reading;
use super::result::failed;
use super::status::Status;

/// A session's hold on its servers. Dropping it lets go of them; a server that
/// nobody else holds is ended.
pub struct SessionServers {
    /// Of a disabled server only its name.
    servers: Vec<Result<Arc<Connection>, Text>>,
    changed: watch::Receiver<u64>,
    /// They tell of changes, and end with this.
    _watching: JoinSet<()>,
}

impl SessionServers {
    /// `Err` stands for a server that is disabled.
    pub(super) fn new(servers: Vec<Result<Arc<Connection>, Text>>) -> SessionServers {
        let (change, changed) = watch::channel(0);
        let change = Arc::new(change);
        let mut watching = JoinSet::new();
        for connection in servers.iter().flatten() {
            watching.spawn(tell_changes(connection.state.clone(), change.clone()));
        }
        SessionServers {
            servers,
            changed,
            _watching: watching,
        }
    }

    /// The tools of all servers that have been ready once, in a stable order:
    /// the servers' own, then the tools' names.
    pub fn specs(&self) -> Vec<ToolSpec> {
        let each = self.tools().into_iter();
        each.map(|(_, _, spec)| spec).collect()
    }

    /// The server and the tool that a name of [`SessionServers::specs`] stands
    /// for, as they call themselves.
    pub fn find(&self, name: &str) -> Option<(Text, Text)> {
        let mut all = self.tools().into_iter();
        let found = all.find(|(_, _, spec)| &*spec.name == name);
        found.map(|(server, tool, _)| (server, tool))
    }

    /// Fires whenever [`SessionServers::specs`], resources or prompts may be
    /// others than before.
    pub fn changed(&self) -> watch::Receiver<u64> {
        self.changed.clone()
    }

    /// How each server stands, in order.
    pub fn statuses(&self) -> Vec<(Text, Status)> {
        let each = self.servers.iter().map(|server| match server {
            Ok(connection) => {
                let status = connection.state.borrow().status.clone();
                (Text::from(&*connection.config.name), status)
            }
            Err(name) => (name.clone(), Status::Stopped),
        });
        each.collect()
    }

    /// What people should know: tools that were left out and why, servers that
    /// failed. A text a matter, the same one as long as it lasts.
    pub fn notices(&self) -> Vec<Text> {
        let mut notices = Vec::new();
        for connection in self.servers.iter().flatten() {
            let (name, state) = (&connection.config.name, connection.state.borrow());
            if let Status::Failed { reason, .. } = &state.status {
                notices.push(format!("MCP server {name}: {reason}").into());
            }
            for notice in &state.catalog.notices {
                let notice = connection.mask.reason(notice);
                notices.push(format!("MCP server {name}: {notice}").into());
            }
        }
        notices
    }

    /// Waits until each server has been ready or has failed once, or the time is
    /// up: for callers that want the first turn to have the tools.
    pub async fn settled(&self, limit: Duration) {
        let deadline = Instant::now() + limit;
        for connection in self.servers.iter().flatten() {
            let mut state = connection.state.clone();
            let is_settled = |it: &super::status::State| it.status != Status::Connecting;
            let _ = timeout_at(deadline, state.wait_for(is_settled)).await;
        }
    }

    /// Calls a tool of a server, both as they call themselves. Never fails but in
    /// what it gives; every call ends by its deadline. Dropping it tells the
    /// server that the call is cancelled.
    pub fn call(&self, server: &str, tool: &str, input: &Document, callers: Callers) -> Work<Ran> {
        match self.connection(server) {
            Ok(connection) => Box::pin(call::call(
                connection,
                tool.to_owned(),
                input.clone(),
                callers,
            )),
            Err(fault) => at_once(failed(fault)),
        }
    }

    /// What all servers, or one, let read, each with its server's name.
    pub fn resources(&self, server: Option<&str>) -> Vec<(Text, ServerResource)> {
        self.each(server, |catalog| catalog.resources.clone())
    }

    /// The prompts of all servers, or of one, each with its server's name.
    pub fn prompts(&self, server: Option<&str>) -> Vec<(Text, ServerPrompt)> {
        self.each(server, |catalog| catalog.prompts.clone())
    }

    /// Reads a resource of a server by its address.
    pub fn read_resource(&self, server: &str, uri: &str) -> Work<Ran> {
        match self.connection(server) {
            Ok(connection) => Box::pin(reading::resource(connection, uri.to_owned())),
            Err(fault) => at_once(failed(fault)),
        }
    }

    /// A prompt of a server, filled in, as one text.
    pub fn prompt(
        &self,
        server: &str,
        name: &str,
        arguments: Vec<(String, String)>,
    ) -> Work<Result<String, String>> {
        match self.connection(server) {
            Ok(connection) => Box::pin(reading::prompt(connection, name.to_owned(), arguments)),
            Err(fault) => Box::pin(std::future::ready(Err(fault))),
        }
    }

    fn tools(&self) -> Vec<(Text, Text, ToolSpec)> {
        let mut names = Names::default();
        let mut all = Vec::new();
        for connection in self.servers.iter().flatten() {
            let server = Text::from(&*connection.config.name);
            let catalog = connection.state.borrow().catalog.clone();
            let filter = &connection.config.tools;
            for tool in catalog
                .tools
                .iter()
                .filter(|it| filter.lets_through(&it.name))
            {
                let spec = ToolSpec {
                    name: names.give(&server, &tool.name).into(),
                    description: tool.description.clone(),
                    schema: tool.schema.clone(),
                    category: Category::Mcp,
                };
                all.push((server.clone(), tool.name.clone(), spec));
            }
        }
        all
    }

    fn each<T>(&self, server: Option<&str>, take: impl Fn(&Catalog) -> Vec<T>) -> Vec<(Text, T)> {
        let mut all = Vec::new();
        for connection in self.servers.iter().flatten() {
            let name = Text::from(&*connection.config.name);
            if server.is_none_or(|wanted| wanted == &*name) {
                let taken = take(&connection.state.borrow().catalog);
                all.extend(taken.into_iter().map(|it| (name.clone(), it)));
            }
        }
        all
    }

    fn connection(&self, server: &str) -> Result<Arc<Connection>, String> {
        let name_of = |it: &Result<Arc<Connection>, Text>| match it {
            Ok(connection) => connection.config.name.clone(),
            Err(name) => name.to_string(),
        };
        match self.servers.iter().find(|it| name_of(it) == server) {
            Some(Ok(connection)) => Ok(connection.clone()),
            Some(Err(_)) => Err(format!("the MCP server {server} is disabled")),
            None => {
                let names: Vec<String> = self.servers.iter().map(name_of).collect();
                let shown: String = server.chars().take(64).collect();
                Err(match names.is_empty() {
                    true => format!("there is no MCP server {shown:?}, and no other"),
                    false => format!(
                        "there is no MCP server {shown:?}; there are {}",
                        names.join(", ")
                    ),
                })
            }
        }
    }
}

fn at_once(ran: Ran) -> Work<Ran> {
    Box::pin(std::future::ready(ran))
}

/// Tells of each other catalog or status of a server. It holds no lease.
async fn tell_changes(
    mut state: watch::Receiver<super::status::State>,
    change: Arc<watch::Sender<u64>>,
) {
    let seen = |state: &super::status::State| (state.catalog.clone(), state.status.clone());
    let mut last = seen(&state.borrow_and_update());
    while state.changed().await.is_ok() {
        let now = seen(&state.borrow_and_update());
        if now != last {
            last = now;
            change.send_modify(|count| *count += 1);
        }
    }
}
