//! The tools that a model may call: files, search, the shell, the user, the plan.
//!
//! One file (or folder) a tool holds its spec, its plan and its run; [`ALL`] is
//! the list. Planning reads and judges nothing; running does exactly what was
//! planned. Paths go through [`paths`] and [`disk`] alone, so that no link and
//! no swap leads a write elsewhere.
//!
//! Must not know: wires, sessions' machines, who approves (that is the guard's
//! and the tree's matter).

mod ask_user;
mod call;
mod changes;
mod disk;
mod edit_file;
mod find_files;
mod input;
mod jobs;
mod list_files;
mod outputs;
mod paths;
mod read_file;
mod sandbox;
mod search;
mod seen;
mod settings;
mod shell;
mod skill;
mod task;
mod text;
mod toolbox;
mod update_plan;
mod walk;
mod web_fetch;
mod write_file;

#[cfg(test)]
mod testing;

pub use outputs::Outputs;
pub use paths::resolved;
pub use sandbox::{Network, SandboxMode, SandboxSettings, SandboxState, Support};
pub use settings::{Environment, ToolSettings};
pub use shell::{
    KEEPER_WORD, ServerCommand, ServerProcess, become_subreaper, harmless_environment, keep_server,
    steers_start, wait_for_stops,
};
pub use skill::SKILL_TOOL;
pub use toolbox::Toolbox;
pub use web_fetch::{WEB_FETCH_TOOL, WebSettings};

use call::Tool;

/// Every tool, in the order in which models see them.
const ALL: &[&dyn Tool] = &[
    &read_file::ReadFile,
    &list_files::ListFiles,
    &find_files::FindFiles,
    &search::Search,
    &edit_file::EditFile,
    &write_file::WriteFile,
    &shell::Shell,
    &jobs::JobOutput,
    &jobs::JobInput,
    &jobs::JobKill,
    &ask_user::AskUser,
    &update_plan::UpdatePlan,
    &skill::LoadSkill,
    &task::Task,
    &web_fetch::WebFetch,
];
