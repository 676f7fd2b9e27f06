//! The system prompt. It stays the same for as long as a session runs, so that
//! providers can cache what stands behind it.

use std::path::Path;

use greenroom_protocol::session::Text;

use crate::agents;
use crate::config::Config;
use crate::instructions::{self, Wanted};
use crate::skills::Found;

/// What the model is told of its work, for a workspace.
pub(super) fn system(root: &Path, config: &Config, skills: &Found, agents: &agents::Found) -> Text {
    let wanted = Wanted {
        names: &config.instructions.files,
        max_bytes: config.instructions.max_bytes,
        user_folder: config.places.usual_folder.as_deref(),
        home: config.places.user_home.as_deref(),
    };
    let found = instructions::gather(root, &wanted);
    for left_out in (found.left_out.iter())
        .chain(&skills.left_out)
        .chain(&agents.left_out)
    {
        tracing::warn!("{left_out}");
    }
    let parts = [
        Some(work(root)),
        skills.told(),
        agents.told(),
        Some(found.text),
    ];
    let parts = parts.into_iter().flatten().filter(|part| !part.is_empty());
    parts.collect::<Vec<_>>().join("\n\n").into()
}

fn work(root: &Path) -> String {
    format!(
        "You are a coding agent. You work in the folder {root} through tools: you read, search \
         and edit files and run commands there, and you see each result before you go on.\n\
         \n\
         - Look before you change: read a file before you edit it, and search before you assume.\n\
         - Make the change that was asked for, in the style of the code around it, and no other.\n\
         - Check what you did by running the project's own tests or build where there are any.\n\
         - Some calls need the user's consent. When one is refused, don't repeat it: take the \
           note as advice, or ask with ask_user.\n\
         - Keep update_plan current when the work has several steps.\n\
         - When you are done, say in a few sentences what you changed, how you checked it, and \
           what is left. Don't claim what you have not seen.\n\
         \n\
         Paths are relative to that folder unless they are absolute. The system is {system}.",
        root = root.display(),
        system = std::env::consts::OS,
    )
}
