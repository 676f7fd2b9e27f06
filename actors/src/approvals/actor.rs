//! Has calls planned and judged. Planning reads files, so it waits in a worker
//! of its own; whatever fails on the way counts as deny.

use std::path::PathBuf;
use std::sync::Arc;

use greenroom_protocol::session::{CallId, Document, Mode, SessionId, Text};
use ractor::{Actor, ActorProcessingErr, ActorRef, SupervisionEvent};

use crate::modes::Modes;
use crate::ports::{Act, Guard, Judgement, ToolContext, Tools};
use crate::session::{Input, Judged, Reports};
use crate::supervision::InFlight;

/// What the session asks of it.
pub enum ApprovalsMsg {
    /// Plan and judge a call.
    Judge {
        /// Which.
        call: CallId,
        /// The tool.
        tool: Text,
        /// Its input.
        input: Document,
        /// In this mode.
        mode: Mode,
    },
}

/// The actor.
pub struct ApprovalsActor {
    /// Who understands calls.
    pub tools: Arc<dyn Tools>,
    /// Who judges them.
    pub guard: Arc<dyn Guard>,
    /// Whose turn it is.
    pub session: SessionId,
    /// Where it runs.
    pub root: Arc<PathBuf>,
    /// Whether it is a sub-agent's.
    pub sub_agent: bool,
    /// The modes that it may be in.
    pub modes: Arc<Modes>,
    /// Where judgements go.
    pub reports: Reports,
}

impl Actor for ApprovalsActor {
    type Msg = ApprovalsMsg;
    /// The calls that are being judged.
    type State = InFlight;
    type Arguments = ();

    async fn pre_start(
        &self,
        _: ActorRef<ApprovalsMsg>,
        (): (),
    ) -> Result<InFlight, ActorProcessingErr> {
        Ok(InFlight::default())
    }

    async fn handle(
        &self,
        myself: ActorRef<ApprovalsMsg>,
        message: ApprovalsMsg,
        calls: &mut InFlight,
    ) -> Result<(), ActorProcessingErr> {
        let ApprovalsMsg::Judge {
            call,
            tool,
            input,
            mode,
        } = message;
        let context = ToolContext {
            session: self.session.clone(),
            root: self.root.clone(),
            mode,
        };
        let (tools, guard) = (self.tools.clone(), self.guard.clone());
        let policy = self.modes.base(&context.mode);
        let sub_agent = self.sub_agent;
        let (reports, judged_call) = (self.reports.clone(), call.clone());
        let job = async move {
            let scene = (&context, policy, sub_agent);
            let judged = judge(&*tools, &*guard, &tool, &input, scene).await;
            let was_asked = matches!(judged, Judged::Planned { .. });
            let report = Input::CallJudged {
                call: judged_call,
                judged,
                warnings: was_asked.then(|| guard.warnings(&context.root)),
            };
            reports.send(report).await;
        };
        calls.start(call, Box::pin(job), myself.get_cell()).await?;
        Ok(())
    }

    async fn handle_supervisor_evt(
        &self,
        _: ActorRef<ApprovalsMsg>,
        event: SupervisionEvent,
        calls: &mut InFlight,
    ) -> Result<(), ActorProcessingErr> {
        if let Some(call) = calls.ended(event) {
            let report = Input::CallJudged {
                call,
                judged: Judged::Broken,
                warnings: None,
            };
            self.reports.send(report).await;
        }
        Ok(())
    }
}

async fn judge(
    tools: &dyn Tools,
    guard: &dyn Guard,
    tool: &str,
    input: &Document,
    (context, policy, sub_agent): (&ToolContext, Mode, bool),
) -> Judged {
    let planned = match tools.plan(tool, input, context).await {
        Ok(planned) => Box::new(planned),
        Err(fault) => return Judged::Fault(fault),
    };
    let act = Act {
        call: &planned,
        mode: policy,
        named: context.mode.name(),
        root: context.root.clone(),
        sub_agent,
    };
    let judgement = guard.judge(&act);
    // Only a question can be answered by a grant.
    let likeness = match judgement {
        Judgement::Ask { .. } => guard.likeness(&act),
        Judgement::Allow { .. } | Judgement::Deny { .. } => None,
    };
    Judged::Planned {
        judgement,
        likeness,
        planned,
    }
}
