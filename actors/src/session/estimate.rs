//! How many tokens a conversation is, about, where no provider has told it.

use greenroom_protocol::session::{Message, Part};

/// Bytes of text that make a token, about, over the common models.
const BYTES_A_TOKEN: usize = 4;
/// What a picture counts as, in bytes of text: some 1,500 tokens at the size
/// that pictures are scaled down to.
const PICTURE_BYTES: usize = 6_000;

/// Tokens of a conversation, about.
pub(super) fn tokens(conversation: &[Message]) -> u64 {
    let bytes: usize = conversation.iter().map(bytes).sum();
    (bytes / BYTES_A_TOKEN) as u64
}

fn bytes(message: &Message) -> usize {
    match message {
        Message::User { content, .. } => content.parts.iter().map(part_bytes).sum(),
        Message::Assistant { message, .. } => {
            let inputs = message.calls.iter().map(|call| call.input.0.len());
            message.text.len() + inputs.sum::<usize>()
        }
        Message::Results { results, .. } => {
            let result = |text: usize, pictures: usize| text + pictures * PICTURE_BYTES;
            results
                .iter()
                .map(|it| result(it.text.len(), it.images.len()))
                .sum()
        }
    }
}

fn part_bytes(part: &Part) -> usize {
    match part {
        Part::Text(text) => text.len(),
        Part::Image(_) => PICTURE_BYTES,
        Part::Mention(mention) => mention.path.len(),
        Part::Resource(resource) => resource.text.len(),
    }
}
