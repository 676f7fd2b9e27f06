//! `shell`: a command in a process group of its own, with a scrubbed
//! environment, whose every process ends with its call.

mod background;
mod hold;
mod host;
mod keeper;
mod leash;
mod processes;
mod pump;
mod server;

use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::time::Duration;

use greenroom_actors::ports::{Action, PlannedCall, Ran, ToolFault, ToolSpec, Work};
use greenroom_protocol::session::{Category, Document, Text};

use super::call::{Job, Scene, Tool, at_once, failed, planned};
use super::disk;
use super::input::Fields;
use super::jobs;
use super::paths;
use super::settings::ToolSettings;
use super::text::headline;
pub(super) use host::{CommandHost, Place};
pub use host::{harmless_environment, steers_start};
pub use keeper::{KEEPER_WORD, keep_server};
pub(super) use leash::Leash;
#[cfg(test)]
pub(super) use leash::adopt_orphans;
pub use leash::{become_subreaper, wait_for_stops};
pub(super) use pump::Pipe;
pub use server::{ServerCommand, ServerProcess};

const NAME: &str = "shell";

/// Linux takes no longer argument than 128 KiB.
const COMMAND_BYTES: usize = 100_000;

const SCHEMA: &str = r#"{
  "type": "object",
  "properties": {
    "command": {"type": "string", "description": "What `bash -c` runs. Standard input is empty, but for a job's."},
    "timeout_ms": {"type": "integer", "minimum": 1, "description": "After this the command is stopped. Default 120000, at most 600000."},
    "cwd": {"type": "string", "description": "The folder to run in. Default: the workspace."},
    "background": {"type": "boolean", "description": "Leave it running as a job and return at once; see job_output, job_input, job_kill. Its standard input is open. Default false."},
    "keep": {"type": "boolean", "description": "With `background`: let it go on when the session ends. It has no standard input then. Only when the user wants that. Default false."}
  },
  "required": ["command"],
  "additionalProperties": false
}"#;

/// The tool.
pub(super) struct Shell;

struct Input {
    command: String,
    timeout: Duration,
    cwd: Option<String>,
    background: bool,
    keep: bool,
}

impl Input {
    fn read(input: &Document, settings: &ToolSettings) -> Result<Input, ToolFault> {
        let mut fields = Fields::read(input)?;
        let command = fields.full_text("command")?;
        if command.contains('\0') {
            return Err(fields.fault("command", "must not hold a NUL character"));
        }
        if command.len() > COMMAND_BYTES {
            let what = format!("is longer than {COMMAND_BYTES} bytes: put it into a file");
            return Err(fields.fault("command", &what));
        }
        let longest = u64::try_from(settings.shell_timeout_max.as_millis()).unwrap_or(u64::MAX);
        let timeout = fields.count("timeout_ms", 1..=longest)?;
        let cwd = fields.optional_text("cwd")?;
        let background = fields.flag("background")?;
        let keep = fields.flag("keep")?;
        if background && timeout.is_some() {
            let what =
                "does not go with `background`: a job runs until it ends or job_kill ends it";
            return Err(fields.fault("timeout_ms", what));
        }
        if keep && !background {
            return Err(fields.fault("keep", "goes with `background` alone"));
        }
        fields.finish()?;
        Ok(Input {
            command,
            timeout: timeout.map_or(settings.shell_timeout, Duration::from_millis),
            cwd,
            background,
            keep,
        })
    }

    /// For a person.
    fn summary(&self) -> String {
        let command = headline(&self.command);
        match (self.background, self.keep) {
            (false, _) => command,
            (true, false) => format!("in the background: {command}"),
            (true, true) => format!("detached, outlives the session: {command}"),
        }
    }

    /// What is judged, and shown to whoever is asked.
    fn judged(self) -> String {
        match self.keep {
            true => jobs::as_detached(&self.command),
            false => self.command,
        }
    }
}

impl Tool for Shell {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: Text::from(NAME),
            description: Text::from(
                "Run a command with bash and get its output and exit code. Each call is a new shell: \
                 folder and variables do not carry over. Processes left behind with `&` are ended when \
                 the call ends: use `background` for servers, watchers and long builds. Of long output you get the head and the tail (32 KB each), and \
                 where the whole is.",
            ),
            schema: Document(Text::from(SCHEMA)),
            category: Category::Shell,
        }
    }

    fn plan(&self, input: &Document, scene: &Scene) -> Result<PlannedCall, ToolFault> {
        let shell = Input::read(input, &scene.kit.settings)?;
        let root = &scene.context.root;
        let cwd = shell.cwd.as_deref().unwrap_or(".");
        let place = paths::resolve(root, cwd, "cwd")?;
        if !place.path.is_dir() {
            return Err(ToolFault(format!(
                "`cwd`: {} is not a folder",
                place.shown(root)
            )));
        }
        let summary = shell.summary();
        let touches = vec![place.touch(true)];
        Ok(PlannedCall {
            command: Some(Text::from(shell.judged())),
            ..planned(NAME, Category::Shell, summary, touches, input)
        })
    }

    fn run(&self, job: Job) -> Work<Ran> {
        let settings = &job.scene.kit.settings;
        let input = match &job.planned.action {
            Action::Run(input) => Input::read(input, settings),
            _ => Err(ToolFault(
                "this call was not planned as one that runs".into(),
            )),
        };
        match input {
            Ok(input) if input.background => {
                Box::pin(async move { jobs::start(&job, &input.command, input.keep) })
            }
            Ok(input) => Box::pin(run(job, input)),
            Err(fault) => at_once(failed(fault.0)),
        }
    }

    fn bounds_itself(&self) -> bool {
        true
    }
}

async fn run(job: Job, input: Input) -> Ran {
    let Some(touch) = job.planned.touches.first() else {
        return failed("this call was planned without its folder");
    };
    let kit = &job.scene.kit;
    let shown = paths::shown(&job.scene.context.root, &touch.path);
    // Opened without following links, so that the folder is the one judged.
    let folder = match disk::open_folder(&touch.path) {
        Ok(folder) => folder,
        Err(fault) => return failed(format!("`cwd`: {shown} {fault}")),
    };
    // By this mark processes are killed: whatever else happens to bear the same
    // names (a copy of the session in another process) must not bear it.
    let session = &job.scene.context.session;
    let marker = format!("{session}/{}/{:08x}", job.call, fastrand::u32(..));
    let place = Place {
        root: &job.scene.context.root,
        folder: &folder,
        path: &touch.path,
    };
    let leash = match kit.host.start(&input.command, &place, marker) {
        Ok(leash) => leash,
        Err(error) => return failed(format!("the shell cannot be started: {error}")),
    };
    drop(folder);
    let limits = pump::PumpLimits {
        time: input.timeout,
        kept: kit.settings.output_bytes,
        streamed: kit.settings.stream_bytes,
    };
    let most = kit.settings.output_bytes;
    let whole = kit.outputs.whole(session, &job.call, most);
    let ended = pump::pump(leash, &job.output, &limits, whole).await;
    tell(ended, input.timeout)
}

fn tell(ended: pump::Ended, timeout: Duration) -> Ran {
    let mut ran = Ran {
        text: ended.text,
        truncated: ended.truncated,
        failed: true,
        ..Ran::default()
    };
    let note = match ended.how {
        pump::How::TimedOut => Some(format!(
            "timed out after {} and was stopped; what it had started was stopped too",
            seconds(timeout)
        )),
        pump::How::Lost(error) => Some(format!("the command was lost sight of: {error}")),
        pump::How::Exited(status) => {
            ran.exit_code = status.code();
            ran.failed = !status.success();
            exit_note(status)
        }
    };
    if let Some(note) = note {
        if !ran.text.is_empty() && !ran.text.ends_with('\n') {
            ran.text.push('\n');
        }
        ran.text.push_str(&format!("[{note}]"));
    }
    if ran.text.is_empty() {
        ran.text.push_str("[no output; exit code 0]");
    }
    ran
}

fn exit_note(status: ExitStatus) -> Option<String> {
    match (status.code(), status.signal()) {
        (Some(0), _) => None,
        (Some(code), _) => Some(format!("exit code {code}")),
        (None, Some(signal)) => Some(format!("killed by signal {signal}{}", signal_name(signal))),
        (None, None) => Some("ended without an exit code".into()),
    }
}

/// A signal's name in brackets, with a blank before it; nothing for rare ones.
pub(super) fn signal_name(signal: i32) -> &'static str {
    match signal {
        1 => " (SIGHUP)",
        2 => " (SIGINT)",
        3 => " (SIGQUIT)",
        4 => " (SIGILL)",
        6 => " (SIGABRT)",
        7 => " (SIGBUS)",
        8 => " (SIGFPE)",
        9 => " (SIGKILL)",
        11 => " (SIGSEGV)",
        13 => " (SIGPIPE)",
        15 => " (SIGTERM)",
        _ => "",
    }
}

fn seconds(time: Duration) -> String {
    match time.subsec_millis() {
        0 => format!("{} s", time.as_secs()),
        _ => format!("{} ms", time.as_millis()),
    }
}

#[cfg(test)]
mod tests;
