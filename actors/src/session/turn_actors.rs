//! The actors of one turn, started with it and killed with it.

use greenroom_protocol::session::{CallId, Document, Mode, Text};
use ractor::{Actor, ActorCell, ActorRef, SpawnErr};

use super::input::WorkId;
use super::messages::SessionMsg;
use super::reports::Reports;
use super::settings::Settings;
use crate::approvals::{ApprovalsActor, ApprovalsMsg};
use crate::ports::{ModelRequest, Ports};
use crate::tools::{ToolsActor, ToolsMsg};
use crate::turn::{TurnActor, TurnMsg};

/// What works for the running turn. A message to an actor that has failed is
/// lost, and need not arrive: its failure ends the turn.
pub(super) struct TurnActors {
    turn: ActorRef<TurnMsg>,
    approvals: ActorRef<ApprovalsMsg>,
    tools: ActorRef<ToolsMsg>,
}

impl TurnActors {
    pub async fn start(
        ports: &Ports,
        settings: &Settings,
        session: &ActorRef<SessionMsg>,
    ) -> Result<TurnActors, SpawnErr> {
        let reports = Reports::new(session.clone());
        let turn = TurnActor {
            model: ports.model.clone(),
            policy: settings.calls,
            fallback: settings.fallback.clone(),
            reports: reports.clone(),
        };
        let approvals = ApprovalsActor {
            tools: ports.tools.clone(),
            guard: ports.guard.clone(),
            session: settings.id.clone(),
            root: settings.root.clone(),
            sub_agent: settings.lineage.parent.is_some(),
            modes: settings.modes.clone(),
            reports: reports.clone(),
        };
        let tools = ToolsActor {
            tools: ports.tools.clone(),
            session: settings.id.clone(),
            root: settings.root.clone(),
            reports,
        };
        let supervisor = session.get_cell();
        let (turn, _) = Actor::spawn_linked(None, turn, (), supervisor.clone()).await?;
        let (approvals, _) = Actor::spawn_linked(None, approvals, (), supervisor.clone()).await?;
        let (tools, _) = Actor::spawn_linked(None, tools, (), supervisor).await?;
        Ok(TurnActors {
            turn,
            approvals,
            tools,
        })
    }

    pub fn call_model(&self, work: WorkId, request: Box<ModelRequest>) {
        let _ = self.turn.cast(TurnMsg::CallModel { work, request });
    }

    pub fn judge(&self, call: CallId, tool: Text, input: Document, mode: Mode) {
        let _ = self.approvals.cast(ApprovalsMsg::Judge {
            call,
            tool,
            input,
            mode,
        });
    }

    pub fn tools(&self) -> ActorRef<ToolsMsg> {
        self.tools.clone()
    }

    pub fn has(&self, child: &ActorCell) -> bool {
        let id = child.get_id();
        [
            self.turn.get_id(),
            self.approvals.get_id(),
            self.tools.get_id(),
        ]
        .contains(&id)
    }

    /// Kills them with their workers: dropped model calls close their
    /// connections, dropped tool calls end their processes.
    pub fn stop(self) {
        self.turn.kill();
        self.approvals.kill();
        self.tools.kill();
    }
}
