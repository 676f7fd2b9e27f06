//! Whether a provider answers, for `greenroom doctor`.

use std::time::Duration;

use serde::Deserialize;

use super::http::Http;
use super::peer::Peer;

/// How long a provider has to answer.
const DEADLINE: Duration = Duration::from_secs(5);

/// As much of the list of models is read, in bytes.
const LIST: usize = 4 * 1024 * 1024;

/// Asks for the list of models. A line for a person, either way.
pub async fn reachable(http: &Http, peer: &Peer) -> Result<String, String> {
    let asked = tokio::time::timeout(DEADLINE, models(http, peer)).await;
    let models = asked.map_err(|_| {
        format!(
            "provider `{}` at {} gives no answer within {} s; check the network and base_url",
            peer.name(),
            peer.shown_url(),
            DEADLINE.as_secs()
        )
    })??;
    let model = peer.default_model();
    let count = models.len();
    if model.is_empty() {
        return Ok(format!("answers, with {count} models; none is configured"));
    }
    if models.iter().any(|listed| listed == model) {
        return Ok(format!("answers, and has model `{model}`"));
    }
    // Aliases and the like are not listed everywhere: no error.
    Ok(format!(
        "answers, with {count} models; `{model}` is not in its list, check the name if calls fail"
    ))
}

async fn models(http: &Http, peer: &Peer) -> Result<Vec<String>, String> {
    let answer = http.get(peer, "models").await;
    let mut body = answer.map_err(|error| error.message)?;
    let bytes = body.read_at_most(LIST).await;
    let list: List = serde_json::from_slice(&bytes).map_err(|_| {
        format!(
            "provider `{}` at {} answers, but with no list of models; check base_url, which often ends with /v1",
            peer.name(),
            peer.shown_url()
        )
    })?;
    Ok(list.data.into_iter().map(|model| model.id).collect())
}

#[derive(Deserialize)]
struct List {
    data: Vec<Listed>,
}

#[derive(Deserialize)]
struct Listed {
    id: String,
}
