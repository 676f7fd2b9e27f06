//! One call of a tool: who waits for it, for how long, and what it gives.

use std::sync::Arc;
use std::time::Duration;

use greenroom_actors::ports::{OutputSink, Ran};
use greenroom_protocol::session::Document;
use rmcp::model::{
    CallToolRequest, CallToolRequestParams, CancelledNotification, CancelledNotificationParam,
    ClientRequest, InputRequiredResult, InputResponses, RequestId, ServerResult,
};
use rmcp::service::{Peer, PeerRequestOptions, RequestHandle, RoleClient, ServiceError};
use serde_json::Value;
use tokio::sync::watch;
use tokio::time::{Instant, timeout};

use super::asking::Asker;
use super::connection::{Connection, Letter};
use super::elicit::Ask;
use super::open_calls::Asking;
use super::result::{self, failed};
use super::status::{State, Status};
use super::words;

/// As many times one call may ask for more before it is given up.
const MOST_ROUNDS: usize = 10;
/// How long a server that wants to be asked later is left alone.
const LATER: Duration = Duration::from_secs(1);
/// How long the word that a call is cancelled may take to be sent.
const FAREWELL: Duration = Duration::from_secs(5);

/// Who is there while a call runs.
#[derive(Clone, Default)]
pub struct Callers {
    /// Where progress goes, as lines of text. Left out when it is full.
    pub output: Option<OutputSink>,
    /// Answers what the server asks a person; without it the server is told that
    /// nobody answers.
    pub ask: Option<Ask>,
}

/// Calls a tool. What it gives says why when it fails.
pub(super) async fn call(
    connection: Arc<Connection>,
    tool: String,
    input: Document,
    callers: Callers,
) -> Ran {
    let arguments = match serde_json::from_str(&input.0) {
        Ok(Value::Object(arguments)) => arguments,
        _ => return failed("nothing was called: the input is no JSON object"),
    };
    if !connection.config.tools.lets_through(&tool) {
        return failed("nothing was called: the configuration leaves this tool out");
    }
    let (mask, most) = (&connection.mask, connection.config.output_bytes);
    let mut params = CallToolRequestParams::new(tool).with_arguments(arguments);
    for _ in 0..MOST_ROUNDS {
        let request = ClientRequest::CallToolRequest(CallToolRequest::new(params.clone()));
        let answer = match ask(&connection, request, callers.clone()).await {
            Ok(answer) => answer,
            Err(fault) => return failed(fault),
        };
        match answer {
            ServerResult::CallToolResult(called) => return result::ran(called, mask, most).await,
            // Servers that leave even the content out.
            ServerResult::EmptyResult(_) => {
                return result::ran(Default::default(), mask, most).await;
            }
            ServerResult::InputRequiredResult(needed) => {
                match go_on(&connection, needed, &callers).await {
                    Ok((answers, state)) => {
                        params.input_responses = answers;
                        params.request_state = state;
                    }
                    Err(fault) => {
                        let name = &connection.config.name;
                        return failed(format!(
                            "the call of the MCP server {name} failed: {fault}"
                        ));
                    }
                }
            }
            ServerResult::CreateTaskResult(_) => {
                return failed(
                    "the MCP server made a task of this call, which Greenroom does not follow",
                );
            }
            _ => return failed("the MCP server's answer is no result of a tool"),
        }
    }
    failed(format!(
        "the MCP server asked for more in {MOST_ROUNDS} rounds, and was given up"
    ))
}

/// What a call needs to be made again: answers, and the server's own state.
async fn go_on(
    connection: &Connection,
    needed: InputRequiredResult,
    callers: &Callers,
) -> Result<(Option<InputResponses>, Option<String>), String> {
    let Some(requests) = needed.input_requests else {
        // It only wants to be asked later.
        tokio::time::sleep(LATER).await;
        return Ok((None, needed.request_state));
    };
    let asker = Asker {
        server: &connection.config.name,
        mask: &connection.mask,
        root: &connection.root,
    };
    let answers = asker.answers(requests, callers.ask.as_ref()).await?;
    Ok((Some(answers), needed.request_state))
}

/// Makes a request and waits for its answer: within the server's time, in which
/// a person's time to answer does not count. The error is for the model, without
/// secrets.
pub(super) async fn ask(
    connection: &Connection,
    request: ClientRequest,
    callers: Callers,
) -> Result<ServerResult, String> {
    let name = &connection.config.name;
    let limit = connection.config.timeout;
    let started = Instant::now();
    let peer = ready(connection, limit).await?;
    // Never closed: it goes with the connection.
    let Ok(place) = timeout(limit, connection.places.acquire()).await else {
        return Err(format!(
            "nothing was called: the MCP server {name} has too many calls open"
        ));
    };
    let mut too_long = connection.too_long.clone();
    too_long.mark_unchanged();
    let handle = peer
        .send_request_with_option(request, PeerRequestOptions::no_options())
        .await
        .map_err(|_| format!("nothing was called: the MCP server {name} has just ended"))?;
    let (open, mut asked) = watch::channel(0_usize);
    let asking = callers.ask.map(|ask| Asking {
        ask,
        open: Arc::new(open),
    });
    let _noted = connection.calls.note(
        handle.id.clone(),
        handle.progress_token.clone(),
        callers.output,
        asking,
    );
    let mut cancel = CancelOnDrop {
        peer: Some(peer),
        id: handle.id.clone(),
    };
    let left = limit.saturating_sub(started.elapsed());
    let waited = tokio::select! {
        biased;
        waited = wait(handle, left, &mut asked) => waited,
        Ok(()) = too_long.changed() => {
            return Err(format!(
                "the MCP server {name} sent a message of more than {} MiB, which was thrown away; \
                 ask it for less",
                super::metered::LONGEST_MESSAGE >> 20
            ));
        }
    };
    drop(place);
    match waited {
        Some(answer) => {
            cancel.peer = None;
            answer.map_err(|fault| {
                if matches!(fault, ServiceError::TransportSend(_)) {
                    let _ = connection.letters.try_send(Letter::Suspect);
                }
                connection.told(fault)
            })
        }
        None => {
            drop(cancel);
            let _ = connection.letters.try_send(Letter::Suspect);
            Err(format!(
                "the MCP server {name} gave no answer within {} s; the call was cancelled, and may \
                 have had effects",
                limit.as_secs_f32()
            ))
        }
    }
}

/// Waits for an answer; nothing when the time is up. It stands still while a
/// question to a person is open.
async fn wait(
    handle: RequestHandle<RoleClient>,
    mut left: Duration,
    asked: &mut watch::Receiver<usize>,
) -> Option<Result<ServerResult, ServiceError>> {
    let mut answer = std::pin::pin!(handle.rx);
    let closed = |_| Err(ServiceError::TransportClosed);
    loop {
        let is_open = *asked.borrow_and_update() > 0;
        let since = Instant::now();
        tokio::select! {
            biased;
            answer = &mut answer => return Some(answer.unwrap_or_else(closed)),
            Ok(()) = asked.changed() => (),
            () = tokio::time::sleep(left), if !is_open => return None,
        }
        if !is_open {
            left = left.saturating_sub(since.elapsed());
        }
    }
}

/// Whom to call, once the server is ready; or why it is not.
async fn ready(connection: &Connection, limit: Duration) -> Result<Peer<RoleClient>, String> {
    let name = &connection.config.name;
    let mut state = connection.state.clone();
    let is_clear = |state: &State| state.status != Status::Connecting;
    let waited = timeout(limit, state.wait_for(is_clear)).await;
    let state = match waited {
        Ok(Ok(state)) => state,
        Ok(Err(_)) => return Err(format!("nothing was called: the MCP server {name} is gone")),
        Err(_) => {
            return Err(format!(
                "nothing was called: the MCP server {name} is still being started; try later"
            ));
        }
    };
    match (&state.status, &state.peer) {
        (Status::Ready, Some(peer)) => Ok(peer.clone()),
        (Status::Failed { reason, .. }, _) => Err(format!(
            "nothing was called: the MCP server {name} failed ({reason}); it is started anew by and by"
        )),
        _ => Err(format!(
            "nothing was called: the MCP server {name} is stopped"
        )),
    }
}

impl Connection {
    /// A failed request in words for the model.
    fn told(&self, fault: ServiceError) -> String {
        let name = &self.config.name;
        match fault {
            ServiceError::McpError(error) => {
                let said = self.mask.reason(&error.message);
                format!(
                    "the MCP server {name} refused the call: {said} ({})",
                    error.code.0
                )
            }
            ServiceError::TransportClosed => format!(
                "the MCP server {name} ended during the call, which may have had effects; it is \
                 started anew"
            ),
            fault => {
                let said = self.mask.reason(&words::of_request(&fault));
                format!("the call of the MCP server {name} failed: {said}")
            }
        }
    }
}

/// Tells a server that a call is cancelled, unless it was answered.
struct CancelOnDrop {
    peer: Option<Peer<RoleClient>>,
    id: RequestId,
}

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        let (Some(peer), Ok(runtime)) = (self.peer.take(), tokio::runtime::Handle::try_current())
        else {
            return;
        };
        let params = CancelledNotificationParam::new(
            Some(self.id.clone()),
            Some("the caller has gone".to_owned()),
        );
        let notification = CancelledNotification::new(params);
        runtime.spawn(async move {
            let _ = timeout(FAREWELL, peer.send_notification(notification.into())).await;
        });
    }
}
