//! The tools of servers beside all others: the `Tools` port of a session that has
//! servers.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use greenroom_actors::ports::{
    Action, ExtraTools, OutputSink, PlannedCall, Ran, ToolContext, ToolFault, ToolSpec, Tools, Work,
};
use greenroom_protocol::session::{Amendment, CallId, Category, Document, SessionId, Text};
use tokio::sync::watch;

use super::call::Callers;
use super::hub::Hub;
use super::load::Loaded;
use super::resource_tools::ResourceCall;
use super::result::failed;
use super::session::SessionServers;

/// What every tool of a server, and of all servers, begins with.
const BEGINS: &str = "mcp_";
/// How long a call waits for the servers that are being started.
const ON_ITS_WAY: Duration = Duration::from_secs(60);
/// As much of an input stands in a call's summary, in characters.
const SHOWN: usize = 80;

/// Finds the servers of a workspace.
pub type FindServers = Box<dyn Fn(&Path) -> Loaded + Send + Sync>;

/// All tools: those of this process, and those of servers.
pub struct McpTools {
    own: Arc<dyn Tools>,
    hub: Hub,
    find: FindServers,
    open: Mutex<HashMap<SessionId, Weak<SessionServers>>>,
}

impl McpTools {
    /// Servers beside these tools. `find` is asked once a session.
    pub fn new(own: Arc<dyn Tools>, hub: Hub, find: FindServers) -> McpTools {
        McpTools {
            own,
            hub,
            find,
            open: Mutex::default(),
        }
    }

    fn servers(&self, session: &SessionId) -> Option<Arc<SessionServers>> {
        self.lock().get(session)?.upgrade()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<SessionId, Weak<SessionServers>>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Tools for McpTools {
    fn specs(&self) -> Arc<[ToolSpec]> {
        self.own.specs()
    }

    fn extras(&self, session: &SessionId, root: &Path) -> Option<Arc<dyn ExtraTools>> {
        let loaded = (self.find)(root);
        if loaded.servers.is_empty() && loaded.notices.is_empty() {
            return None;
        }
        let servers = Arc::new(self.hub.open(&loaded.servers, root));
        let mut open = self.lock();
        open.retain(|_, servers| servers.strong_count() > 0);
        open.insert(session.clone(), Arc::downgrade(&servers));
        let notices = loaded.notices.into_iter().map(Text::from).collect();
        Some(Arc::new(Held { servers, notices }))
    }

    fn plan(
        &self,
        tool: &str,
        input: &Document,
        context: &ToolContext,
    ) -> Work<Result<PlannedCall, ToolFault>> {
        let servers = match tool.starts_with(BEGINS) {
            true => self.servers(&context.session),
            false => None,
        };
        let Some(servers) = servers else {
            return self.own.plan(tool, input, context);
        };
        let (own, tool) = (self.own.clone(), tool.to_owned());
        let (input, context) = (input.clone(), context.clone());
        Box::pin(async move {
            if let Some(planned) = plan(&servers, &tool, &input) {
                return planned;
            }
            // It may be one of a server that is on its way.
            servers.settled(ON_ITS_WAY).await;
            match plan(&servers, &tool, &input) {
                Some(planned) => planned,
                None => own.plan(&tool, &input, &context).await,
            }
        })
    }

    fn run(
        &self,
        call: CallId,
        planned: PlannedCall,
        amendment: Option<Amendment>,
        context: ToolContext,
        output: OutputSink,
    ) -> Work<Ran> {
        if planned.category != Category::Mcp {
            return self.own.run(call, planned, amendment, context, output);
        }
        let servers = self.servers(&context.session);
        match servers.and_then(|servers| run(&servers, &planned, output)) {
            Some(work) => work,
            None => {
                let gone = format!("{} is not there any more", planned.tool);
                Box::pin(std::future::ready(failed(gone)))
            }
        }
    }
}

fn plan(
    servers: &SessionServers,
    tool: &str,
    input: &Document,
) -> Option<Result<PlannedCall, ToolFault>> {
    let (target, summary) = match ResourceCall::plan(tool, input) {
        Some(Ok(call)) => (call.target(), call.target()),
        Some(Err(fault)) => return Some(Err(fault)),
        None => {
            let (server, name) = servers.find(tool)?;
            let target = format!("{server}/{name}");
            let summary = format!("{target} {}", shown(input));
            (target, summary)
        }
    };
    Some(Ok(PlannedCall {
        tool: tool.into(),
        category: Category::Mcp,
        summary: summary.into(),
        command: None,
        target: Some(target.into()),
        touches: Vec::new(),
        edits: Vec::new(),
        action: Action::Run(input.clone()),
    }))
}

fn run(
    servers: &Arc<SessionServers>,
    planned: &PlannedCall,
    output: OutputSink,
) -> Option<Work<Ran>> {
    let Action::Run(input) = &planned.action else {
        return None;
    };
    if let Some(call) = ResourceCall::plan(&planned.tool, input) {
        return Some(servers.run_resource(call.ok()?));
    }
    let (server, tool) = servers.find(&planned.tool)?;
    // What was judged is what runs, should the name mean another by now.
    if planned.target.as_deref() != Some(&format!("{server}/{tool}")) {
        return None;
    }
    let callers = Callers {
        output: Some(output),
        ask: None,
    };
    Some(servers.call(&server, &tool, input, callers))
}

/// An input in one short line.
fn shown(input: &Document) -> String {
    let words: Vec<&str> = input.0.split_whitespace().collect();
    let line = words.join(" ");
    match line.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

/// What a session holds.
struct Held {
    servers: Arc<SessionServers>,
    notices: Vec<Text>,
}

impl ExtraTools for Held {
    fn specs(&self) -> Vec<ToolSpec> {
        let mut specs = self.servers.specs();
        specs.extend(self.servers.resource_specs());
        specs
    }

    fn notices(&self) -> Vec<Text> {
        let own = self.notices.iter().cloned();
        own.chain(self.servers.notices()).collect()
    }

    fn changed(&self) -> watch::Receiver<u64> {
        self.servers.changed()
    }
}
