//! A request in Gemini's words. Pure.
//!
//! Parts of the model's own answers go back as they came, each with its
//! signature: newer models refuse calls without them.

use std::borrow::Cow;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use greenroom_actors::ports::{ModelError, ModelRequest, ToolSpec};
use greenroom_protocol::session::{
    AssistantMessage, CallId, CallResult, Content, Image, Message, Part,
};
use serde::Serialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::chunk;
use super::schema::translated;
use super::thinking::{self, ThinkingConfig};
use crate::provider::catalogue::Entry;
use crate::provider::history::{
    NO_PICTURE, mention_text, object_or_empty, plain_name, raw_for, resource_text, result_text,
    schema, to_json,
};

/// What stands for the signature of a call that another model, or an answer that
/// was cut, made: the service documents it for just that.
const NO_SIGNATURE: &str = "skip_thought_signature_validator";

/// The request's body. `mark` is the mark of parts that may go back verbatim,
/// `facts` what the catalogue knows of the model.
pub fn body(
    request: &ModelRequest,
    model: &str,
    mark: &str,
    facts: Option<&Entry>,
) -> Result<Vec<u8>, ModelError> {
    let is_old = model.starts_with("gemini-1") || model.starts_with("gemini-2");
    let mut writer = Writer {
        mark,
        takes_images: facts.is_none_or(|facts| facts.images),
        wants_signatures: !is_old,
        calls: Vec::new(),
        contents: Vec::new(),
    };
    for message in request.messages.iter() {
        writer.message(message);
    }
    let thinking_config = thinking::config(request.model.effort, facts);
    // The service counts thinking as a part of the answer.
    let budget = thinking_config
        .as_ref()
        .and_then(|config| config.thinking_budget);
    let max_output_tokens = request
        .answer_tokens
        .map(|tokens| tokens.saturating_add(budget.unwrap_or(0)));
    let declarations = request.tools.iter().map(declaration);
    let declarations = declarations.collect::<Result<Vec<_>, _>>()?;
    let has_tools = !declarations.is_empty();
    let body = Body {
        system_instruction: (!request.system.trim().is_empty()).then(|| Instruction {
            parts: [text_piece(&*request.system)],
        }),
        tools: has_tools.then_some([Tools {
            function_declarations: declarations,
        }]),
        generation_config: Generation {
            max_output_tokens,
            thinking_config,
        },
        contents: writer.contents,
    };
    to_json(&body)
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Body<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    system_instruction: Option<Instruction<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tools: Option<[Tools<'a>; 1]>,
    generation_config: Generation,
    contents: Vec<Turn<'a>>,
}

#[derive(Serialize)]
struct Instruction<'a> {
    parts: [Piece<'a>; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Tools<'a> {
    function_declarations: Vec<Declaration<'a>>,
}

#[derive(Serialize)]
struct Declaration<'a> {
    name: &'a str,
    description: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    parameters: Option<Value>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Generation {
    #[serde(skip_serializing_if = "Option::is_none")]
    max_output_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    thinking_config: Option<ThinkingConfig>,
}

#[derive(Serialize)]
struct Turn<'a> {
    role: &'static str,
    parts: Vec<Line<'a>>,
    /// Results stand alone: the service counts them against the calls.
    #[serde(skip)]
    is_results: bool,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Line<'a> {
    Verbatim(&'a RawValue),
    Own(Piece<'a>),
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
#[serde(untagged)]
enum Piece<'a> {
    Text {
        text: Cow<'a, str>,
    },
    Image {
        inline_data: Data,
    },
    Call {
        function_call: Call<'a>,
        #[serde(skip_serializing_if = "Option::is_none")]
        thought_signature: Option<&'static str>,
    },
    Answer {
        function_response: Answer<'a>,
    },
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Data {
    mime_type: &'static str,
    data: String,
}

#[derive(Serialize)]
struct Call<'a> {
    name: String,
    args: &'a RawValue,
}

#[derive(Serialize)]
struct Answer<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    name: String,
    response: Outcome<'a>,
}

/// The two keys that the service knows.
#[derive(Serialize)]
#[serde(rename_all = "lowercase")]
enum Outcome<'a> {
    Output(&'a str),
    Error(&'a str),
}

fn text_piece<'a>(text: impl Into<Cow<'a, str>>) -> Piece<'a> {
    Piece::Text { text: text.into() }
}

fn declaration(spec: &ToolSpec) -> Result<Declaration<'_>, ModelError> {
    // It was read as JSON a moment ago.
    let schema: Value = serde_json::from_str(schema(spec)?.get()).unwrap_or_default();
    Ok(Declaration {
        name: &spec.name,
        description: &spec.description,
        parameters: translated(&schema),
    })
}

/// A call that waits for its result.
struct Waiting {
    call: CallId,
    /// The service's name, when it gave one; else the order counts.
    id: Option<String>,
    tool: String,
}

struct Writer<'a, 'w> {
    mark: &'w str,
    takes_images: bool,
    wants_signatures: bool,
    /// Those of the last answer.
    calls: Vec<Waiting>,
    contents: Vec<Turn<'a>>,
}

impl<'a> Writer<'a, '_> {
    fn message(&mut self, message: &'a Message) {
        match message {
            Message::User { content, .. } => {
                let pieces = self.pieces(content);
                self.add("user", pieces.into_iter().map(Line::Own).collect());
            }
            Message::Assistant { message, .. } => {
                let lines = self.assistant(message);
                self.add("model", lines);
            }
            Message::Results { results, .. } => {
                let answers = results.iter().map(|result| Line::Own(self.answer(result)));
                let parts: Vec<Line<'a>> = answers.collect();
                if !parts.is_empty() {
                    self.contents.push(Turn {
                        role: "user",
                        parts,
                        is_results: true,
                    });
                }
                let pictures = results.iter().flat_map(|result| self.pictures(result));
                let pictures = pictures.map(Line::Own).collect();
                self.add("user", pictures);
            }
        }
    }

    /// Adds to the last turn when it has the same role.
    fn add(&mut self, role: &'static str, mut parts: Vec<Line<'a>>) {
        if parts.is_empty() {
            return;
        }
        match self.contents.last_mut() {
            Some(last) if last.role == role && !last.is_results => last.parts.append(&mut parts),
            _ => self.contents.push(Turn {
                role,
                parts,
                is_results: false,
            }),
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
        Piece::Image {
            inline_data: Data {
                mime_type: image.format.media_type(),
                data: BASE64.encode(&image.bytes),
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

    fn assistant(&mut self, message: &'a AssistantMessage) -> Vec<Line<'a>> {
        let raw = raw_for(message, self.mark);
        if let Some(parts) = raw.and_then(|json| serde_json::from_str::<Vec<&RawValue>>(json).ok())
        {
            self.await_results(message, &parts);
            return parts.into_iter().map(Line::Verbatim).collect();
        }
        self.await_results(message, &[]);
        let mut pieces = Vec::new();
        if !message.text.trim().is_empty() {
            pieces.push(text_piece(&*message.text));
        }
        for (number, call) in message.calls.iter().enumerate() {
            let is_first = number == 0;
            pieces.push(Piece::Call {
                function_call: Call {
                    name: plain_name(&call.tool, "unknown"),
                    args: object_or_empty(&call.input.0),
                },
                thought_signature: (is_first && self.wants_signatures).then_some(NO_SIGNATURE),
            });
        }
        pieces.into_iter().map(Line::Own).collect()
    }

    /// Notes the calls of an answer, with the names that the service gave them.
    fn await_results(&mut self, message: &AssistantMessage, parts: &[&RawValue]) {
        let told = parts.iter().filter_map(|raw| {
            let part = serde_json::from_str::<chunk::Part<'_>>(raw.get());
            let call = part.ok()?.function_call?;
            Some((call.id.unwrap_or_default(), call.name.unwrap_or_default()))
        });
        let told = told.chain(std::iter::repeat_with(Default::default));
        self.calls = message
            .calls
            .iter()
            .zip(told)
            .map(|(call, (id, name))| Waiting {
                call: call.id.clone(),
                id: Some(id).filter(|id| !id.is_empty()),
                // Under the name that stands in the call, whatever it is.
                tool: match name.is_empty() {
                    true => plain_name(&call.tool, "unknown"),
                    false => name,
                },
            })
            .collect();
    }

    fn answer(&self, result: &'a CallResult) -> Piece<'a> {
        let waiting = self
            .calls
            .iter()
            .find(|waiting| waiting.call == result.call);
        let name = waiting.map(|waiting| waiting.tool.clone());
        let text = result_text(result);
        Piece::Answer {
            function_response: Answer {
                id: waiting.and_then(|waiting| waiting.id.clone()),
                name: name.unwrap_or_else(|| plain_name(&result.tool, "unknown")),
                response: match result.is_error() {
                    true => Outcome::Error(text),
                    false => Outcome::Output(text),
                },
            },
        }
    }
}

#[cfg(test)]
mod tests;
