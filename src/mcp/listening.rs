//! Servers without a handshake tell of changed lists only when they are
//! listened to.

use std::sync::Arc;
use std::time::Duration;

use rmcp::model::{ServerNotification, SubscriptionFilter};
use rmcp::service::{Peer, RoleClient, ServiceError};
use tokio::time::sleep;
use tokio_util::task::AbortOnDropHandle;

use super::handler::{Changes, List};

/// The pause before a subscription that ended is made again.
const AGAIN: Duration = Duration::from_secs(30);

/// Listens to a server of that kind until this is dropped; nothing for others.
pub(super) fn listen(
    peer: &Peer<RoleClient>,
    changes: &Arc<Changes>,
) -> Option<AbortOnDropHandle<()>> {
    let info = peer.peer_info()?;
    if info.protocol_version.has_initialize() {
        return None;
    }
    let listening = tokio::spawn(keep_listening(peer.clone(), changes.clone()));
    Some(AbortOnDropHandle::new(listening))
}

async fn keep_listening(peer: Peer<RoleClient>, changes: Arc<Changes>) {
    loop {
        let mut filter = SubscriptionFilter::new();
        filter.tools_list_changed = Some(true);
        filter.resources_list_changed = Some(true);
        filter.prompts_list_changed = Some(true);
        match peer.listen(filter).await {
            Ok(mut subscription) => {
                while let Ok(Some(told)) = subscription.next().await {
                    if let Some(list) = changed(&told) {
                        changes.note(list);
                    }
                }
            }
            // It does not tell of anything.
            Err(ServiceError::McpError(_)) => return,
            Err(_) => (),
        }
        sleep(AGAIN).await;
        // Nobody told of what changed meanwhile.
        for list in [List::Tools, List::Resources, List::Prompts] {
            changes.note(list);
        }
    }
}

fn changed(told: &ServerNotification) -> Option<List> {
    match told {
        ServerNotification::ToolListChangedNotification(_) => Some(List::Tools),
        ServerNotification::ResourceListChangedNotification(_) => Some(List::Resources),
        ServerNotification::PromptListChangedNotification(_) => Some(List::Prompts),
        _ => None,
    }
}
