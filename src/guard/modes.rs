//! What the modes say where no rule speaks.

use greenroom_protocol::session::{Category, Mode};

/// What a mode says to a kind of act inside the workspace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Standing {
    Runs,
    Asks,
    Denied,
}

/// The table:
///
/// | mode | runs | asks | denied |
/// |---|---|---|---|
/// | `ask` | reads in the workspace, session tools | all else | |
/// | `auto` | the same, and edits in the workspace | all else | |
/// | `plan` | as `ask` | shell, sub-agents | edits, web, MCP |
/// | `full` | everything | | |
pub(super) fn standing(mode: Mode, category: Category, inside: bool) -> Standing {
    match (mode, category) {
        (_, Category::Session) | (Mode::Full, _) => Standing::Runs,
        (Mode::Plan, Category::Edit | Category::Web | Category::Mcp) => Standing::Denied,
        (_, Category::Read) if inside => Standing::Runs,
        (Mode::Auto, Category::Edit) if inside => Standing::Runs,
        _ => Standing::Asks,
    }
}

/// Why a mode denies, for the model.
pub(super) fn denial(mode: Mode, category: Category) -> String {
    format!(
        "mode {} is read-only: {} not allowed until the user switches the mode to ask, auto or full",
        mode.name(),
        acts(category)
    )
}

/// Why a mode asks.
pub(super) fn question(mode: Mode, category: Category) -> String {
    let mode = mode.name();
    format!("in mode {mode} {} not run without asking", acts(category))
}

fn acts(category: Category) -> &'static str {
    match category {
        Category::Read => "reads are",
        Category::Edit => "edits are",
        Category::Shell => "shell commands are",
        Category::Web => "requests to the network are",
        Category::Mcp => "tools of MCP servers are",
        Category::Agent => "sub-agents are",
        Category::Session => "tools of the session are",
    }
}
