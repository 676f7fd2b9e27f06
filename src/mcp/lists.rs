//! Reads a server's lists, page by page, within bounds.

use std::sync::Arc;
use std::time::Duration;

use greenroom_protocol::session::Text;
use rmcp::model::{
    ClientRequest, ListPromptsRequest, ListResourceTemplatesRequest, ListResourcesRequest,
    ListToolsRequest, PaginatedRequestParams, ServerResult,
};
use rmcp::service::{Peer, PeerRequestOptions, RoleClient};
use serde_json::Value;

use super::catalog::{self, Catalog, MOST_ENTRIES, MOST_PAGES};
use super::handler::List;
use super::words;

/// How long one page may take.
const PAGE: Duration = Duration::from_secs(30);

/// Reads everything that a server offers. Tools must be readable, when it has
/// any; what is wrong with the rest becomes a notice.
pub(super) async fn read_all(peer: &Peer<RoleClient>) -> Result<Catalog, String> {
    let mut catalog = Catalog::default();
    read_tools(peer, &mut catalog).await?;
    read_resources(peer, &mut catalog).await;
    read_prompts(peer, &mut catalog).await;
    Ok(catalog)
}

/// Reads these lists anew; all that is not read stays.
pub(super) async fn read_again(
    peer: &Peer<RoleClient>,
    lists: &[List],
    old: &Arc<Catalog>,
) -> Result<Catalog, String> {
    let mut catalog = (**old).clone();
    for list in lists {
        match list {
            List::Tools => read_tools(peer, &mut catalog).await?,
            List::Resources => read_resources(peer, &mut catalog).await,
            List::Prompts => read_prompts(peer, &mut catalog).await,
        }
    }
    Ok(catalog)
}

async fn read_tools(peer: &Peer<RoleClient>, catalog: &mut Catalog) -> Result<(), String> {
    // Notices are on tools alone, but for a list that cannot be read.
    catalog.notices.clear();
    catalog.tools.clear();
    if peer
        .peer_info()
        .is_none_or(|info| info.capabilities.tools.is_none())
    {
        return Ok(());
    }
    let entries = pages(peer, "tools", |params| {
        ClientRequest::ListToolsRequest(ListToolsRequest::with_param(params))
    });
    let (entries, cut) = entries
        .await
        .map_err(|fault| format!("its tools cannot be listed: {fault}"))?;
    catalog.tools = catalog::tools(&entries, &mut catalog.notices);
    if cut {
        let notice = format!(
            "it has more than {MOST_ENTRIES} tools, or more than {MOST_PAGES} pages of them; the rest \
             is left out"
        );
        catalog.notices.push(notice.into());
    }
    Ok(())
}

async fn read_resources(peer: &Peer<RoleClient>, catalog: &mut Catalog) {
    catalog.resources.clear();
    if peer
        .peer_info()
        .is_none_or(|info| info.capabilities.resources.is_none())
    {
        return;
    }
    let plain = pages(peer, "resources", |params| {
        ClientRequest::ListResourcesRequest(ListResourcesRequest::with_param(params))
    });
    match plain.await {
        Ok((entries, _)) => catalog.resources = catalog::resources(&entries, false),
        Err(fault) => note(catalog, "resources", &fault),
    }
    let templates = pages(peer, "resourceTemplates", |params| {
        ClientRequest::ListResourceTemplatesRequest(ListResourceTemplatesRequest::with_param(
            params,
        ))
    });
    // Servers without templates often do not know the question.
    if let Ok((entries, _)) = templates.await {
        catalog.resources.extend(catalog::resources(&entries, true));
    }
}

async fn read_prompts(peer: &Peer<RoleClient>, catalog: &mut Catalog) {
    catalog.prompts.clear();
    if peer
        .peer_info()
        .is_none_or(|info| info.capabilities.prompts.is_none())
    {
        return;
    }
    let prompts = pages(peer, "prompts", |params| {
        ClientRequest::ListPromptsRequest(ListPromptsRequest::with_param(params))
    });
    match prompts.await {
        Ok((entries, _)) => catalog.prompts = catalog::prompts(&entries),
        Err(fault) => note(catalog, "prompts", &fault),
    }
}

fn note(catalog: &mut Catalog, what: &str, fault: &str) {
    catalog
        .notices
        .push(Text::from(format!("its {what} cannot be listed: {fault}")));
}

/// The entries of all pages, and whether there were more than are kept.
async fn pages(
    peer: &Peer<RoleClient>,
    key: &str,
    request: impl Fn(PaginatedRequestParams) -> ClientRequest,
) -> Result<(Vec<Value>, bool), String> {
    let mut entries: Vec<Value> = Vec::new();
    let mut params = PaginatedRequestParams::default();
    for _ in 0..MOST_PAGES {
        let page = page(peer, request(params)).await?;
        if let Some(Value::Array(more)) = page.get(key) {
            entries.extend(more.iter().cloned());
        }
        if entries.len() > MOST_ENTRIES {
            entries.truncate(MOST_ENTRIES);
            return Ok((entries, true));
        }
        let next = page.get("nextCursor").and_then(Value::as_str);
        let Some(next) = next.filter(|next| !next.is_empty()) else {
            return Ok((entries, false));
        };
        params = PaginatedRequestParams::default().with_cursor(Some(next.to_owned()));
    }
    Ok((entries, true))
}

/// One page, as it was sent: one bad entry must not cost the others, so the
/// library's own reading of it is not asked for.
async fn page(peer: &Peer<RoleClient>, request: ClientRequest) -> Result<Value, String> {
    let options = PeerRequestOptions::with_timeout(PAGE);
    let handle = peer.send_request_with_option(request, options).await;
    let answer = match handle {
        Ok(handle) => handle.await_response().await,
        Err(fault) => Err(fault),
    };
    match answer {
        Ok(ServerResult::CustomResult(result)) => Ok(result.0),
        Ok(result) => serde_json::to_value(&result).map_err(|fault| fault.to_string()),
        Err(fault) => Err(words::of_request(&fault)),
    }
}
