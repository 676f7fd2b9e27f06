//! A request in the words of OpenAI's chat completions. Pure.
//!
//! Many servers speak this dialect, each with its own strictness: nothing is
//! sent that only some of them know, unless the address says who it is.

use std::borrow::Cow;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use greenroom_actors::ports::{ModelError, ModelRequest, ToolSpec};
use greenroom_protocol::session::{
    AssistantMessage, CallResult, Content, EntryId, Image, Message, Part,
};
use serde::Serialize;
use serde_json::value::RawValue;

use super::effort;
use crate::provider::catalogue::Entry;
use crate::provider::history::{
    CallNames, NO_PICTURE, mention_text, object_or_empty, plain_name, raw_for, resource_text,
    result_text, schema, to_json,
};

/// What a request depends on besides itself.
#[derive(Debug, Clone, Copy)]
pub struct Target<'a> {
    /// The model's id.
    pub model: &'a str,
    /// The mark of messages that may go back verbatim.
    pub mark: &'a str,
    /// What the catalogue knows of the model.
    pub facts: Option<&'a Entry>,
    /// Whether it goes to OpenAI itself.
    pub is_openai: bool,
}

/// The request's body.
pub fn body(request: &ModelRequest, target: Target<'_>) -> Result<Vec<u8>, ModelError> {
    let mut writer = Writer {
        mark: target.mark,
        takes_images: target.facts.is_none_or(|facts| facts.images),
        names: CallNames::default(),
        messages: Vec::new(),
    };
    writer.system(&request.system);
    for message in request.messages.iter() {
        writer.message(message);
    }
    let has_tools = !request.tools.is_empty();
    let body = Body {
        model: target.model,
        stream: true,
        stream_options: StreamOptions {
            include_usage: true,
        },
        reasoning_effort: effort::word(
            request.model.effort,
            target.facts,
            target.is_openai && has_tools,
        ),
        max_completion_tokens: request.answer_tokens.filter(|_| target.is_openai),
        max_tokens: request.answer_tokens.filter(|_| !target.is_openai),
        prompt_cache_key: target.is_openai.then(|| request.session.as_str()),
        tools: tools(&request.tools)?,
        messages: writer.messages,
    };
    to_json(&body)
}

#[derive(Serialize)]
struct Body<'a> {
    model: &'a str,
    stream: bool,
    stream_options: StreamOptions,
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning_effort: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    prompt_cache_key: Option<&'a str>,
    /// OpenAI's own name for the longest answer…
    #[serde(skip_serializing_if = "Option::is_none")]
    max_completion_tokens: Option<u32>,
    /// … and the one that compatible servers know.
    #[serde(skip_serializing_if = "Option::is_none")]
    max_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<Tool<'a>>,
    messages: Vec<Line<'a>>,
}

#[derive(Serialize)]
struct StreamOptions {
    include_usage: bool,
}

#[derive(Serialize)]
struct Tool<'a> {
    r#type: &'static str,
    function: ToolFunction<'a>,
}

#[derive(Serialize)]
struct ToolFunction<'a> {
    name: &'a str,
    description: &'a str,
    parameters: &'a RawValue,
}

/// One message, as the wire counts them.
#[derive(Serialize)]
#[serde(untagged)]
enum Line<'a> {
    Verbatim(&'a RawValue),
    Own(Own<'a>),
}

#[derive(Serialize)]
#[serde(tag = "role", rename_all = "lowercase")]
enum Own<'a> {
    System {
        content: Cow<'a, str>,
    },
    User {
        content: Words<'a>,
    },
    Assistant {
        /// Nothing is written as null, which all servers take beside calls.
        content: Option<Cow<'a, str>>,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        tool_calls: Vec<Call>,
    },
    Tool {
        tool_call_id: String,
        content: Cow<'a, str>,
    },
}

/// Servers for text models know only the plain form.
#[derive(Serialize)]
#[serde(untagged)]
enum Words<'a> {
    Plain(Cow<'a, str>),
    Pieces(Vec<Piece<'a>>),
}

impl<'a> Words<'a> {
    fn and(self, more: Words<'a>) -> Words<'a> {
        match (self, more) {
            (Words::Plain(one), Words::Plain(two)) => {
                Words::Plain(format!("{one}\n\n{two}").into())
            }
            (one, two) => {
                let mut pieces = one.into_pieces();
                pieces.extend(two.into_pieces());
                Words::Pieces(pieces)
            }
        }
    }

    fn into_pieces(self) -> Vec<Piece<'a>> {
        match self {
            Words::Plain(text) => vec![text_piece(text)],
            Words::Pieces(pieces) => pieces,
        }
    }
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Piece<'a> {
    Text { text: Cow<'a, str> },
    ImageUrl { image_url: ImageUrl },
}

#[derive(Serialize)]
struct ImageUrl {
    url: String,
}

#[derive(Serialize)]
struct Call {
    id: String,
    r#type: &'static str,
    function: CallFunction,
}

#[derive(Serialize)]
struct CallFunction {
    name: String,
    arguments: String,
}

fn tools(specs: &[ToolSpec]) -> Result<Vec<Tool<'_>>, ModelError> {
    specs.iter().map(tool).collect()
}

fn tool(spec: &ToolSpec) -> Result<Tool<'_>, ModelError> {
    Ok(Tool {
        r#type: "function",
        function: ToolFunction {
            name: &spec.name,
            description: &spec.description,
            parameters: schema(spec)?,
        },
    })
}

/// The pieces as one text, when they hold no picture.
fn plain<'a>(pieces: &[Piece<'a>]) -> Option<Cow<'a, str>> {
    let mut texts = Vec::new();
    for piece in pieces {
        match piece {
            Piece::Text { text } => texts.push(text.clone()),
            Piece::ImageUrl { .. } => return None,
        }
    }
    match texts.len() {
        1 => texts.pop(),
        _ => Some(texts.join("\n\n").into()),
    }
}

fn text_piece<'a>(text: impl Into<Cow<'a, str>>) -> Piece<'a> {
    Piece::Text { text: text.into() }
}

struct Writer<'a, 'w> {
    mark: &'w str,
    takes_images: bool,
    names: CallNames,
    messages: Vec<Line<'a>>,
}

impl<'a> Writer<'a, '_> {
    fn add(&mut self, message: Own<'a>) {
        self.messages.push(Line::Own(message));
    }

    fn system(&mut self, text: &'a str) {
        if !text.trim().is_empty() {
            self.add(Own::System {
                content: text.into(),
            });
        }
    }

    fn message(&mut self, message: &'a Message) {
        match message {
            Message::User { content, .. } => {
                let pieces = self.pieces(content);
                self.user(pieces);
            }
            Message::Assistant { entry, message, .. } => self.assistant(*entry, message),
            Message::Results { results, .. } => {
                for result in results {
                    self.add(Own::Tool {
                        tool_call_id: self.names.of(result).to_owned(),
                        content: result_text(result).into(),
                    });
                }
                // A tool message holds only text; pictures follow it.
                let pieces = results.iter().flat_map(|result| self.pictures(result));
                let pieces = pieces.collect();
                self.user(pieces);
            }
        }
    }

    /// Adds a user's words; to the user's last words when nobody spoke since:
    /// some servers want roles to take turns.
    fn user(&mut self, pieces: Vec<Piece<'a>>) {
        if pieces.is_empty() {
            return;
        }
        let content = plain(&pieces).map_or_else(|| Words::Pieces(pieces), Words::Plain);
        if let Some(Line::Own(Own::User { content: before })) = self.messages.last_mut() {
            let words = std::mem::replace(before, Words::Pieces(Vec::new()));
            *before = words.and(content);
        } else {
            self.add(Own::User { content });
        }
    }

    fn pieces(&self, content: &'a Content) -> Vec<Piece<'a>> {
        let pieces = content.parts.iter().filter_map(|part| match part {
            Part::Text(words) if words.is_empty() => None,
            Part::Text(words) => Some(text_piece(&**words)),
            Part::Image(image) => Some(self.image(image)),
            Part::Mention(mention) => Some(text_piece(mention_text(mention))),
            Part::Resource(resource) => Some(text_piece(resource_text(resource))),
        });
        pieces.collect()
    }

    fn image(&self, image: &Image) -> Piece<'a> {
        if !self.takes_images {
            return text_piece(NO_PICTURE);
        }
        let kind = image.format.media_type();
        let data = BASE64.encode(&image.bytes);
        Piece::ImageUrl {
            image_url: ImageUrl {
                url: format!("data:{kind};base64,{data}"),
            },
        }
    }

    fn pictures(&self, result: &CallResult) -> Vec<Piece<'a>> {
        if result.images.is_empty() {
            return Vec::new();
        }
        let title = text_piece(format!("[pictures that {} gave]", result.tool));
        let images = result.images.iter().map(|image| self.image(image));
        std::iter::once(title).chain(images).collect()
    }

    fn assistant(&mut self, entry: EntryId, message: &'a AssistantMessage) {
        if message.text.trim().is_empty() && message.calls.is_empty() {
            // Nothing that a server takes: a message that was cut before its
            // first word, or nothing but thinking.
            return;
        }
        let raw = raw_for(message, self.mark);
        if let Some(json) = raw.and_then(|json| serde_json::from_str::<&RawValue>(json).ok()) {
            self.names.keep(message);
            self.messages.push(Line::Verbatim(json));
            return;
        }
        self.names.renew(entry, message);
        let calls = message.calls.iter().zip(self.names.last());
        let tool_calls = calls.map(|(call, name)| Call {
            id: name.to_owned(),
            r#type: "function",
            function: CallFunction {
                name: plain_name(&call.tool, "unknown"),
                arguments: object_or_empty(&call.input.0).get().to_owned(),
            },
        });
        let own = Own::Assistant {
            content: Some(Cow::from(&*message.text)).filter(|text| !text.is_empty()),
            tool_calls: tool_calls.collect(),
        };
        self.add(own);
    }
}

#[cfg(test)]
mod tests;
