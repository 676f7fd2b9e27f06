//! `job_output`: what a job wrote, and how it stands; or all jobs.

use std::time::Duration;

use greenroom_actors::ports::{Action, JobEnd, PlannedCall, Ran, ToolFault, ToolSpec, Work};
use greenroom_protocol::session::{Category, Document, Text};
use tokio::time::Instant;

use super::super::call::{self, Scene, Tool, at_once, done, failed, planned};
use super::super::input::Fields;
use super::super::settings::ToolSettings;
use super::super::text::HeadTail;
use super::job::{Job, Until};

const NAME: &str = "job_output";

const SCHEMA: &str = r#"{
  "type": "object",
  "properties": {
    "job": {"type": "string", "description": "Which: `job1`. Without it all jobs are listed."},
    "tail": {"type": "integer", "minimum": 1, "maximum": 100000, "description": "Give the last so many lines instead of what is new."},
    "wait_seconds": {"type": "integer", "minimum": 0, "description": "Wait at most so long. Default 0, at most 600."},
    "until": {"type": "string", "enum": ["output", "end"], "description": "What to wait for: new output (or the end), or the end alone. Default `output`."}
  },
  "additionalProperties": false
}"#;

/// The tool.
pub(in crate::tool) struct JobOutput;

struct Input {
    job: Option<String>,
    tail: Option<usize>,
    wait: Duration,
    until: Until,
}

impl Input {
    fn read(input: &Document, settings: &ToolSettings) -> Result<Input, ToolFault> {
        let mut fields = Fields::read(input)?;
        let job = fields.optional_text("job")?;
        let tail = fields.count("tail", 1..=100_000)?;
        let longest = settings.shell_timeout_max.as_secs();
        let wait = fields.count("wait_seconds", 0..=longest)?.unwrap_or(0);
        let words = [("output", Until::Output), ("end", Until::End)];
        let until = fields.word("until", &words)?.unwrap_or(Until::Output);
        if job.is_none() && (tail.is_some() || wait > 0) {
            return Err(fields.missing("job", "a string, since one job is waited for or read"));
        }
        fields.finish()?;
        Ok(Input {
            job,
            tail: tail.map(|lines| lines as usize),
            wait: Duration::from_secs(wait),
            until,
        })
    }
}

impl Tool for JobOutput {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: Text::from(NAME),
            description: Text::from(
                "See what a job (a shell command in the background) wrote since the last look, and \
                 whether it is still running or how it ended. Can wait for output or for the end. \
                 Without `job`: list all jobs.",
            ),
            schema: Document(Text::from(SCHEMA)),
            category: Category::Session,
        }
    }

    fn plan(&self, input: &Document, scene: &Scene) -> Result<PlannedCall, ToolFault> {
        let read = Input::read(input, &scene.kit.settings)?;
        let summary = match &read.job {
            None => "the jobs".to_owned(),
            Some(name) => {
                let found = scene.kit.jobs.find(&scene.context.session, name);
                found.map_err(ToolFault)?;
                name.clone()
            }
        };
        let touches = Vec::new();
        Ok(planned(NAME, Category::Session, summary, touches, input))
    }

    fn run(&self, job: call::Job) -> Work<Ran> {
        let settings = &job.scene.kit.settings;
        let input = match &job.planned.action {
            Action::Run(input) => Input::read(input, settings),
            _ => Err(ToolFault(
                "this call was not planned as one that runs".into(),
            )),
        };
        match input {
            Ok(input) => Box::pin(run(job, input)),
            Err(fault) => at_once(failed(fault.0)),
        }
    }

    fn bounds_itself(&self) -> bool {
        true
    }
}

async fn run(call: call::Job, input: Input) -> Ran {
    let session = &call.scene.context.session;
    let jobs = &call.scene.kit.jobs;
    let Some(name) = &input.job else {
        let lines: Vec<String> = jobs.all(session).iter().map(|job| job.line()).collect();
        return done(match lines.is_empty() {
            true => "there are no jobs".to_owned(),
            false => lines.join("\n"),
        });
    };
    let job = match jobs.find(session, name) {
        Ok(job) => job,
        Err(why) => return failed(why),
    };
    if !input.wait.is_zero() {
        job.wait(input.until, Instant::now() + input.wait).await;
    }
    told(&job, input.tail, call.scene.kit.settings.output_bytes)
}

/// What a look at a job gives: its state, then its output.
pub(super) fn told(job: &Job, lines: Option<usize>, most: usize) -> Ran {
    let look = job.look(lines);
    let nothing = match (look.text.is_empty(), lines) {
        (false, _) => "",
        (true, None) => "; no new output",
        (true, Some(_)) => "; no output",
    };
    let mut output = HeadTail::new(most);
    output.push(&look.text);
    let (output, truncated) = output.finish("");
    Ran {
        truncated,
        exit_code: match look.end {
            Some(JobEnd::Exited(code)) => Some(code),
            _ => None,
        },
        ..done(format!("[{}{nothing}]\n{output}", look.state))
    }
}
