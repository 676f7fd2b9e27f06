//! The MCP servers of a workspace: what the configuration, the user's file and a
//! trusted file of the workspace name.

use std::path::Path;

use crate::config::{Config, Environment};
use crate::guard::{Digest, TrustList};
use crate::mcp::{Loaded, PROJECT_FILE, Sources, load};

/// The name of the list of trusted files, which is the guard's, too.
const TRUSTED: &str = "guard.trusted";

/// Finds them; starts nothing. A list of trusted files that is broken trusts
/// none.
pub(super) fn find(config: &Config, root: &Path, env: &Environment) -> Loaded {
    let folder = config.places.usual_folder.as_deref();
    let list = folder.map(|folder| folder.join(TRUSTED));
    let mut notices = Vec::new();
    let trust = match list.as_deref().map(TrustList::load) {
        Some(Ok(trust)) => trust,
        Some(Err(error)) => {
            notices.push(error.to_string());
            TrustList::default()
        }
        None => TrustList::default(),
    };
    let file = root.join(PROJECT_FILE);
    let how_to_trust = format!("`greenroom guard trust {}`", file.display());
    let mut loaded = load(&Sources {
        configured: &config.mcp,
        folder,
        home: config.places.user_home.as_deref(),
        root,
        trusted: &|path, text| trust.trusts(path, &Digest::of(text)),
        how_to_trust: &how_to_trust,
        variables: &|name| env.text(name).ok().flatten(),
    });
    loaded.notices.extend(notices);
    loaded
}
