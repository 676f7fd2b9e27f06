//! Whether a provider answers, for `greenroom doctor`.

use std::time::Duration;

use super::Wire;
use super::catalogue::suggestions;
use super::http::Http;
use super::listing;
use super::peer::Peer;

/// How long a provider has to answer.
const DEADLINE: Duration = Duration::from_secs(5);

/// Asks for the list of models. A line for a person, either way.
pub async fn reachable(http: &Http, wire: Wire, peer: &Peer) -> Result<String, String> {
    let asked = tokio::time::timeout(DEADLINE, listing::live(http, wire, peer)).await;
    let models = asked.map_err(|_| {
        format!(
            "provider `{}` at {} gives no answer within {} s; check the network and base_url",
            peer.name(),
            peer.shown_url(),
            DEADLINE.as_secs()
        )
    })?;
    let models = models.map_err(|error| error.message)?;
    let model = peer.default_model();
    let count = models.len();
    if model.is_empty() {
        return Ok(format!("answers, with {count} models; none is configured"));
    }
    let bare = model.strip_prefix("models/").unwrap_or(model);
    if models.iter().any(|listed| listed.id == bare) {
        return Ok(format!("answers, and has model `{model}`"));
    }
    let like = suggestions(model, models.iter().map(|listed| listed.id.as_str()));
    let like = match like.is_empty() {
        true => String::new(),
        false => format!(" (did you mean {}?)", like.join(", ")),
    };
    // Aliases and the like are not listed everywhere: no error.
    Ok(format!(
        "answers, with {count} models; `{model}` is not in its list{like}, check the name if calls fail"
    ))
}
