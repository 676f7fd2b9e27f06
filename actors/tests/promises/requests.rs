//! What a model may be sent.

use greenroom_protocol::session::{CallId, Message};
use proptest::prelude::*;

/// What a provider would take: every call has its result right behind it, and
/// the conversation does not end with the model.
pub fn check_request(messages: &[Message]) -> Result<(), TestCaseError> {
    let mut open: Vec<CallId> = Vec::new();
    for message in messages {
        match message {
            Message::Assistant { message, .. } => {
                prop_assert!(open.is_empty());
                prop_assert!(!message.is_blank());
                open = message.calls.iter().map(|call| call.id.clone()).collect();
            }
            Message::Results { results, .. } => {
                let results: Vec<CallId> = results.iter().map(|it| it.call.clone()).collect();
                prop_assert_eq!(&results, &open);
                open.clear();
            }
            Message::User { .. } => prop_assert!(open.is_empty()),
        }
    }
    prop_assert!(open.is_empty());
    let model_spoke_last = matches!(messages.last(), None | Some(Message::Assistant { .. }));
    prop_assert!(!model_spoke_last, "there is something to answer");
    Ok(())
}
