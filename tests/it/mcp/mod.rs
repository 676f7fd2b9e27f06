//! MCP servers: real processes that behave well and badly. `python3` must be
//! installed, and `node` for the servers of others.

mod asking;
mod calls;
mod lives;
mod modern;
mod node;
mod remote;
mod sessions;
mod stage;
mod starts;
mod trusting;
