//! What is told of a turn's answer, and of the turn to who joins.

use std::sync::Arc;

use greenroom_protocol::session::{AssistantMessage, Happening, Message, Text, TurnInFlight};

use super::answer::Answer;
use super::machine::{Phase, Turn};
use crate::session::Core;

impl Turn {
    /// The turn as it stands between two events.
    pub(crate) fn in_flight(&self) -> TurnInFlight {
        let (entry, text, thinking) = match &self.phase {
            Phase::Answering(answer) => (
                Some(answer.entry),
                Text::from(answer.text.as_str()),
                Text::from(answer.thinking.as_str()),
            ),
            _ => (None, Text::from(""), Text::from("")),
        };
        TurnInFlight {
            turn: self.id(),
            started: self.started,
            steps: self.steps,
            entry,
            text,
            thinking,
            calls: match &self.phase {
                Phase::Acting(batch) => batch.in_flight(),
                _ => Vec::new(),
            },
        }
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
