//! Running tools: one worker a call in flight, each by itself, so that a tool
//! that hangs or fails harms its own call only.

mod actor;

pub use actor::{ToolsActor, ToolsMsg};
