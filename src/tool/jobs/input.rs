//! `job_input`: text to a job's standard input. To tell a program what to do is
//! an act like starting one: it is judged as the job's command with that text as
//! its input.

use std::sync::Arc;
use std::time::Duration;

use greenroom_actors::ports::{Action, PlannedCall, Ran, ToolFault, ToolSpec, Touch, Work};
use greenroom_protocol::session::{Category, Document, Text};
use tokio::io::AsyncWriteExt;
use tokio::process::ChildStdin;
use tokio::time::{Instant, timeout_at};

use super::super::call::{self, Scene, Tool, at_once, done, failed, planned};
use super::super::input::Fields;
use super::super::text::{counted, headline};
use super::job::{self, Job};

const NAME: &str = "job_input";

/// As long as a command may be.
const TEXT_BYTES: usize = 100_000;

/// How long a job may take to read it.
const PATIENCE: Duration = Duration::from_secs(5);

const SCHEMA: &str = r#"{
  "type": "object",
  "properties": {
    "job": {"type": "string", "description": "Which: `job1`."},
    "text": {"type": "string", "description": "What it reads, as it is: end a line with a newline."},
    "close": {"type": "boolean", "description": "Then close its standard input. Default false."}
  },
  "required": ["job"],
  "additionalProperties": false
}"#;

/// The tool.
pub(in crate::tool) struct JobInput;

struct Input {
    job: String,
    text: String,
    close: bool,
}

impl Input {
    fn read(input: &Document) -> Result<Input, ToolFault> {
        let mut fields = Fields::read(input)?;
        let job = fields.full_text("job")?;
        let text = fields.optional_text("text")?.unwrap_or_default();
        let close = fields.flag("close")?;
        if text.len() > TEXT_BYTES {
            let what = format!("is longer than {TEXT_BYTES} bytes: give it in parts");
            return Err(fields.fault("text", &what));
        }
        if text.is_empty() && !close {
            return Err(
                fields.missing("text", "a string that is not empty, unless `close` is true")
            );
        }
        fields.finish()?;
        Ok(Input { job, text, close })
    }
}

impl Tool for JobInput {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: Text::from(NAME),
            description: Text::from(
                "Write to the standard input of a job (a shell command in the background), or close \
                 it. See what it answers with job_output.",
            ),
            schema: Document(Text::from(SCHEMA)),
            category: Category::Shell,
        }
    }

    fn plan(&self, input: &Document, scene: &Scene) -> Result<PlannedCall, ToolFault> {
        let input_of = Input::read(input)?;
        let found = scene.kit.jobs.find(&scene.context.session, &input_of.job);
        let job = found.map_err(ToolFault)?;
        if let Some(why) = deaf(&job) {
            return Err(ToolFault(why));
        }
        let what = match input_of.text.is_empty() {
            true => "end of input".to_owned(),
            false => headline(&input_of.text),
        };
        let summary = format!("to {} ({}): {what}", job.name, headline(&job.command));
        let touches = vec![Touch {
            path: job.folder.clone(),
            named: job.folder.clone(),
            write: true,
            inside: job.folder.starts_with(&*scene.context.root),
        }];
        Ok(PlannedCall {
            command: Some(Text::from(judged(&job.command, &input_of.text))),
            ..planned(NAME, Category::Shell, summary, touches, input)
        })
    }

    fn run(&self, call: call::Job) -> Work<Ran> {
        let input = match &call.planned.action {
            Action::Run(input) => Input::read(input),
            _ => Err(ToolFault(
                "this call was not planned as one that runs".into(),
            )),
        };
        match input {
            Ok(input) => Box::pin(run(call, input)),
            Err(fault) => at_once(failed(fault.0)),
        }
    }
}

/// The command line that stands for the act: the job's, reading that text.
fn judged(command: &str, text: &str) -> String {
    if text.is_empty() {
        return format!("{command} </dev/null");
    }
    let newline = match text.ends_with('\n') {
        true => "",
        false => "\n",
    };
    format!("{command} <<'INPUT'\n{text}{newline}INPUT")
}

/// Why a job reads nothing.
fn deaf(job: &Job) -> Option<String> {
    if job.end().is_some() {
        return Some(format!("{}: it reads nothing any more", job.standing()));
    }
    let name = &job.name;
    job.is_kept
        .then(|| format!("{name} outlives the session, and so has no standard input"))
}

async fn run(call: call::Job, input: Input) -> Ran {
    let jobs = &call.scene.kit.jobs;
    let job = match jobs.find(&call.scene.context.session, &input.job) {
        Ok(job) => job,
        Err(why) => return failed(why),
    };
    if let Some(why) = deaf(&job) {
        return failed(why);
    }
    let name = job.name.clone();
    let stdin = match job.take_input() {
        job::Input::Free(stdin) => stdin,
        job::Input::Taken => return failed(format!("another call is writing to {name}")),
        job::Input::Closed => return failed(format!("the standard input of {name} is closed")),
    };
    let mut taken = Taken {
        job,
        stdin: Some(stdin),
    };
    let written = taken.write(input.text.as_bytes()).await;
    if input.close && written.is_ok() {
        taken.stdin = None;
    }
    let closed = match taken.stdin.is_none() {
        true => "; its standard input is closed",
        false => "",
    };
    match written {
        Ok(()) => {
            let bytes = counted(input.text.len(), "byte");
            done(format!("[{bytes} written to {name}{closed}]"))
        }
        Err(why) => failed(format!("{name} {why}")),
    }
}

/// A job's standard input in our hands; given back in any case.
struct Taken {
    job: Arc<Job>,
    stdin: Option<ChildStdin>,
}

impl Taken {
    /// Writes everything, or says why not.
    async fn write(&mut self, text: &[u8]) -> Result<(), String> {
        let deadline = Instant::now() + PATIENCE;
        let mut rest = text;
        while let Some(stdin) = self.stdin.as_mut().filter(|_| !rest.is_empty()) {
            match timeout_at(deadline, stdin.write(rest)).await {
                Ok(Ok(length)) if length > 0 => rest = rest.get(length..).unwrap_or_default(),
                Ok(_) => {
                    self.stdin = None;
                    let written = text.len() - rest.len();
                    return Err(format!(
                        "has closed its standard input: {written} of {} bytes were written",
                        text.len()
                    ));
                }
                Err(_) => {
                    let written = text.len() - rest.len();
                    return Err(format!(
                        "does not read: {written} of {} bytes were written, the rest was not",
                        text.len()
                    ));
                }
            }
        }
        Ok(())
    }
}

impl Drop for Taken {
    fn drop(&mut self) {
        self.job.put_input(self.stdin.take());
    }
}
