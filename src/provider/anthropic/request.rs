//! A request in Anthropic's words. Pure.
//!
//! The system prompt, the tools and each message are written the same way at
//! every step, so that the provider's cache holds their beginning.

use std::borrow::Cow;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use greenroom_actors::ports::{ModelError, ModelRequest, ToolSpec};
use greenroom_protocol::session::{
    AssistantMessage, CallResult, Content, EntryId, Image, Message, Part,
};
use serde::Serialize;
use serde_json::value::RawValue;

use super::thinking::{self, OutputConfig, ThinkingField};
use crate::provider::catalogue::Entry;
use crate::provider::history::{
    CallNames, NO_PICTURE, mention_text, object_or_empty, plain_name, raw_for, resource_text,
    result_text, schema, to_json,
};

/// The request's body. `wire` is the mark of blocks that may go back verbatim,
/// `facts` what the catalogue knows of the model.
pub fn body(
    request: &ModelRequest,
    model: &str,
    wire: &str,
    facts: Option<&Entry>,
) -> Result<Vec<u8>, ModelError> {
    let thinking = thinking::fields(request.model.effort, facts, request.answer_tokens);
    let mut writer = Writer {
        wire,
        takes_images: facts.is_none_or(|facts| facts.images),
        names: CallNames::default(),
        messages: Vec::new(),
    };
    for message in request.messages.iter() {
        writer.message(message);
    }
    let mut messages = writer.messages;
    mark_last_two(&mut messages);
    let body = Body {
        model,
        max_tokens: thinking.max_tokens,
        stream: true,
        thinking: thinking.thinking,
        output_config: thinking.output_config,
        system: system(&request.system),
        tools: tools(&request.tools)?,
        messages,
    };
    to_json(&body)
}

#[derive(Serialize)]
struct Body<'a> {
    model: &'a str,
    max_tokens: u64,
    stream: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    thinking: Option<ThinkingField>,
    #[serde(skip_serializing_if = "Option::is_none")]
    output_config: Option<OutputConfig>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    system: Vec<Own<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<Tool<'a>>,
    messages: Vec<Turn<'a>>,
}

#[derive(Serialize)]
struct Tool<'a> {
    name: &'a str,
    description: &'a str,
    input_schema: &'a RawValue,
    #[serde(skip_serializing_if = "Option::is_none")]
    cache_control: Option<Cache>,
}

#[derive(Serialize)]
struct Turn<'a> {
    role: &'static str,
    content: Vec<Block<'a>>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Block<'a> {
    Verbatim(&'a RawValue),
    Own(Own<'a>),
}

#[derive(Serialize)]
struct Own<'a> {
    #[serde(flatten)]
    kind: Kind<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cache_control: Option<Cache>,
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Kind<'a> {
    Text {
        text: Cow<'a, str>,
    },
    Image {
        source: Source,
    },
    ToolUse {
        id: String,
        name: String,
        input: &'a RawValue,
    },
    ToolResult {
        tool_use_id: String,
        content: Vec<Kind<'a>>,
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        is_error: bool,
    },
}

#[derive(Serialize)]
struct Source {
    r#type: &'static str,
    media_type: &'static str,
    data: String,
}

#[derive(Serialize)]
struct Cache {
    r#type: &'static str,
}

const CACHE: Cache = Cache {
    r#type: "ephemeral",
};

fn own(kind: Kind<'_>) -> Own<'_> {
    Own {
        kind,
        cache_control: None,
    }
}

fn text_kind<'a>(text: impl Into<Cow<'a, str>>) -> Kind<'a> {
    Kind::Text { text: text.into() }
}

fn system(text: &str) -> Vec<Own<'_>> {
    if text.trim().is_empty() {
        return Vec::new();
    }
    let mut block = own(text_kind(text));
    block.cache_control = Some(CACHE);
    vec![block]
}

fn tools(specs: &[ToolSpec]) -> Result<Vec<Tool<'_>>, ModelError> {
    let mut tools = Vec::with_capacity(specs.len());
    for spec in specs {
        tools.push(Tool {
            name: &spec.name,
            description: &spec.description,
            input_schema: schema(spec)?,
            cache_control: None,
        });
    }
    if let Some(last) = tools.last_mut() {
        last.cache_control = Some(CACHE);
    }
    Ok(tools)
}

/// Marks the ends of the last two user messages as places to cache up to. Two,
/// because the provider looks back a limited number of blocks for what it has:
/// a step with many calls would lose the last mark.
fn mark_last_two(messages: &mut [Turn<'_>]) {
    let users = messages.iter_mut().rev().filter(|turn| turn.role == "user");
    for turn in users.take(2) {
        if let Some(Block::Own(block)) = turn.content.last_mut() {
            block.cache_control = Some(CACHE);
        }
    }
}

struct Writer<'a, 'w> {
    wire: &'w str,
    takes_images: bool,
    names: CallNames,
    messages: Vec<Turn<'a>>,
}

impl<'a> Writer<'a, '_> {
    fn message(&mut self, message: &'a Message) {
        match message {
            Message::User { content, .. } => {
                let blocks = self.user(content);
                self.add("user", blocks);
            }
            Message::Assistant { entry, message, .. } => {
                let blocks = self.assistant(*entry, message);
                self.add("assistant", blocks);
            }
            Message::Results { results, .. } => {
                let results = results.iter().map(|result| self.result(result));
                let blocks = results.map(own).map(Block::Own).collect();
                self.add("user", blocks);
            }
        }
    }

    /// Adds to the last message when it has the same role: the wire wants
    /// roles to take turns.
    fn add(&mut self, role: &'static str, mut content: Vec<Block<'a>>) {
        if content.is_empty() {
            return;
        }
        match self.messages.last_mut() {
            Some(last) if last.role == role => last.content.append(&mut content),
            _ => self.messages.push(Turn { role, content }),
        }
    }

    fn user(&self, content: &'a Content) -> Vec<Block<'a>> {
        let kinds = content.parts.iter().filter_map(|part| match part {
            // An empty text is an error on this wire.
            Part::Text(words) if words.trim().is_empty() => None,
            Part::Text(words) => Some(text_kind(&**words)),
            Part::Image(image) => Some(self.image(image)),
            Part::Mention(mention) => Some(text_kind(mention_text(mention))),
            Part::Resource(resource) => Some(text_kind(resource_text(resource))),
        });
        kinds.map(own).map(Block::Own).collect()
    }

    fn image(&self, image: &Image) -> Kind<'a> {
        if !self.takes_images {
            return text_kind(NO_PICTURE);
        }
        Kind::Image {
            source: Source {
                r#type: "base64",
                media_type: image.format.media_type(),
                data: BASE64.encode(&image.bytes),
            },
        }
    }

    fn assistant(&mut self, entry: EntryId, message: &'a AssistantMessage) -> Vec<Block<'a>> {
        let raw = raw_for(message, self.wire);
        if let Some(blocks) = raw.and_then(|json| serde_json::from_str::<Vec<&RawValue>>(json).ok())
        {
            self.names.keep(message);
            return blocks.into_iter().map(Block::Verbatim).collect();
        }
        self.names.renew(entry, message);
        let mut kinds = Vec::new();
        if !message.text.trim().is_empty() {
            kinds.push(text_kind(message.text.trim_end()));
        }
        for (call, name) in message.calls.iter().zip(self.names.last()) {
            kinds.push(Kind::ToolUse {
                id: name.to_owned(),
                name: plain_name(&call.tool, "unknown"),
                input: object_or_empty(&call.input.0),
            });
        }
        kinds.into_iter().map(own).map(Block::Own).collect()
    }

    fn result(&self, result: &'a CallResult) -> Kind<'a> {
        let text = text_kind(result_text(result));
        let images = result.images.iter().map(|image| self.image(image));
        Kind::ToolResult {
            tool_use_id: self.names.of(result).to_owned(),
            content: std::iter::once(text).chain(images).collect(),
            is_error: result.is_error(),
        }
    }
}

#[cfg(test)]
mod tests;
