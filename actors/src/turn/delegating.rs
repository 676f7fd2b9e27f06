//! Calls that a sub-agent does.

use greenroom_protocol::session::{CallEnd, CallId, Mode, ModelChoice};

use super::slot::Slot;
use super::words::begun_in_background;
use crate::ports::{Action, AgentTask, PlannedCall};
use crate::session::Core;

/// Whether the turn does not wait for it.
pub(super) fn in_background(planned: &PlannedCall) -> bool {
    matches!(&planned.action, Action::Delegate(task) if task.background)
}

/// The call runs: it has a sub-agent begin. One in the background has its result
/// at once.
pub(super) fn delegate(
    core: &mut Core,
    slot: &mut Slot,
    call: &CallId,
    task: &AgentTask,
    acting: (&Mode, &ModelChoice),
) {
    match core.start_agent(call, task, acting) {
        Ok(agent) if task.background => {
            slot.end_with(core, CallEnd::Done, begun_in_background(&agent));
        }
        Ok(_) => (),
        Err(why) => slot.end_with(core, CallEnd::Failed, why),
    }
}
