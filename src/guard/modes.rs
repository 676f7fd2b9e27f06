//! What the modes say where no rule speaks.

use greenroom_protocol::session::{Category, Mode};

/// The built-in modes; every other one is based on one of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Base {
    /// Reads run; all else asks.
    Ask,
    /// As `Ask`, but edits inside the workspace run.
    Auto,
    /// Read-only.
    Plan,
    /// Everything runs.
    Full,
}

impl Base {
    /// Of a built-in mode. Of another, whose base must be looked up first, the
    /// most careful that works.
    pub fn of(mode: &Mode) -> Base {
        match mode {
            Mode::Ask | Mode::Custom(_) => Base::Ask,
            Mode::Auto => Base::Auto,
            Mode::Plan => Base::Plan,
            Mode::Full => Base::Full,
        }
    }

    /// The name that configuration and wires use.
    pub fn name(self) -> &'static str {
        match self {
            Base::Ask => "ask",
            Base::Auto => "auto",
            Base::Plan => "plan",
            Base::Full => "full",
        }
    }
}

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
pub(super) fn standing(mode: Base, category: Category, inside: bool) -> Standing {
    match (mode, category) {
        (_, Category::Session) | (Base::Full, _) => Standing::Runs,
        (Base::Plan, Category::Edit | Category::Web | Category::Mcp) => Standing::Denied,
        (_, Category::Read) if inside => Standing::Runs,
        (Base::Auto, Category::Edit) if inside => Standing::Runs,
        _ => Standing::Asks,
    }
}

/// Why a mode denies, for the model.
pub(super) fn denial(mode: Base, category: Category) -> String {
    format!(
        "mode {} is read-only: {} not allowed until the user switches the mode to ask, auto or full",
        mode.name(),
        acts(category)
    )
}

/// Why a mode asks.
pub(super) fn question(mode: Base, category: Category) -> String {
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
