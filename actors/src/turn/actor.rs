//! Supervises the model call of the running turn. It lives as long as the turn;
//! killing it ends the call.

use std::sync::Arc;

use greenroom_protocol::session::FailureKind;
use ractor::{Actor, ActorProcessingErr, ActorRef, SupervisionEvent};

use super::call::call;
use crate::limits::CallPolicy;
use crate::ports::{Model, ModelError, ModelRequest};
use crate::session::{Fallback, Input, Reports, WorkId};
use crate::supervision::Worker;

/// What the session asks of it.
pub enum TurnMsg {
    /// Call the model.
    CallModel {
        /// Under this number.
        work: WorkId,
        /// What.
        request: Box<ModelRequest>,
    },
}

/// The actor.
pub struct TurnActor {
    /// Whom to call.
    pub model: Arc<dyn Model>,
    /// How often, and for how long.
    pub policy: CallPolicy,
    /// Whom instead.
    pub fallback: Fallback,
    /// Where pieces and answers go.
    pub reports: Reports,
}

impl Actor for TurnActor {
    type Msg = TurnMsg;
    /// The call that runs, or ran last.
    type State = WorkId;
    type Arguments = ();

    async fn pre_start(&self, _: ActorRef<TurnMsg>, (): ()) -> Result<WorkId, ActorProcessingErr> {
        Ok(WorkId::default())
    }

    async fn handle(
        &self,
        myself: ActorRef<TurnMsg>,
        message: TurnMsg,
        current: &mut WorkId,
    ) -> Result<(), ActorProcessingErr> {
        let TurnMsg::CallModel { work, request } = message;
        *current = work;
        let model = self.model.clone();
        let how = (self.policy, self.fallback.clone());
        let job = call(model, *request, how, work, self.reports.clone());
        Worker::start(Box::pin(job), myself.get_cell()).await?;
        Ok(())
    }

    async fn handle_supervisor_evt(
        &self,
        _: ActorRef<TurnMsg>,
        event: SupervisionEvent,
        current: &mut WorkId,
    ) -> Result<(), ActorProcessingErr> {
        if let SupervisionEvent::ActorFailed(_, reason) = event {
            tracing::error!(%reason, "a model call failed inside");
            let message = "the provider's adapter failed inside; the log has more";
            let error = ModelError::lasting(FailureKind::Internal, message);
            let answered = Input::ModelAnswered {
                work: *current,
                result: Err(error),
            };
            self.reports.send(answered).await;
        }
        Ok(())
    }
}
