//! A request in the words of OpenAI's responses. Pure.
//!
//! The server keeps nothing: the whole conversation goes along, an answer as the
//! items that it was, with what the model thought encrypted among them.

use std::borrow::Cow;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use greenroom_actors::ports::{ModelError, ModelRequest, ToolSpec};
use greenroom_protocol::session::{
    AssistantMessage, CallResult, Content, Effort, EntryId, Image, Message, Part,
};
use serde::Serialize;
use serde_json::value::RawValue;

use crate::provider::catalogue::Entry;
use crate::provider::history::{
    CallNames, NO_PICTURE, mention_text, object_or_empty, plain_name, raw_for, resource_text,
    result_text, schema, to_json,
};

/// The shortest answer that OpenAI lets be asked for, in tokens.
const SHORTEST_ANSWER: u32 = 16;

/// What a request depends on besides itself.
#[derive(Debug, Clone, Copy)]
pub struct Target<'a> {
    /// The model's id.
    pub model: &'a str,
    /// The mark of items that may go back verbatim.
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
        input: Vec::new(),
    };
    for message in request.messages.iter() {
        writer.message(message);
    }
    // Models that don't think refuse both fields; of unknown ones most do.
    let thinks = target.facts.is_none_or(|facts| !facts.efforts.is_empty());
    let answer_tokens = request.answer_tokens;
    let body = Body {
        model: target.model,
        stream: true,
        store: false,
        include: if thinks {
            &["reasoning.encrypted_content"]
        } else {
            &[]
        },
        reasoning: reasoning(request.model.effort, target.facts),
        max_output_tokens: answer_tokens.map(|tokens| tokens.max(SHORTEST_ANSWER)),
        prompt_cache_key: target.is_openai.then(|| request.session.as_str()),
        instructions: Some(&*request.system).filter(|text| !text.trim().is_empty()),
        tools: request.tools.iter().map(tool).collect::<Result<_, _>>()?,
        input: writer.input,
    };
    to_json(&body)
}

/// How the model is asked to think; nothing leaves it to the provider. Summaries
/// are asked for where the model is known to think.
fn reasoning(effort: Option<Effort>, facts: Option<&Entry>) -> Option<Reasoning<'_>> {
    let Some(facts) = facts else {
        // Words that nearly every server knows.
        let word = match effort? {
            Effort::Off => "none",
            Effort::Low => "low",
            Effort::Medium => "medium",
            Effort::High | Effort::XHigh | Effort::Max => "high",
        };
        return Some(Reasoning {
            effort: Some(word),
            summary: (word != "none").then_some("auto"),
        });
    };
    if facts.efforts.is_empty() {
        return None;
    }
    let word = effort.and_then(|effort| facts.effort_word(effort));
    Some(Reasoning {
        effort: word,
        summary: (word != Some("none")).then_some("auto"),
    })
}

#[derive(Serialize)]
struct Body<'a> {
    model: &'a str,
    stream: bool,
    store: bool,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    include: &'a [&'a str],
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning: Option<Reasoning<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_output_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    prompt_cache_key: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    instructions: Option<&'a str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<Tool<'a>>,
    input: Vec<Item<'a>>,
}

#[derive(Serialize)]
struct Reasoning<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    effort: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    summary: Option<&'a str>,
}

#[derive(Serialize)]
struct Tool<'a> {
    r#type: &'static str,
    name: &'a str,
    description: &'a str,
    parameters: &'a RawValue,
    /// This wire's default would have every schema changed.
    strict: bool,
}

fn tool(spec: &ToolSpec) -> Result<Tool<'_>, ModelError> {
    Ok(Tool {
        r#type: "function",
        name: &spec.name,
        description: &spec.description,
        parameters: schema(spec)?,
        strict: false,
    })
}

#[derive(Serialize)]
#[serde(untagged)]
enum Item<'a> {
    Verbatim(&'a RawValue),
    Own(Own<'a>),
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Own<'a> {
    Message {
        role: &'static str,
        content: Words<'a>,
    },
    FunctionCall {
        call_id: String,
        name: String,
        arguments: String,
    },
    FunctionCallOutput {
        call_id: String,
        output: Words<'a>,
    },
}

#[derive(Serialize)]
#[serde(untagged)]
enum Words<'a> {
    Plain(Cow<'a, str>),
    Pieces(Vec<Piece<'a>>),
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Piece<'a> {
    InputText { text: Cow<'a, str> },
    InputImage { image_url: String },
}

fn text_piece<'a>(text: impl Into<Cow<'a, str>>) -> Piece<'a> {
    Piece::InputText { text: text.into() }
}

struct Writer<'a, 'w> {
    mark: &'w str,
    takes_images: bool,
    names: CallNames,
    input: Vec<Item<'a>>,
}

impl<'a> Writer<'a, '_> {
    fn add(&mut self, item: Own<'a>) {
        self.input.push(Item::Own(item));
    }

    fn message(&mut self, message: &'a Message) {
        match message {
            Message::User { content, .. } => {
                let pieces = self.pieces(content);
                if !pieces.is_empty() {
                    self.add(Own::Message {
                        role: "user",
                        content: Words::Pieces(pieces),
                    });
                }
            }
            Message::Assistant { entry, message, .. } => self.assistant(*entry, message),
            Message::Results { results, .. } => {
                for result in results {
                    let output = self.output(result);
                    let call_id = self.names.of(result).to_owned();
                    self.add(Own::FunctionCallOutput { call_id, output });
                }
            }
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
        Piece::InputImage {
            image_url: format!("data:{kind};base64,{data}"),
        }
    }

    /// Servers for text models know only the plain form.
    fn output(&self, result: &'a CallResult) -> Words<'a> {
        let text = result_text(result);
        if result.images.is_empty() {
            return Words::Plain(text.into());
        }
        let images = result.images.iter().map(|image| self.image(image));
        Words::Pieces(std::iter::once(text_piece(text)).chain(images).collect())
    }

    fn assistant(&mut self, entry: EntryId, message: &'a AssistantMessage) {
        let raw = raw_for(message, self.mark);
        if let Some(items) = raw.and_then(|json| serde_json::from_str::<Vec<&RawValue>>(json).ok())
        {
            self.names.keep(message);
            self.input.extend(items.into_iter().map(Item::Verbatim));
            return;
        }
        self.names.renew(entry, message);
        if !message.text.trim().is_empty() {
            self.add(Own::Message {
                role: "assistant",
                content: Words::Plain((&*message.text).into()),
            });
        }
        let names: Vec<String> = self.names.last().map(str::to_owned).collect();
        for (call, call_id) in message.calls.iter().zip(names) {
            self.add(Own::FunctionCall {
                call_id,
                name: plain_name(&call.tool, "unknown"),
                arguments: object_or_empty(&call.input.0).get().to_owned(),
            });
        }
    }
}

#[cfg(test)]
mod tests;
