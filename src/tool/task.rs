//! `task`: gives a part of the work to a sub-agent. The session does it.

use greenroom_actors::ports::{Action, AgentTask, PlannedCall, Ran, ToolFault, ToolSpec, Work};
use greenroom_protocol::session::{Category, Document, Text};

use super::call::{Job, Scene, Tool, at_once, failed, planned};
use super::input::Fields;

const NAME: &str = "task";
/// The kind that is meant when none is named.
const USUAL_AGENT: &str = "general";

const SCHEMA: &str = r#"{
  "type": "object",
  "properties": {
    "description": {"type": "string", "description": "The task in three to six words, for people."},
    "prompt": {"type": "string", "description": "All that the sub-agent must know: it sees nothing of this conversation."},
    "agent": {"type": "string", "description": "Which kind of sub-agent. Default: general."},
    "background": {"type": "boolean", "description": "Go on without waiting: the report comes later as a message. Default: false."}
  },
  "required": ["description", "prompt"],
  "additionalProperties": false
}"#;

/// The tool.
pub(super) struct Task;

impl Tool for Task {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: Text::from(NAME),
            description: Text::from(
                "Give a part of the work to a sub-agent, which works in the same folder with tools of \
                 its own, and get its report. Several calls at once run side by side: don't let two \
                 of them change the same files. The system prompt lists the kinds of sub-agents.",
            ),
            schema: Document(Text::from(SCHEMA)),
            category: Category::Agent,
        }
    }

    fn plan(&self, input: &Document, _: &Scene) -> Result<PlannedCall, ToolFault> {
        let mut fields = Fields::read(input)?;
        let task = Text::from(fields.full_text("description")?);
        let prompt = Text::from(fields.full_text("prompt")?);
        let name = fields.optional_text("agent")?;
        let background = fields.flag("background")?;
        fields.finish()?;
        let name = Text::from(name.as_deref().unwrap_or(USUAL_AGENT));
        let summary = match background {
            true => format!("{name}: {task} (in the background)"),
            false => format!("{name}: {task}"),
        };
        Ok(PlannedCall {
            target: Some(name.clone()),
            action: Action::Delegate(AgentTask {
                name,
                task,
                prompt,
                background,
            }),
            ..planned(NAME, Category::Agent, summary, Vec::new(), input)
        })
    }

    fn run(&self, _: Job) -> Work<Ran> {
        at_once(failed(
            "no sub-agent was started: sessions start them themselves",
        ))
    }
}
