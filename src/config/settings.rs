//! The checked configuration. Every value is usable as it stands.

use std::time::Duration;

use greenroom_actors::modes::Modes;
use greenroom_protocol::session::{Cost, Effort, Mode, ModelChange};

use super::{Fallbacks, LogFilter, Places, ProviderNote};
use crate::mcp::ServerConfig;
use crate::provider::{ModelEntry, ProviderConfig};
use crate::tool::{SandboxSettings, WebSettings};

/// Everything that a process is configured with, flags aside.
#[derive(Debug, Clone)]
pub struct Config {
    /// The file it was read from and the folder of the state.
    pub places: Places,
    /// Whether the file was there.
    pub file_found: bool,
    /// The usable providers, those of the file first. Never empty: `scripted`
    /// is always among them.
    pub providers: Vec<ProviderConfig>,
    /// Where each provider and its key come from, in the same order.
    pub provider_notes: Vec<ProviderNote>,
    /// Whom to ask instead of a provider that is overloaded.
    pub fallbacks: Fallbacks,
    /// The user's own additions to the catalogue of models.
    pub models: Vec<ModelEntry>,
    /// The provider of sessions that name none; one of `providers`.
    pub default_provider: String,
    /// The mode of sessions that name none. Default `auto`.
    pub mode: Mode,
    /// The modes that there are.
    pub modes: Modes,
    /// Whose model writes the titles of sessions, as a change of the session's
    /// own; nothing: titles are the first words.
    pub title_model: Option<ModelChange>,
    /// What the user and the project tell the model.
    pub instructions: InstructionSettings,
    /// The effort of sessions that name none; nothing means the provider's.
    pub effort: Option<Effort>,
    /// What a turn may use.
    pub limits: Limits,
    /// How long is waited.
    pub deadlines: Deadlines,
    /// How failed model calls are repeated.
    pub retries: Retries,
    /// How tools run.
    pub tools: ToolOptions,
    /// What the system keeps commands from.
    pub sandbox: SandboxSettings,
    /// What may be fetched from the web.
    pub web: WebSettings,
    /// What clients may send.
    pub input: InputSettings,
    /// What waits for clients.
    pub output: OutputSettings,
    /// What is logged, flags aside.
    pub log: LogSettings,
    /// The journal.
    pub journal: JournalSettings,
    /// Summaries of long conversations.
    pub compaction: CompactionSettings,
    /// Sub-agents.
    pub agents: AgentSettings,
    /// The MCP servers of the file; others stand in files of their own.
    pub mcp: Vec<ServerConfig>,
    /// What a person should know and that does not stop the start.
    pub warnings: Vec<String>,
}

impl Config {
    /// The provider of that name.
    pub fn provider(&self, name: &str) -> Option<&ProviderConfig> {
        self.providers.iter().find(|provider| provider.name == name)
    }

    /// The names of all providers, for messages: `a, b, c`.
    pub fn provider_names(&self) -> String {
        let names: Vec<&str> = self
            .providers
            .iter()
            .map(|provider| provider.name.as_str())
            .collect();
        names.join(", ")
    }
}

/// What the user and the project tell the model in files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InstructionSettings {
    /// Names that are looked for; the first that is there counts. Default
    /// `AGENTS.md`, `CLAUDE.md`; none turns it off.
    pub files: Vec<String>,
    /// How much of all of them goes into the system prompt. Default 64 KiB.
    pub max_bytes: usize,
}

impl Default for InstructionSettings {
    fn default() -> InstructionSettings {
        InstructionSettings {
            files: vec!["AGENTS.md".to_owned(), "CLAUDE.md".to_owned()],
            max_bytes: 64 << 10,
        }
    }
}

/// What a turn may use. Each limit ends the turn with its own reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// Model calls. Default 100.
    pub max_steps: u32,
    /// Tokens of all model calls together.
    pub turn_tokens: Option<u64>,
    /// Money.
    pub turn_cost: Option<Cost>,
    /// Tokens of the whole session.
    pub session_tokens: Option<u64>,
    /// Money of the whole session.
    pub session_cost: Option<Cost>,
    /// What a turn does that meets a limit on calls, tokens or money.
    pub when_met: WhenMet,
    /// Wall time.
    pub turn_time: Option<Duration>,
    /// Tokens that one answer of the model may have.
    pub answer_tokens: Option<u32>,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            max_steps: 100,
            turn_tokens: None,
            turn_cost: None,
            session_tokens: None,
            session_cost: None,
            when_met: WhenMet::End,
            turn_time: None,
            answer_tokens: None,
        }
    }
}

/// What a turn does that meets a limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum WhenMet {
    /// It ends, with the limit as its reason.
    #[default]
    End,
    /// It asks whether it may go on with as much again.
    Ask,
}

/// How long is waited.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Deadlines {
    /// For a connection to a provider. Default 10 s.
    pub connect: Duration,
    /// For the first piece of an answer. Default 120 s.
    pub first_piece: Duration,
    /// For each further piece. Default 60 s.
    pub stall: Duration,
    /// For a decision on an approval. Default: for ever.
    pub approval: Option<Duration>,
    /// For an answer to a question. Default: for ever.
    pub question: Option<Duration>,
}

impl Default for Deadlines {
    fn default() -> Deadlines {
        Deadlines {
            connect: Duration::from_secs(10),
            first_piece: Duration::from_secs(120),
            stall: Duration::from_secs(60),
            approval: None,
            question: None,
        }
    }
}

/// How failed model calls are repeated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Retries {
    /// Calls in all, the first included. Default 5; 1 means no retry.
    pub attempts: u32,
    /// The first pause; it doubles each time. Default 500 ms.
    pub base: Duration,
    /// The longest pause. Default 30 s.
    pub cap: Duration,
}

impl Default for Retries {
    fn default() -> Retries {
        Retries {
            attempts: 5,
            base: Duration::from_millis(500),
            cap: Duration::from_secs(30),
        }
    }
}

/// How tools run. Plain values: the tools' own settings are made of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolOptions {
    /// After it a command is stopped, unless the model asked for another time.
    /// Default 120 s.
    pub shell_timeout: Duration,
    /// The longest time that the model may ask for. Default 600 s; at least
    /// `shell_timeout`.
    pub shell_timeout_max: Duration,
    /// How much of a tool's output the model reads, in KiB. Default 64.
    pub output_cap_kb: u32,
    /// How much of such an output is kept in a file when it is more than the
    /// model reads, in MiB. Default 32; 0: nothing is kept.
    pub whole_output_mb: u32,
    /// How much of such files is kept in all, in MiB; of more the oldest go.
    /// Default 256.
    pub kept_outputs_mb: u32,
    /// How many commands may run at once in the background of a session.
    /// Default 8; 0: none.
    pub jobs: u32,
    /// How much of the output of a command in the background is kept, in KiB.
    /// Default 1024.
    pub job_output_kb: u32,
    /// Environment variables that commands get besides the usual harmless
    /// ones. Never one that holds a provider's key.
    pub env: Vec<String>,
}

impl Default for ToolOptions {
    fn default() -> ToolOptions {
        ToolOptions {
            shell_timeout: Duration::from_secs(120),
            shell_timeout_max: Duration::from_secs(600),
            output_cap_kb: 64,
            whole_output_mb: 32,
            kept_outputs_mb: 256,
            jobs: 8,
            job_output_kb: 1024,
            env: Vec::new(),
        }
    }
}

/// What clients may send.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InputSettings {
    /// The longest line, its newline left out. Default 64 MiB.
    pub max_line_bytes: usize,
}

impl Default for InputSettings {
    fn default() -> InputSettings {
        InputSettings {
            max_line_bytes: 64 << 20,
        }
    }
}

/// What waits for a client that reads slowly, in bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutputSettings {
    /// From here on adjacent pieces of text are merged. Default 256 KiB.
    pub soft_bytes: usize,
    /// While so much of answers waits, no more commands are taken up. Default
    /// 16 MiB; at least `soft_bytes`.
    pub hard_bytes: usize,
}

impl Default for OutputSettings {
    fn default() -> OutputSettings {
        OutputSettings {
            soft_bytes: 256 << 10,
            hard_bytes: 16 << 20,
        }
    }
}

/// What is logged, on standard error.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LogSettings {
    /// Which lines. Default `warn`.
    pub level: LogFilter,
    /// In which form. Default text.
    pub format: LogFormat,
}

/// In which form log lines are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LogFormat {
    /// For people.
    #[default]
    Text,
    /// One JSON object a line, for programs.
    Json,
}

/// The journal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JournalSettings {
    /// Memory for pages of the store, in MiB. Default 16.
    pub cache_mb: u32,
}

impl Default for JournalSettings {
    fn default() -> JournalSettings {
        JournalSettings { cache_mb: 16 }
    }
}

/// Summaries of long conversations.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompactionSettings {
    /// Messages at the end that are kept word for word; an answer and its
    /// results stay together. Default 4.
    pub keep_messages: usize,
    /// From how much of the model's window on a turn sums up by itself, in
    /// percent. Default 80; nothing: never.
    pub at_percent: Option<u8>,
}

impl Default for CompactionSettings {
    fn default() -> CompactionSettings {
        CompactionSettings {
            keep_messages: 4,
            at_percent: Some(80),
        }
    }
}

/// Sub-agents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentSettings {
    /// Of one session so many run at once. Default 8.
    pub at_once: usize,
    /// How deep they may start others: 0 for none at all, 1 for those of the
    /// session itself. Default 3.
    pub depth: u32,
    /// Whether the end of one in the background starts a turn when none runs.
    /// Default no: the next prompt brings its report along.
    pub wake: bool,
}

impl Default for AgentSettings {
    fn default() -> AgentSettings {
        AgentSettings {
            at_once: 8,
            depth: 3,
            wake: false,
        }
    }
}
