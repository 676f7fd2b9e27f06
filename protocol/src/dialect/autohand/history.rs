//! The conversation as `get_messages` shows it.

use crate::session::{CallRequest, CallResult, Content, Message, Part};
use crate::wire::json::Fields;

/// One entry of the list. Results are told apart, though they are one entry of
/// the conversation.
enum Shown<'a> {
    Whole(&'a Message),
    Result(&'a Message, usize, &'a CallResult),
}

/// The data of `get_messages`. Ids stay the same from call to call.
pub(super) fn messages(data: &mut Fields<'_>, messages: &[Message]) {
    let mut shown = Vec::with_capacity(messages.len());
    for message in messages {
        match message {
            Message::User { .. } | Message::Assistant { .. } => shown.push(Shown::Whole(message)),
            Message::Results { results, .. } => {
                let results = results.iter().enumerate();
                shown.extend(results.map(|(index, it)| Shown::Result(message, index, it)));
            }
        }
    }
    data.objects("messages", shown, |fields, shown| match shown {
        Shown::Whole(message) => whole(fields, message),
        Shown::Result(message, index, result) => tool(fields, message, index, result),
    });
}

fn whole(fields: &mut Fields<'_>, message: &Message) {
    fields.text("id", &format!("msg_{}", message.entry()));
    match message {
        Message::User {
            at,
            content,
            source,
            ..
        } => {
            fields.text("role", "user");
            fields.text("content", &content.joined_text());
            fields.time("timestamp", *at);
            fields.text("source", source.name());
            attachments(fields, content);
        }
        Message::Assistant { at, message, .. } => {
            fields.text("role", "assistant");
            fields.text("content", &message.text);
            fields.time("timestamp", *at);
            if !message.calls.is_empty() {
                fields.objects("toolCalls", &message.calls, call);
            }
        }
        Message::Results { .. } => (),
    }
}

fn attachments(fields: &mut Fields<'_>, content: &Content) {
    let mentions = content.parts.iter().filter_map(|part| match part {
        Part::Mention(mention) => Some(mention.path.as_ref()),
        Part::Text(_) | Part::Image(_) | Part::Resource(_) => None,
    });
    let mut mentions = mentions.peekable();
    if mentions.peek().is_some() {
        fields.texts("mentions", mentions);
    }
    let images = content.image_count();
    if 0 < images {
        fields.number("images", images as u64);
    }
}

fn call(fields: &mut Fields<'_>, call: &CallRequest) {
    fields.text("id", call.id.as_str());
    fields.text("name", &call.tool);
    fields.document("args", &call.input);
}

fn tool(fields: &mut Fields<'_>, message: &Message, index: usize, result: &CallResult) {
    fields.text("id", &format!("msg_{}_{index}", message.entry()));
    fields.text("role", "tool");
    fields.text("content", &result.text);
    if let Message::Results { at, .. } = message {
        fields.time("timestamp", *at);
    }
    fields.text("toolCallId", result.call.as_str());
    fields.text("name", &result.tool);
    fields.flag("success", !result.is_error());
}
