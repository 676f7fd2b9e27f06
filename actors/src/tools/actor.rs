//! Supervises the tool calls of the running turn. It lives as long as the turn;
//! killing it drops the calls, and dropped calls end their processes.

use std::path::PathBuf;
use std::sync::Arc;

use greenroom_protocol::session::{Amendment, CallId, Mode, OutputStream, SessionId};
use ractor::{Actor, ActorProcessingErr, ActorRef, SupervisionEvent};
use tokio::sync::mpsc;

use crate::ports::{PlannedCall, Ran, ToolContext, Tools};
use crate::session::{Input, Reports};
use crate::supervision::InFlight;

/// Pieces of output that wait between a tool and the session.
const PIECES_WAITING: usize = 64;

/// What the session asks of it.
pub enum ToolsMsg {
    /// Run a call.
    Run {
        /// Which.
        call: CallId,
        /// As it was judged.
        planned: Box<PlannedCall>,
        /// As it was changed by who allowed it.
        amendment: Option<Amendment>,
        /// In this mode.
        mode: Mode,
    },
}

/// The actor.
pub struct ToolsActor {
    /// What runs.
    pub tools: Arc<dyn Tools>,
    /// Whose turn it is.
    pub session: SessionId,
    /// Where it runs.
    pub root: Arc<PathBuf>,
    /// Where output and results go.
    pub reports: Reports,
}

impl Actor for ToolsActor {
    type Msg = ToolsMsg;
    /// The calls in flight.
    type State = InFlight;
    type Arguments = ();

    async fn pre_start(
        &self,
        _: ActorRef<ToolsMsg>,
        (): (),
    ) -> Result<InFlight, ActorProcessingErr> {
        Ok(InFlight::default())
    }

    async fn handle(
        &self,
        myself: ActorRef<ToolsMsg>,
        message: ToolsMsg,
        calls: &mut InFlight,
    ) -> Result<(), ActorProcessingErr> {
        let ToolsMsg::Run {
            call,
            planned,
            amendment,
            mode,
        } = message;
        let context = ToolContext {
            session: self.session.clone(),
            root: self.root.clone(),
            mode,
        };
        let job = run(
            self.tools.clone(),
            call.clone(),
            *planned,
            amendment,
            context,
            self.reports.clone(),
        );
        calls.start(call, Box::pin(job), myself.get_cell()).await?;
        Ok(())
    }

    async fn handle_supervisor_evt(
        &self,
        _: ActorRef<ToolsMsg>,
        event: SupervisionEvent,
        calls: &mut InFlight,
    ) -> Result<(), ActorProcessingErr> {
        if let Some(call) = calls.ended(event) {
            let ran = Ran {
                text: "The tool failed inside. It may have had effects.".to_owned(),
                failed: true,
                ..Ran::default()
            };
            self.reports.send(Input::ToolRan { call, ran }).await;
        }
        Ok(())
    }
}

async fn run(
    tools: Arc<dyn Tools>,
    call: CallId,
    planned: PlannedCall,
    amendment: Option<Amendment>,
    context: ToolContext,
    reports: Reports,
) {
    let (output, mut pieces) = mpsc::channel(PIECES_WAITING);
    let mut running = tools.run(call.clone(), planned, amendment, context, output);
    let mut said = Vec::new();
    let mut open = true;
    let ran = loop {
        tokio::select! {
            biased;
            count = pieces.recv_many(&mut said, PIECES_WAITING), if open => {
                open = count > 0;
                report_output(&call, &reports, &mut said).await;
            }
            ran = &mut running => {
                while let Ok(piece) = pieces.try_recv() {
                    said.push(piece);
                }
                report_output(&call, &reports, &mut said).await;
                break ran;
            }
        }
    };
    reports.send(Input::ToolRan { call, ran }).await;
}

async fn report_output(call: &CallId, reports: &Reports, said: &mut Vec<(OutputStream, String)>) {
    if said.is_empty() {
        return;
    }
    let pieces = std::mem::take(said);
    let call = call.clone();
    reports.send(Input::ToolSaid { call, pieces }).await;
}
