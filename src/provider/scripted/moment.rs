//! Where a conversation has come to: which step is due, read off its messages
//! alone.

use greenroom_protocol::session::{EntryId, Message, Source, Stop, Text};

/// Where a conversation has come to.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Moment {
    /// The latest prompt's text.
    pub prompt: Text,
    /// Its entry.
    pub entry: EntryId,
    /// How many prompts there are, this one included.
    pub prompts: usize,
    /// Whole answers since that prompt.
    pub step: usize,
    /// The latest tool result's text since that prompt.
    pub last_result: Text,
    /// Calls in the whole conversation.
    pub calls: usize,
}

/// A step's place: the turn, counted from 0, or nothing for `otherwise`; and
/// the step in it.
pub(super) type Place = (Option<usize>, usize);

impl Moment {
    pub fn of(messages: &[Message]) -> Moment {
        let is_prompt = |message: &Message| matches!(message, Message::User { source, .. } if *source == Source::Prompt);
        // After a compaction the prompt may be gone: then the latest word of a
        // user stands for it.
        let start = messages
            .iter()
            .rposition(is_prompt)
            .or_else(|| {
                let is_user = |message: &Message| matches!(message, Message::User { .. });
                messages.iter().rposition(is_user)
            })
            .unwrap_or(0);
        let mut moment = Moment {
            prompt: Text::from(""),
            entry: EntryId::default(),
            prompts: messages.iter().filter(|message| is_prompt(message)).count(),
            step: 0,
            last_result: Text::from(""),
            calls: 0,
        };
        for (index, message) in messages.iter().enumerate() {
            match message {
                Message::User { entry, content, .. } if index == start => {
                    moment.prompt = content.joined_text();
                    moment.entry = *entry;
                }
                Message::User { .. } => {}
                Message::Assistant { message, .. } => {
                    moment.calls += message.calls.len();
                    moment.step += usize::from(index > start && is_whole(message.stop));
                }
                Message::Results { results, .. } if index > start => {
                    if let Some(last) = results.last() {
                        moment.last_result = last.text.clone();
                    }
                }
                Message::Results { .. } => {}
            }
        }
        moment
    }
}

/// A cut answer is no answer: its step is played again.
fn is_whole(stop: Stop) -> bool {
    match stop {
        Stop::End | Stop::Calls | Stop::MaxTokens | Stop::Refusal => true,
        Stop::Aborted | Stop::Failed | Stop::Interrupted => false,
    }
}
