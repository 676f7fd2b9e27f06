//! Which session is meant, and what it starts from.

use std::path::{Path, PathBuf};

use anyhow::anyhow;
use greenroom_actors::ports::Store;
use greenroom_actors::session::{Seed, load};
use greenroom_protocol::session::{Event, Happening, Interruption, SessionId, Text};

use super::parts::Parts;
use super::rpc::cannot_start;
use crate::cli::{RpcOptions, SessionChoice, Usage};

/// The session that the command line means.
pub(super) struct Found {
    /// Its name.
    pub id: SessionId,
    /// What it starts from.
    pub seed: Seed,
    /// Its workspace.
    pub root: PathBuf,
}

/// Finds it; `passing` is the name of one that is not to be saved. A session that is not there is a wrong flag: exit code 2.
pub(super) async fn find(
    options: &RpcOptions,
    passing: Option<SessionId>,
    parts: &Parts,
    store: &dyn Store,
) -> Result<Found, Usage> {
    let id = match &options.session {
        SessionChoice::New | SessionChoice::Ephemeral => {
            return Ok(Found {
                id: passing.unwrap_or_else(|| parts.ports.ids.session()),
                seed: Seed::New,
                root: options.cwd.clone(),
            });
        }
        SessionChoice::Resume(id) => id.clone(),
        SessionChoice::Continue => latest(&options.cwd, store).await?,
    };
    let loaded = load(store, &id).await;
    let Some(loaded) = loaded.map_err(|error| cannot_start(error, 1))? else {
        let reason = anyhow!("--session: there is no session {id}; start one without the flag");
        return Err(cannot_start(reason, 2));
    };
    let root = workspace(options, &id, &loaded.events)?;
    Ok(Found {
        id,
        seed: Seed::Journal(loaded, Interruption::Crash),
        root,
    })
}

async fn latest(cwd: &Path, store: &dyn Store) -> Result<SessionId, Usage> {
    let root = Text::from(cwd.to_string_lossy());
    let sessions = store.list(Some(root)).await;
    let sessions = sessions.map_err(|error| cannot_start(error, 1))?;
    // Those of sub-agents were parts of another.
    let mut own = sessions
        .into_iter()
        .filter(|session| session.parent.is_none());
    let latest = own.next().map(|session| session.id);
    latest.ok_or_else(|| {
        let reason = anyhow!(
            "--continue: no session was saved in {}; start one without the flag",
            cwd.display()
        );
        cannot_start(reason, 2)
    })
}

/// A session stays in its workspace: its conversation speaks of these files.
fn workspace(options: &RpcOptions, id: &SessionId, journal: &[Event]) -> Result<PathBuf, Usage> {
    let opened = journal.iter().find_map(|event| match &event.happening {
        Happening::Opened { root, .. } => Some(PathBuf::from(&**root)),
        _ => None,
    });
    let root = opened.unwrap_or_else(|| options.cwd.clone());
    if root == options.cwd {
        return Ok(root);
    }
    if options.cwd_named {
        let reason = anyhow!(
            "--cwd: session {id} works in {}; leave the flag out, or start another session",
            root.display()
        );
        return Err(cannot_start(reason, 2));
    }
    if !root.is_dir() {
        let reason = anyhow!(
            "--session: the workspace of session {id}, {}, is gone; start another session",
            root.display()
        );
        return Err(cannot_start(reason, 2));
    }
    Ok(root)
}
