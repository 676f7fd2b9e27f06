//! `update_plan`: the session's list of what is to do.

use greenroom_actors::ports::{Action, PlannedCall, Ran, ToolFault, ToolSpec, Work};
use greenroom_protocol::session::{Category, Document, PlanItem, PlanStatus, Priority, Text};

use super::call::{Job, Scene, Tool, at_once, failed, planned};
use super::input::Fields;
use super::text::counted;

const NAME: &str = "update_plan";
const ITEMS: usize = 100;

const SCHEMA: &str = r#"{
  "type": "object",
  "properties": {
    "items": {
      "type": "array",
      "maxItems": 100,
      "description": "The whole list, in order; it replaces the one before.",
      "items": {
        "type": "object",
        "properties": {
          "text": {"type": "string", "description": "What is to do, in a few words."},
          "status": {"type": "string", "enum": ["pending", "in_progress", "completed"]},
          "priority": {"type": "string", "enum": ["high", "medium", "low"], "description": "Default medium."}
        },
        "required": ["text", "status"],
        "additionalProperties": false
      }
    }
  },
  "required": ["items"],
  "additionalProperties": false
}"#;

const STATUS: &[(&str, PlanStatus)] = &[
    ("pending", PlanStatus::Pending),
    ("in_progress", PlanStatus::InProgress),
    ("completed", PlanStatus::Completed),
];

const PRIORITY: &[(&str, Priority)] = &[
    ("high", Priority::High),
    ("medium", Priority::Medium),
    ("low", Priority::Low),
];

/// The tool.
pub(super) struct UpdatePlan;

impl Tool for UpdatePlan {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: Text::from(NAME),
            description: Text::from(
                "Set the list of what is to do, for work of several steps. Give the whole list each \
                 time; keep one item in progress, and mark items completed as soon as they are.",
            ),
            schema: Document(Text::from(SCHEMA)),
            category: Category::Session,
        }
    }

    fn plan(&self, input: &Document, _: &Scene) -> Result<PlannedCall, ToolFault> {
        let items = read(input)?;
        let open = |item: &&PlanItem| item.status != PlanStatus::Completed;
        let summary = format!(
            "{}, {} open",
            counted(items.len(), "item"),
            items.iter().filter(open).count()
        );
        Ok(PlannedCall {
            action: Action::SetPlan(items),
            ..planned(NAME, Category::Session, summary, Vec::new(), input)
        })
    }

    fn run(&self, _: Job) -> Work<Ran> {
        at_once(failed(
            "the plan was not changed: plans are kept by the session",
        ))
    }
}

fn read(input: &Document) -> Result<Vec<PlanItem>, ToolFault> {
    let mut fields = Fields::read(input)?;
    if !fields.has("items") {
        return Err(fields.missing("items", "an array of {text, status} objects"));
    }
    let elements = fields.list("items", ITEMS)?;
    fields.finish()?;
    let mut items = Vec::with_capacity(elements.len());
    for element in elements {
        let mut fields = element.fields()?;
        let text = Text::from(fields.full_text("text")?);
        let status = fields.word("status", STATUS)?;
        let status = status.ok_or_else(|| {
            fields.missing("status", "one of `pending`, `in_progress`, `completed`")
        })?;
        let priority = fields.word("priority", PRIORITY)?.unwrap_or_default();
        fields.finish()?;
        items.push(PlanItem {
            text,
            status,
            priority,
        });
    }
    Ok(items)
}

#[cfg(test)]
mod tests;
