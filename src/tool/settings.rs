//! Limits of the tools, each with its default.

use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use super::sandbox::SandboxSettings;
use super::web_fetch::WebSettings;

/// What may be set about tools. Sizes are in bytes.
#[derive(Debug, Clone)]
pub struct ToolSettings {
    /// How long a command may run when its call names no time. Default 120 s.
    pub shell_timeout: Duration,
    /// The longest time that a call may name. Default 600 s.
    pub shell_timeout_max: Duration,
    /// How much of a command's output goes to the model: one half from its
    /// head, one from its tail. Default 64 KiB.
    pub output_bytes: usize,
    /// How much of a command's output is streamed to clients; the rest is only
    /// counted and, at its tail, kept for the model. Default 8 MiB.
    pub stream_bytes: usize,
    /// Where the whole of a longer output is kept: `<state folder>/outputs`.
    /// Default: nowhere.
    pub outputs_folder: Option<PathBuf>,
    /// How much of one is kept there; 0: nothing. Default 32 MiB.
    pub whole_output_bytes: u64,
    /// How much of all of them; of more the oldest go. Default 256 MiB.
    pub kept_outputs_bytes: u64,
    /// How many commands may run at once in the background of a session; 0: none
    /// can be put there. Default 8.
    pub jobs: usize,
    /// How much of the output of a command in the background is kept: a quarter
    /// from its head, the rest from its tail. Default 1 MiB.
    pub job_output_bytes: usize,
    /// How much text one read gives. Default 256 KiB.
    pub read_bytes: usize,
    /// How many lines one read gives. Default 2,000.
    pub read_lines: usize,
    /// How much of one line a read or a search shows. Default 2,000.
    pub line_bytes: usize,
    /// The largest picture that is given to the model. Default 5 MiB.
    pub image_bytes: usize,
    /// How many matching lines one search gives. Default 200.
    pub search_matches: usize,
    /// How many paths one listing gives. Default 1,000.
    pub list_entries: usize,
    /// The largest file that is edited or written. Default 10 MiB.
    pub edit_bytes: usize,
    /// The environment of the process, as read at start. Commands get only the
    /// harmless part of it. Default: empty.
    pub environment: Environment,
    /// Names of more variables that commands get. Names that look like a
    /// secret's (`*_API_KEY`, `*TOKEN*`, `*SECRET*`, …) never pass. Default: none.
    pub pass_variables: Vec<String>,
    /// Where the user's skills are. Default: nowhere.
    pub skill_folders: Vec<PathBuf>,
    /// What the system keeps commands from. Default: nothing.
    pub sandbox: SandboxSettings,
    /// What may be fetched from the web. Default: nothing.
    pub web: WebSettings,
}

/// Names and values of environment variables. There may be keys among them:
/// `Debug` shows only how many there are.
#[derive(Clone, Default)]
pub struct Environment(pub Vec<(OsString, OsString)>);

impl fmt::Debug for Environment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Environment({} variables)", self.0.len())
    }
}

impl Default for ToolSettings {
    fn default() -> ToolSettings {
        ToolSettings {
            shell_timeout: Duration::from_secs(120),
            shell_timeout_max: Duration::from_secs(600),
            output_bytes: 64 << 10,
            stream_bytes: 8 << 20,
            outputs_folder: None,
            whole_output_bytes: 32 << 20,
            kept_outputs_bytes: 256 << 20,
            jobs: 8,
            job_output_bytes: 1 << 20,
            read_bytes: 256 << 10,
            read_lines: 2_000,
            line_bytes: 2_000,
            image_bytes: 5 << 20,
            search_matches: 200,
            list_entries: 1_000,
            edit_bytes: 10 << 20,
            environment: Environment::default(),
            pass_variables: Vec::new(),
            skill_folders: Vec::new(),
            sandbox: SandboxSettings::default(),
            web: WebSettings::default(),
        }
    }
}
