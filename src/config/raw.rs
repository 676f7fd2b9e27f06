//! The file as serde sees it. An unknown key is an error; what is left out is
//! nothing here and gets its default in [`super::load`].

use std::fmt;

use serde::Deserialize;
use serde::de::{self, Deserializer, MapAccess, Visitor};

use super::choice::Named;
use super::titles::TitledBy;
use super::value::{Dollars, Span, SpanOrOff, Whole};
use super::{LogFilter, LogFormat, WhenMet};
use crate::mcp::Transport;
use crate::provider::Wire;
use crate::tool::{Network, SandboxMode};
use greenroom_protocol::session::{Effort, Mode};

/// Bytes that fit in one buffer setting.
const GIB: u64 = 1 << 30;

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default, expecting = "a mapping of settings")]
pub(super) struct RawConfig {
    pub providers: Option<Table<RawProvider>>,
    pub default_provider: Option<String>,
    pub mode: Option<String>,
    pub modes: Option<Table<RawMode>>,
    pub titles: Option<RawTitles>,
    pub instructions: Option<RawInstructions>,
    pub effort: Option<Named<Effort>>,
    pub limits: Option<RawLimits>,
    pub deadlines: Option<RawDeadlines>,
    pub retries: Option<RawRetries>,
    pub tools: Option<RawTools>,
    pub sandbox: Option<RawSandbox>,
    pub web: Option<RawWeb>,
    pub input: Option<RawInput>,
    pub output: Option<RawOutput>,
    pub log: Option<RawLog>,
    pub journal: Option<RawJournal>,
    pub compaction: Option<RawCompaction>,
    pub agents: Option<RawAgents>,
    pub mcp: Option<Table<RawMcpServer>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default, expecting = "a mapping of settings")]
pub(super) struct RawProvider {
    pub wire: Option<Named<Wire>>,
    pub base_url: Option<String>,
    pub key_env: Option<String>,
    pub key_file: Option<String>,
    pub model: Option<String>,
    pub headers: Option<Table<String>>,
    pub fallback: Option<Vec<String>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default, expecting = "a mapping of settings")]
pub(super) struct RawMode {
    pub based_on: Option<Named<Mode>>,
    pub system: Option<String>,
    pub tools: Option<Vec<String>>,
    pub provider: Option<String>,
    pub model: Option<String>,
    pub effort: Option<Named<Effort>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default, expecting = "a mapping of settings")]
pub(super) struct RawTitles {
    pub by: Option<Named<TitledBy>>,
    pub provider: Option<String>,
    pub model: Option<String>,
    pub effort: Option<Named<Effort>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default, expecting = "a mapping of settings")]
pub(super) struct RawInstructions {
    pub files: Option<Vec<String>>,
    pub max_kb: Option<Whole<1, 1024>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default, expecting = "a mapping of settings")]
pub(super) struct RawLimits {
    pub max_steps: Option<Whole<1, 1_000_000>>,
    pub turn_tokens: Option<Whole<1, { u64::MAX }>>,
    pub turn_cost_usd: Option<Dollars>,
    pub session_tokens: Option<Whole<1, { u64::MAX }>>,
    pub session_cost_usd: Option<Dollars>,
    pub when_met: Option<Named<WhenMet>>,
    pub turn_seconds: Option<Whole<1, 2_592_000>>,
    pub answer_tokens: Option<Whole<1, 10_000_000>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default, expecting = "a mapping of settings")]
pub(super) struct RawDeadlines {
    pub connect: Option<Span>,
    pub first_piece: Option<Span>,
    pub stall: Option<Span>,
    pub approval: Option<SpanOrOff>,
    pub question: Option<SpanOrOff>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default, expecting = "a mapping of settings")]
pub(super) struct RawRetries {
    pub attempts: Option<Whole<1, 100>>,
    pub base: Option<Span>,
    pub cap: Option<Span>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default, expecting = "a mapping of settings")]
pub(super) struct RawTools {
    pub shell_timeout: Option<Span>,
    pub shell_timeout_max: Option<Span>,
    pub output_cap_kb: Option<Whole<1, 65_536>>,
    pub whole_output_mb: Option<Whole<0, 1_024>>,
    pub kept_outputs_mb: Option<Whole<0, 1_048_576>>,
    pub jobs: Option<Whole<0, 100>>,
    pub job_output_kb: Option<Whole<1, 65_536>>,
    pub env: Option<Vec<String>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default, expecting = "a mapping of settings")]
pub(super) struct RawSandbox {
    pub mode: Option<Named<SandboxMode>>,
    pub network: Option<Named<Network>>,
    pub extra_write: Option<Vec<String>>,
    pub extra_read: Option<Vec<String>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default, expecting = "a mapping of settings")]
pub(super) struct RawWeb {
    pub enabled: Option<bool>,
    pub max_page_kb: Option<Whole<1, 16_384>>,
    pub timeout_seconds: Option<Whole<1, 600>>,
    pub allow_hosts: Option<Vec<String>>,
    pub deny_hosts: Option<Vec<String>>,
    pub allow_private: Option<bool>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default, expecting = "a mapping of settings")]
pub(super) struct RawCompaction {
    pub keep_messages: Option<Whole<0, 10_000>>,
    pub at_percent: Option<Whole<0, 100>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default, expecting = "a mapping of settings")]
pub(super) struct RawAgents {
    pub at_once: Option<Whole<1, 1000>>,
    pub depth: Option<Whole<0, 10>>,
    pub wake: Option<bool>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default, expecting = "a mapping of settings")]
pub(super) struct RawInput {
    pub max_line_bytes: Option<Whole<1024, GIB>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default, expecting = "a mapping of settings")]
pub(super) struct RawOutput {
    pub soft_bytes: Option<Whole<1024, GIB>>,
    pub hard_bytes: Option<Whole<1024, GIB>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default, expecting = "a mapping of settings")]
pub(super) struct RawLog {
    pub level: Option<LogFilter>,
    pub format: Option<Named<LogFormat>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default, expecting = "a mapping of settings")]
pub(super) struct RawJournal {
    pub cache_mb: Option<Whole<1, 65_536>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default, expecting = "a mapping of settings")]
pub(super) struct RawMcpServer {
    pub command: Option<String>,
    pub args: Option<Vec<String>>,
    pub env: Option<Table<String>>,
    pub cwd: Option<String>,
    pub url: Option<String>,
    pub headers: Option<Table<String>>,
    pub transport: Option<Named<Transport>>,
    pub tools: Option<RawMcpTools>,
    pub timeout_seconds: Option<Whole<1, 86_400>>,
    pub start_timeout_seconds: Option<Whole<1, 86_400>>,
    pub output_cap_kb: Option<Whole<1, 65_536>>,
    pub disabled: Option<bool>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default, expecting = "a mapping of settings")]
pub(super) struct RawMcpTools {
    pub allow: Option<Vec<String>>,
    pub deny: Option<Vec<String>>,
}

/// A mapping with free names, in the order of the file. A name that stands
/// twice is an error: the first would silently be lost.
#[derive(Debug)]
pub(super) struct Table<T>(pub Vec<(String, T)>);

impl<T> Default for Table<T> {
    fn default() -> Table<T> {
        Table(Vec::new())
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Table<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Table<T>, D::Error> {
        from.deserialize_map(TableVisitor(std::marker::PhantomData))
    }
}

struct TableVisitor<T>(std::marker::PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for TableVisitor<T> {
    type Value = Table<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a mapping of names")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Table<T>, A::Error> {
        let mut entries: Vec<(String, T)> = Vec::new();
        while let Some(name) = map.next_key::<String>()? {
            if entries.iter().any(|(known, _)| *known == name) {
                return Err(de::Error::custom(format!("{name:?} stands there twice")));
            }
            entries.push((name, map.next_value()?));
        }
        Ok(Table(entries))
    }
}
