//! `job_kill`: ends a job, with all that it started.

use std::time::Duration;

use greenroom_actors::ports::{Action, PlannedCall, Ran, ToolFault, ToolSpec, Work};
use greenroom_protocol::session::{Category, Document, Text};
use tokio::time::Instant;

use super::super::call::{self, Scene, Tool, at_once, failed, planned};
use super::super::input::Fields;
use super::super::text::headline;
use super::job::{Stop, Until};
use super::output::told;

const NAME: &str = "job_kill";

/// How long its end is waited for: two seconds of politeness among them.
const PATIENCE: Duration = Duration::from_secs(10);

const SCHEMA: &str = r#"{
  "type": "object",
  "properties": {
    "job": {"type": "string", "description": "Which: `job1`."}
  },
  "required": ["job"],
  "additionalProperties": false
}"#;

/// The tool.
pub(in crate::tool) struct JobKill;

fn name_of(input: &Document) -> Result<String, ToolFault> {
    let mut fields = Fields::read(input)?;
    let job = fields.full_text("job")?;
    fields.finish()?;
    Ok(job)
}

impl Tool for JobKill {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: Text::from(NAME),
            description: Text::from(
                "End a job (a shell command in the background) and all that it started: politely, \
                 and two seconds later by force. Gives the output that was not looked at.",
            ),
            schema: Document(Text::from(SCHEMA)),
            category: Category::Session,
        }
    }

    fn plan(&self, input: &Document, scene: &Scene) -> Result<PlannedCall, ToolFault> {
        let name = name_of(input)?;
        let found = scene.kit.jobs.find(&scene.context.session, &name);
        let job = found.map_err(ToolFault)?;
        let summary = format!("{name}: {}", headline(&job.command));
        let touches = Vec::new();
        Ok(planned(NAME, Category::Session, summary, touches, input))
    }

    fn run(&self, call: call::Job) -> Work<Ran> {
        let name = match &call.planned.action {
            Action::Run(input) => name_of(input),
            _ => Err(ToolFault(
                "this call was not planned as one that runs".into(),
            )),
        };
        match name {
            Ok(name) => Box::pin(run(call, name)),
            Err(fault) => at_once(failed(fault.0)),
        }
    }

    fn bounds_itself(&self) -> bool {
        true
    }
}

async fn run(call: call::Job, name: String) -> Ran {
    let kit = &call.scene.kit;
    let job = match kit.jobs.find(&call.scene.context.session, &name) {
        Ok(job) => job,
        Err(why) => return failed(why),
    };
    job.stop(Stop::Kill);
    job.wait(Until::End, Instant::now() + PATIENCE).await;
    let ran = told(&job, None, kit.settings.output_bytes);
    match job.end() {
        Some(_) => Ran {
            exit_code: None,
            ..ran
        },
        None => Ran {
            failed: true,
            text: format!("{}\n[it was told to end, but has not yet]", ran.text),
            ..ran
        },
    }
}
