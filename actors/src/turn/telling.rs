//! What is told of a turn's answer, and of the turn to who joins.

use std::sync::Arc;

use greenroom_protocol::session::{AssistantMessage, Happening, Message, Text, TurnInFlight};

use super::answer::Answer;
use super::machine::{Phase, Turn};
use crate::session::Core;

impl Turn {
    /// Tells that the turn was admitted.
    pub(super) fn tell_start(&self, core: &mut Core) {
        core.begin_budget();
        core.tell(Happening::TurnStarted {
            turn: self.id(),
            mode: self.mode.clone(),
            model: self.model.clone(),
        });
    }

    /// The turn as it stands between two events, without the text so far.
    pub(crate) fn in_flight(&self) -> TurnInFlight {
        TurnInFlight {
            turn: self.id(),
            started: self.started,
            steps: self.steps,
            entry: match &self.phase {
                Phase::Answering(answer) => Some(answer.entry),
                _ => None,
            },
            text: Text::from(""),
            thinking: Text::from(""),
            calls: match &self.phase {
                Phase::Acting(batch) => batch.in_flight(),
                _ => Vec::new(),
            },
        }
    }

    /// The same with the text so far.
    pub(crate) fn in_flight_with_text(&self) -> TurnInFlight {
        let mut in_flight = self.in_flight();
        if let Phase::Answering(answer) = &self.phase {
            in_flight.text = answer.text.as_str().into();
            in_flight.thinking = answer.thinking.as_str().into();
        }
        in_flight
    }
}

/// Tells a whole or cut answer, and puts it in the conversation unless there is
/// nothing in it.
pub(super) fn tell_message(core: &mut Core, answer: &Answer, message: AssistantMessage) {
    let message = Arc::new(message);
    core.tell(Happening::MessageEnded {
        entry: answer.entry,
        message: message.clone(),
    });
    if !message.is_blank() {
        core.converse(Message::Assistant {
            entry: answer.entry,
            at: core.now,
            message,
        });
    }
}
