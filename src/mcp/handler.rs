//! What a server may ask of us and tell us.

// Roots, sampling and logging are to leave the protocol; servers use them still.
#![allow(deprecated)]

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use rmcp::ErrorData;
use rmcp::model::{
    ClientCapabilities, CreateMessageRequestParams, CreateMessageResult, ElicitRequestParams,
    ElicitResult, ElicitationAction, ElicitationCapability, ErrorCode, Implementation,
    InitializeRequestParams, ListRootsResult, LoggingMessageNotificationParam,
    ProgressNotificationParam, ProtocolVersion, RootsCapabilities,
};
use rmcp::service::{
    InboundStreamOrigin, MaybeSendFuture, NotificationContext, RequestContext, RoleClient,
};
use tokio::sync::{Notify, Semaphore};

use super::asking::{self, Asker, MOST_QUESTIONS};
use super::mask::Mask;
use super::open_calls::OpenCalls;

/// The longest piece of progress, in bytes.
const LONGEST_PROGRESS: usize = 2 << 10;

/// A list of a server that may change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum List {
    Tools = 1,
    Resources = 2,
    Prompts = 4,
}

/// Which lists changed since they were last read.
#[derive(Debug, Default)]
pub(super) struct Changes {
    lists: AtomicU8,
    wake: Notify,
}

impl Changes {
    pub fn note(&self, list: List) {
        self.lists.fetch_or(list as u8, Ordering::AcqRel);
        self.wake.notify_one();
    }

    /// Waits for a change; gives the lists that changed, and forgets them.
    pub async fn next(&self) -> Vec<List> {
        loop {
            let lists = self.lists.swap(0, Ordering::AcqRel);
            if lists != 0 {
                let all = [List::Tools, List::Resources, List::Prompts];
                return all
                    .into_iter()
                    .filter(|list| lists & *list as u8 != 0)
                    .collect();
            }
            self.wake.notified().await;
        }
    }
}

/// Answers one server.
pub(super) struct Handler {
    server: String,
    root: Arc<Path>,
    calls: Arc<OpenCalls>,
    changes: Arc<Changes>,
    mask: Mask,
    questions: Semaphore,
}

impl Handler {
    pub fn new(
        server: &str,
        root: Arc<Path>,
        calls: Arc<OpenCalls>,
        changes: Arc<Changes>,
        mask: Mask,
    ) -> Handler {
        Handler {
            server: server.to_owned(),
            root,
            calls,
            changes,
            mask,
            questions: Semaphore::new(MOST_QUESTIONS),
        }
    }

    async fn ask(
        &self,
        request: ElicitRequestParams,
        context: RequestContext<RoleClient>,
    ) -> ElicitResult {
        let Ok(_place) = self.questions.try_acquire() else {
            return ElicitResult::new(ElicitationAction::Decline);
        };
        let origin = match context.extensions.get::<InboundStreamOrigin>() {
            Some(InboundStreamOrigin::OutboundRequest(id)) => Some(id.clone()),
            _ => None,
        };
        let Some(asking) = self.calls.whom_to_ask(origin.as_ref()) else {
            return ElicitResult::new(ElicitationAction::Cancel);
        };
        let asker = Asker {
            server: &self.server,
            mask: &self.mask,
            root: &self.root,
        };
        // The call's time stands still while a person thinks.
        asking.open.send_modify(|open| *open += 1);
        let _open = Closing(&asking.open);
        tokio::select! {
            result = asker.put(Some(&asking.ask), &request) => result,
            () = context.ct.cancelled() => ElicitResult::new(ElicitationAction::Cancel),
            // Whoever called has gone.
            () = asking.open.closed() => ElicitResult::new(ElicitationAction::Cancel),
        }
    }
}

/// A question that is open until this is dropped.
struct Closing<'a>(&'a tokio::sync::watch::Sender<usize>);

impl Drop for Closing<'_> {
    fn drop(&mut self) {
        self.0.send_modify(|open| *open = open.saturating_sub(1));
    }
}

impl rmcp::ClientHandler for Handler {
    fn get_info(&self) -> InitializeRequestParams {
        let mut capabilities = ClientCapabilities::default();
        capabilities.roots = Some(RootsCapabilities::default());
        capabilities.elicitation = Some(ElicitationCapability::default());
        let own = Implementation::new("greenroom", env!("CARGO_PKG_VERSION"));
        // The last version that has this handshake; servers answer with their own.
        let version = ProtocolVersion::V_2025_11_25;
        InitializeRequestParams::new(capabilities, own).with_protocol_version(version)
    }

    fn create_message(
        &self,
        _: CreateMessageRequestParams,
        _: RequestContext<RoleClient>,
    ) -> impl Future<Output = Result<CreateMessageResult, ErrorData>> + MaybeSendFuture + '_ {
        let refusal = "Greenroom lends its model to no server: sampling is not supported";
        std::future::ready(Err(ErrorData::new(
            ErrorCode::METHOD_NOT_FOUND,
            refusal,
            None,
        )))
    }

    fn list_roots(
        &self,
        _: RequestContext<RoleClient>,
    ) -> impl Future<Output = Result<ListRootsResult, ErrorData>> + MaybeSendFuture + '_ {
        let roots = asking::roots(&self.root);
        let roots = serde_json::from_value(roots.into()).unwrap_or_default();
        std::future::ready(Ok(ListRootsResult::new(roots)))
    }

    async fn create_elicitation(
        &self,
        request: ElicitRequestParams,
        context: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        Ok(self.ask(request, context).await)
    }

    fn on_progress(
        &self,
        progress: ProgressNotificationParam,
        _: NotificationContext<RoleClient>,
    ) -> impl Future<Output = ()> + MaybeSendFuture + '_ {
        let message = progress.message.unwrap_or_default();
        let (message, _) = message.split_at(message.floor_char_boundary(LONGEST_PROGRESS));
        let share = match progress.total {
            Some(total) => format!("{} of {total}", progress.progress),
            None => progress.progress.to_string(),
        };
        let text = match message.is_empty() {
            true => format!("{share}\n"),
            false => format!("{} ({share})\n", self.mask.now(message)),
        };
        self.calls.progress(&progress.progress_token, text);
        std::future::ready(())
    }

    fn on_logging_message(
        &self,
        message: LoggingMessageNotificationParam,
        _: NotificationContext<RoleClient>,
    ) -> impl Future<Output = ()> + MaybeSendFuture + '_ {
        let said = self.mask.reason(&message.data.to_string());
        tracing::debug!(server = %self.server, level = ?message.level, "{said}");
        std::future::ready(())
    }

    fn on_tool_list_changed(
        &self,
        _: NotificationContext<RoleClient>,
    ) -> impl Future<Output = ()> + MaybeSendFuture + '_ {
        self.changes.note(List::Tools);
        std::future::ready(())
    }

    fn on_resource_list_changed(
        &self,
        _: NotificationContext<RoleClient>,
    ) -> impl Future<Output = ()> + MaybeSendFuture + '_ {
        self.changes.note(List::Resources);
        std::future::ready(())
    }

    fn on_prompt_list_changed(
        &self,
        _: NotificationContext<RoleClient>,
    ) -> impl Future<Output = ()> + MaybeSendFuture + '_ {
        self.changes.note(List::Prompts);
        std::future::ready(())
    }
}
