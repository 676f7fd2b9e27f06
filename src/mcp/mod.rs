//! MCP servers: programs and addresses that bring tools, resources and prompts.
//!
//! - [`load`], `file`, `entry`, `expand`: from files to a [`ServerConfig`].
//! - [`Hub`], `connection`, `start`: one connection a server, shared by sessions,
//!   started in the background, started anew when it fails, ended with its last
//!   holder.
//! - [`SessionServers`]: what one session sees and calls.
//! - [`ResourceCall`]: two tools for what servers let read.
//! - `guarded`, `metered`, `schema`, `catalog`, `result`: a server is believed
//!   nothing, and every amount that it sends has a bound.
//! - `handler`, `asking`, `elicit`: what it may ask of us.
//! - [`check`]: whether it could be started, for the doctor.
//!
//! Must not know: wires, sessions' machines, who approves calls.
//!
//! ```
//! # async fn example(clock: std::sync::Arc<dyn greenroom_actors::ports::Clock>) {
//! use greenroom::mcp::{Callers, Hub, HubSettings, Sources, load};
//! use greenroom_protocol::session::Document;
//! use std::path::Path;
//!
//! // Once a process.
//! let hub = Hub::new(HubSettings {
//!     environment: greenroom::tool::Environment(Vec::new()),
//!     pass_variables: Vec::new(),
//!     keeper: Some("/usr/bin/greenroom".into()),
//!     clock,
//!     redactor: None,
//! });
//! // Once a session: which servers, and a hold on them.
//! let root = Path::new("/work/project");
//! let loaded = load(&Sources {
//!     configured: &[],
//!     folder: Some(Path::new("/home/me/.config/greenroom")),
//!     home: Some(Path::new("/home/me")),
//!     root,
//!     trusted: &|_path, _text| false,
//!     how_to_trust: "`greenroom guard trust`",
//!     variables: &|_name| None,
//! });
//! let servers = hub.open(&loaded.servers, root);
//! // Before a turn: the tools, and whether there are others by now.
//! let mut changed = servers.changed();
//! let specs = servers.specs();
//! // A call of one of them. The guard's target is `server/tool`.
//! if let Some((server, tool)) = servers.find("mcp__github__get_issue") {
//!     let input = Document("{}".into());
//!     let ran = servers.call(&server, &tool, &input, Callers::default()).await;
//!     assert!(ran.failed || changed.has_changed().unwrap_or(true));
//! }
//! # let _ = specs;
//! # }
//! ```

mod asking;
mod call;
mod catalog;
mod checkup;
mod connection;
mod elicit;
mod entry;
mod expand;
mod file;
mod guarded;
mod handler;
mod hub;
mod listening;
mod lists;
mod load;
mod mask;
mod metered;
mod names;
mod open_calls;
mod programs;
mod reading;
mod remote;
mod resource_tools;
mod result;
mod schema;
mod session;
mod settings;
mod sse;
mod start;
mod status;
mod tools;
mod visible;
mod words;

pub use call::Callers;
pub use catalog::{PromptArgument, ServerPrompt, ServerResource};
pub use checkup::{Checked, check};
pub use elicit::Ask;
pub use entry::{EntryFault, ServerEntry};
pub use file::read as read_file;
pub use hub::{Hub, HubSettings};
pub use load::{Loaded, PROJECT_FILE, Sources, USER_FILE, Variables, load};
pub use resource_tools::{LIST_RESOURCES, READ_RESOURCE, ResourceCall};
pub use session::SessionServers;
pub use settings::{
    Launch, OUTPUT_BYTES, Program, Remote, START_TIMEOUT, ServerConfig, TIMEOUT, ToolFilter,
    Transport,
};
pub use status::Status;
pub use tools::{FindServers, McpTools};
pub use visible::visible;
