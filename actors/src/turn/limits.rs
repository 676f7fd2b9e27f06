//! What ends a turn before its work is done.

use greenroom_protocol::session::LimitKind;

use super::machine::Turn;
use crate::session::Core;

impl Turn {
    /// The limit that forbids a further step, if one is met.
    pub(super) fn limit_met(&self, core: &Core) -> Option<LimitKind> {
        let limits = &core.settings.limits;
        if self.steps >= limits.steps {
            return Some(LimitKind::Steps);
        }
        let tokens = self.usage.context();
        if limits.turn_tokens.is_some_and(|most| tokens >= most) {
            return Some(LimitKind::Tokens);
        }
        if limits.turn_cost.is_some_and(|most| self.usage.cost >= most) {
            return Some(LimitKind::Cost);
        }
        None
    }
}
