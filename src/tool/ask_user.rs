//! `ask_user`: questions to whoever is there.

use greenroom_actors::ports::{Action, PlannedCall, Ran, ToolFault, ToolSpec, Work};
use greenroom_protocol::session::{Category, Choice, Document, Question, Text};

use super::call::{Job, Scene, Tool, at_once, failed, planned};
use super::input::{Element, Fields};
use super::text::headline;

const NAME: &str = "ask_user";
const QUESTIONS: usize = 10;
const CHOICES: usize = 20;

const SCHEMA: &str = r#"{
  "type": "object",
  "description": "Either one `question`, or several `questions`.",
  "properties": {
    "question": {"type": "string", "description": "The question, when there is only one."},
    "choices": {"type": "array", "maxItems": 20, "items": {"type": "string"}, "description": "Answers to choose from; free text is always taken too."},
    "questions": {
      "type": "array",
      "maxItems": 10,
      "items": {
        "type": "object",
        "properties": {
          "question": {"type": "string"},
          "choices": {"type": "array", "maxItems": 20, "items": {"type": "string"}},
          "multiple": {"type": "boolean", "description": "Several choices may be taken. Default false."}
        },
        "required": ["question"],
        "additionalProperties": false
      }
    }
  },
  "additionalProperties": false
}"#;

/// The tool.
pub(super) struct AskUser;

impl Tool for AskUser {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: Text::from(NAME),
            description: Text::from(
                "Ask the user, and wait for the answer. Only for what you cannot find out yourself \
                 and what decides how to go on. Offer choices where you can.",
            ),
            schema: Document(Text::from(SCHEMA)),
            category: Category::Session,
        }
    }

    fn plan(&self, input: &Document, _: &Scene) -> Result<PlannedCall, ToolFault> {
        let questions = read(input)?;
        let summary = match questions.as_slice() {
            [first, rest @ ..] if !rest.is_empty() => {
                format!("{} (and {} more)", headline(&first.text), rest.len())
            }
            [only, ..] => headline(&only.text),
            [] => String::new(),
        };
        Ok(PlannedCall {
            action: Action::Ask(questions),
            ..planned(NAME, Category::Session, summary, Vec::new(), input)
        })
    }

    fn run(&self, _: Job) -> Work<Ran> {
        at_once(failed("nobody was asked: questions are put by the session"))
    }
}

fn read(input: &Document) -> Result<Vec<Question>, ToolFault> {
    let mut fields = Fields::read(input)?;
    if !fields.has("questions") {
        let only = question(&mut fields, 0)?;
        // Known, so that a misspelt name finds it.
        fields.list("questions", QUESTIONS)?;
        fields.finish()?;
        return Ok(vec![only]);
    }
    if fields.has("question") {
        return Err(fields.fault(
            "questions",
            "and `question` are both given: give one of them",
        ));
    }
    let elements = fields.list("questions", QUESTIONS)?;
    if elements.is_empty() {
        return Err(fields.fault("questions", "must hold at least one question"));
    }
    fields.finish()?;
    let mut questions = Vec::with_capacity(elements.len());
    for (index, element) in elements.into_iter().enumerate() {
        let mut fields = element.fields()?;
        questions.push(question(&mut fields, index)?);
        fields.finish()?;
    }
    Ok(questions)
}

fn question(fields: &mut Fields, index: usize) -> Result<Question, ToolFault> {
    let text = fields.full_text("question")?;
    let elements = fields.list("choices", CHOICES)?;
    let choices: Result<Vec<Choice>, ToolFault> = elements.into_iter().map(choice).collect();
    Ok(Question {
        id: Text::from(format!("q{index}")),
        text: Text::from(text),
        choices: choices?,
        multiple: fields.flag("multiple")?,
    })
}

/// A choice: its label, or an object with a label and a description.
fn choice(element: Element) -> Result<Choice, ToolFault> {
    if let Some(label) = element.as_text().filter(|label| !label.trim().is_empty()) {
        return Ok(Choice {
            label: Text::from(label),
            description: None,
        });
    }
    let mut fields = element.fields()?;
    let label = fields.full_text("label")?;
    let description = fields.optional_text("description")?;
    fields.finish()?;
    Ok(Choice {
        label: Text::from(label),
        description: description.map(Text::from),
    })
}

#[cfg(test)]
mod tests;
