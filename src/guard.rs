//! What may run without asking: the policy of the modes, and a floor that no
//! mode goes below.
//!
//! A judgement is made from the planned call alone: no file is looked at, no
//! input can make it panic. Rule files are not read yet; they will come before
//! the modes, and after the floor's denials.

mod floor;

use std::fmt::Write as _;
use std::path::PathBuf;

use greenroom_actors::ports::{Act, Guard, Judgement};
use greenroom_protocol::session::{Category, Mode, Scope, Text};

pub use floor::is_credential;
use floor::{Floor, Ground};

/// Judges by mode:
///
/// | mode | runs | asks | denied |
/// |---|---|---|---|
/// | `ask` | reads in the workspace, session tools | all else | |
/// | `auto` | the same, and edits in the workspace | all else | |
/// | `plan` | as `ask` | shell, sub-agents | edits, web, MCP |
/// | `full` | everything | | |
///
/// Whatever touches a path outside the workspace asks, but in `full`. The
/// [`floor`] holds in every mode: writes into `.git`, credential files and
/// Greenroom's own files ask, and writes to the last are denied.
pub struct ModeGuard {
    floor: Floor,
}

impl ModeGuard {
    /// A guard that protects these files and folders of Greenroom itself (its
    /// config and state): absolute, with links resolved, as touches are.
    pub fn new(own: Vec<PathBuf>) -> ModeGuard {
        ModeGuard {
            floor: Floor { own },
        }
    }
}

impl Guard for ModeGuard {
    fn judge(&self, act: &Act<'_>) -> Judgement {
        let ground = self.floor.ground(act);
        if let Some(ground @ Ground::OwnWrite(_)) = &ground {
            return deny(ground.reason());
        }
        let category = act.call.category;
        if act.mode == Mode::Plan && is_closed_in_plan(category) {
            return deny(format!(
                "mode plan is read-only: {} not allowed until the user switches the mode to ask, \
                 auto or full",
                name(category)
            ));
        }
        if let Some(ground) = ground {
            return ask(ground.reason(), false);
        }
        if act.mode == Mode::Full {
            return Judgement::Allow;
        }
        if let Some(touch) = act.call.touches.iter().find(|touch| !touch.inside) {
            let path = touch.path.display();
            return ask(format!("{path} lies outside the workspace"), false);
        }
        if runs_unasked(act) {
            return Judgement::Allow;
        }
        let mode = act.mode.name();
        let reason = format!("in mode {mode} {} not run without asking", name(category));
        ask(reason, self.likeness(act).is_some())
    }

    fn likeness(&self, act: &Act<'_>) -> Option<Text> {
        let call = act.call;
        // A grant for the workspace must not cover what is asked about for
        // another reason.
        if self.floor.ground(act).is_some() || call.touches.iter().any(|touch| !touch.inside) {
            return None;
        }
        match call.category {
            Category::Edit if !call.touches.is_empty() => {
                Some(Text::from(format!("edit:{}", act.root.display())))
            }
            Category::Shell => {
                let command = call.command.as_ref()?;
                // A path may hold any mark but NUL.
                let mut key = String::from("shell");
                for touch in &call.touches {
                    let _ = write!(key, "\0{}", touch.path.display());
                }
                let _ = write!(key, "\0{command}");
                Some(Text::from(key))
            }
            _ => None,
        }
    }
}

fn is_closed_in_plan(category: Category) -> bool {
    matches!(category, Category::Edit | Category::Web | Category::Mcp)
}

/// Whether the mode lets a call of the workspace run. Only what a call says that
/// it touches is proof: one that says nothing asks.
fn runs_unasked(act: &Act<'_>) -> bool {
    let touches = &act.call.touches;
    match act.call.category {
        Category::Session => true,
        Category::Read => !touches.is_empty() && !touches.iter().any(|touch| touch.write),
        Category::Edit => act.mode == Mode::Auto && !touches.is_empty(),
        Category::Shell | Category::Web | Category::Mcp | Category::Agent => false,
    }
}

fn name(category: Category) -> &'static str {
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

fn ask(reason: String, grantable: bool) -> Judgement {
    let mut scopes = vec![Scope::Once];
    if grantable {
        scopes.push(Scope::Session);
    }
    Judgement::Ask {
        reason: Text::from(reason),
        scopes,
    }
}

fn deny(reason: String) -> Judgement {
    Judgement::Deny {
        reason: Text::from(reason),
    }
}

#[cfg(test)]
mod tests;
