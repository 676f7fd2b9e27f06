//! What a store asks of events before it takes them. Both stores ask the same,
//! so that a fault of the caller shows in tests that run in memory too.

use greenroom_actors::ports::StoreError;
use greenroom_protocol::session::{Event, Happening, SessionId, Text};

/// Checks that an event may be the next of a journal whose last event has the
/// number `last` (0 for an empty one).
///
/// Fails for an event that is not durable, for a number that does not rise,
/// and for a journal that would not begin with `Opened`.
pub(super) fn check_next(session: &SessionId, last: u64, event: &Event) -> Result<(), StoreError> {
    if !event.happening.is_durable() {
        return Err(refusal(
            session,
            event,
            "is not durable: give durable events only",
        ));
    }
    if event.seq <= last {
        let reason = format!("comes after event {last}: numbers must rise");
        return Err(refusal(session, event, &reason));
    }
    if last == 0 && opened_root(event).is_none() {
        return Err(refusal(
            session,
            event,
            "would begin its journal, which only the event of its opening may",
        ));
    }
    Ok(())
}

/// The workspace of a session's first event; nothing for any other event.
pub(super) fn opened_root(event: &Event) -> Option<&Text> {
    match &event.happening {
        Happening::Opened { root, .. } => Some(root),
        _ => None,
    }
}

fn refusal(session: &SessionId, event: &Event, reason: &str) -> StoreError {
    StoreError {
        message: format!("event {} of session {session} {reason}", event.seq),
    }
}
