//! Configuration becomes ports and settings.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use greenroom_actors::limits::{CallPolicy, Limits};
use greenroom_actors::ports::{Model, Ports, Store, StoreError, ToolSpec};
use greenroom_actors::session::{Fallback, Lineage, Settings};
use greenroom_actors::subagents::AgentSpec;
use greenroom_protocol::session::{AnswerPolicy, Mode, ModelChoice, SessionId};

use super::export::{self, FileExporter};
use super::mcp;
use crate::cli::Launch;
use crate::clock::{SystemClock, SystemIds};
use crate::config::{Config, Environment, Places, Retries, WhenMet};
use crate::guard::{GuardPolicy, RuleFiles, RulesError};
use crate::mcp::{Hub, HubSettings, McpTools};
use crate::provider::{HttpSettings, Providers};
use crate::redact::{Known, Redactor, from_environment};
use crate::store::{PassingStore, RedbSettings, RedbStore};
use crate::tool::{
    self, Outputs, SKILL_TOOL, SandboxMode, SandboxState, Support, ToolSettings, Toolbox,
    WEB_FETCH_TOOL,
};

/// What a tree is made of.
pub struct Parts {
    /// The ports.
    pub ports: Ports,
    /// Outputs that are kept because they were cut.
    pub outputs: Outputs,
    /// The configured providers, for people.
    pub providers: String,
}

impl Parts {
    /// Ports as configured, on this store, with this guard.
    pub fn new(config: &Config, store: Arc<dyn Store>, guard: Arc<GuardPolicy>) -> Parts {
        let http = HttpSettings {
            connect: config.deadlines.connect,
        };
        let tools = ToolSettings {
            shell_timeout: config.tools.shell_timeout,
            shell_timeout_max: config.tools.shell_timeout_max,
            output_bytes: config.tools.output_cap_kb as usize * 1024,
            outputs_folder: Some(config.places.home.join("outputs")),
            whole_output_bytes: u64::from(config.tools.whole_output_mb) << 20,
            kept_outputs_bytes: u64::from(config.tools.kept_outputs_mb) << 20,
            jobs: config.tools.jobs as usize,
            job_output_bytes: config.tools.job_output_kb as usize * 1024,
            environment: tool::Environment(std::env::vars_os().collect()),
            pass_variables: config.tools.env.clone(),
            sandbox: config.sandbox.clone(),
            web: config.web.clone(),
            skill_folders: skill_folders(config),
            ..ToolSettings::default()
        };
        let redactor = Arc::new(Redactor::new(known_secrets(config)));
        let environment = tools.environment.clone();
        let tools = Toolbox::new(tools);
        let exporter = Arc::new(FileExporter {
            store: store.clone(),
            redactor: redactor.clone(),
            places: export::places(own_files(&config.places)),
        });
        Parts {
            outputs: tools.outputs(),
            ports: Ports {
                model: Arc::new(Providers::new(config.providers.clone(), http)),
                jobs: tools.job_board(),
                tools: Arc::new(with_servers(config, environment, tools, redactor)),
                guard,
                store,
                exporter,
                clock: Arc::new(SystemClock),
                ids: Arc::new(SystemIds::new()),
            },
            providers: config.provider_names(),
        }
    }

    /// Settings of one session. `mode` and `model` are what the command line
    /// named: a resumed session keeps its own where it named nothing.
    pub fn settings(&self, config: &Config, launch: &Launch, session: SessionStart) -> Settings {
        let model = self.ports.model.clone();
        Settings {
            id: session.id.clone(),
            root: Arc::new(session.root),
            mode: session.mode,
            model: session.model,
            default_model: launch.model.clone(),
            modes: Arc::new(config.modes.clone()),
            system: session.system,
            tools: offered(
                &self.ports.tools.specs(),
                session.has_skills,
                config.web.enabled,
            ),
            only_tools: None,
            agents: session.agents.into(),
            lineage: Lineage::default(),
            answers: session.answers,
            title_model: config.title_model.clone(),
            limits: limits(config, launch),
            calls: call_policy(config),
            saved: self.ports.store.is_durable(&session.id),
            facts: Arc::new(move |choice| Model::facts(&*model, choice)),
            fallback: fallback(config),
            providers: self.providers.as_str().into(),
        }
    }
}

fn fallback(config: &Config) -> Fallback {
    let fallbacks = config.fallbacks.clone();
    Arc::new(move |tried, kind| fallbacks.next(tried.first()?, tried, kind))
}

/// All tools, and those of MCP servers beside them.
fn with_servers(
    config: &Config,
    environment: tool::Environment,
    tools: Toolbox,
    redactor: Arc<Redactor>,
) -> McpTools {
    let hub = Hub::new(HubSettings {
        environment,
        pass_variables: config.tools.env.clone(),
        keeper: Some("/proc/self/exe".into()),
        clock: Arc::new(SystemClock),
        redactor: Some(redactor),
    });
    let (config, environment) = (config.clone(), Environment::process());
    let find = move |root: &Path| mcp::find(&config, root, &environment);
    McpTools::new(Arc::new(tools), hub, Box::new(find))
}

/// Every secret that this process was given: the providers' keys, variables
/// whose names say that they hold one, and those of MCP servers.
pub(super) fn known_secrets(config: &Config) -> Vec<Known> {
    let mut known = known_keys(config);
    known.extend(known_variables());
    known.extend(config.mcp.iter().flat_map(|it| it.known_secrets()));
    known
}

/// The providers' keys.
pub(super) fn known_keys(config: &Config) -> Vec<Known> {
    let keys = config.providers.iter().filter_map(|provider| {
        let key = provider.key.clone()?;
        Some(Known::new(format!("{} key", provider.name), key))
    });
    keys.collect()
}

/// The variables whose names say that they hold a secret.
pub(super) fn known_variables() -> Vec<Known> {
    let is_text = |(name, value): (OsString, OsString)| {
        Some((name.into_string().ok()?, value.into_string().ok()?))
    };
    let variables = std::env::vars_os().filter_map(is_text);
    from_environment(variables).collect()
}

/// What keeps commands on this machine.
fn sandbox_of(config: &Config) -> SandboxState {
    match config.sandbox.mode {
        SandboxMode::Off => SandboxState::Off,
        SandboxMode::Workspace => SandboxState::of(&config.sandbox, Support::probe()),
    }
}

/// The guard with the user's rules, which must be sound.
pub(super) fn open_guard(config: &Config) -> Result<Arc<GuardPolicy>, RulesError> {
    let places = &config.places;
    let files = RuleFiles::load(
        places.usual_folder.clone(),
        places.user_home.as_deref(),
        config.modes.clone(),
    )?;
    let lack = sandbox_of(config).lack();
    if let Some(lack) = lack {
        tracing::warn!("{lack}: commands are asked about; `greenroom doctor` has more");
    }
    let guard = GuardPolicy::new(files, own_files(places));
    Ok(Arc::new(guard.lacking(lack)))
}

/// What one session starts with, beside the configuration.
pub struct SessionStart {
    /// Its name.
    pub id: SessionId,
    /// The workspace.
    pub root: PathBuf,
    /// The mode that the command line named.
    pub mode: Option<Mode>,
    /// The model that the command line named.
    pub model: Option<ModelChoice>,
    /// The system prompt.
    pub system: greenroom_protocol::session::Text,
    /// The kinds of sub-agents that it may start.
    pub agents: Vec<AgentSpec>,
    /// Whether there are skills to load.
    pub has_skills: bool,
    /// Who decides what is asked.
    pub answers: AnswerPolicy,
}

/// Where the user's skills are: Greenroom's folder, and those of other agents.
pub(super) fn skill_folders(config: &Config) -> Vec<PathBuf> {
    let own = config.places.usual_folder.iter();
    let own = own.map(|folder| folder.join("skills"));
    let home = config.places.user_home.iter();
    let others = home.flat_map(|home| [home.join(".agents/skills"), home.join(".claude/skills")]);
    own.chain(others).collect()
}

/// Where the user's kinds of sub-agents are.
pub(super) fn agent_folders(config: &Config) -> Vec<PathBuf> {
    let own = config.places.usual_folder.iter();
    let own = own.map(|folder| folder.join("agents"));
    let others = config.places.user_home.iter();
    own.chain(others.map(|home| home.join(".claude/agents")))
        .collect()
}

/// A tool that has nothing to load, or is off, only takes the model's attention.
fn offered(tools: &[ToolSpec], skills: bool, web: bool) -> Arc<[ToolSpec]> {
    let is_offered = |tool: &&ToolSpec| match &*tool.name {
        SKILL_TOOL => skills,
        WEB_FETCH_TOOL => web,
        _ => true,
    };
    tools.iter().filter(is_offered).cloned().collect()
}

/// The journal of this user; with a session that passes, one that is opened
/// when that session is forked.
pub(super) async fn open_store(
    config: &Config,
    passing: Option<SessionId>,
) -> Result<Arc<dyn Store>, StoreError> {
    let path = journal_in(&config.places.home);
    let settings = RedbSettings {
        cache_bytes: config.journal.cache_mb as usize * (1 << 20),
    };
    match passing {
        None => open_journal(path, settings).await,
        Some(session) => Ok(Arc::new(PassingStore::new(session, move || {
            Box::pin(open_journal(path.clone(), settings))
        }))),
    }
}

async fn open_journal(path: PathBuf, settings: RedbSettings) -> Result<Arc<dyn Store>, StoreError> {
    // It may take a while after a crash: a signal is heard meanwhile.
    let opening = tokio::task::spawn_blocking(move || RedbStore::open(&path, settings));
    match opening.await {
        Ok(opened) => Ok(Arc::new(opened?)),
        Err(error) => Err(StoreError {
            message: format!("the journal could not be opened: {error}"),
        }),
    }
}

/// Where the journal lies in the state folder.
pub(super) fn journal_in(home: &Path) -> PathBuf {
    home.join("journal.redb")
}

fn limits(config: &Config, launch: &Launch) -> Limits {
    Limits {
        steps: launch.limits.max_steps,
        answer_tokens: launch.limits.answer_tokens,
        turn_tokens: launch.limits.turn_tokens,
        turn_cost: launch.limits.turn_cost,
        turn_time: launch.limits.turn_time,
        session_tokens: launch.limits.session_tokens,
        session_cost: launch.limits.session_cost,
        asks_to_raise: launch.limits.when_met == WhenMet::Ask,
        approval_deadline: config.deadlines.approval,
        question_deadline: config.deadlines.question,
        compaction_keeps: config.compaction.keep_messages,
        compact_at: config.compaction.at_percent,
        agents: config.agents.at_once,
        agent_depth: config.agents.depth,
        wakes: config.agents.wake,
        ..Limits::default()
    }
}

fn call_policy(config: &Config) -> CallPolicy {
    let Retries {
        attempts,
        base,
        cap,
    } = config.retries;
    CallPolicy {
        attempts,
        base,
        cap,
        first_piece: config.deadlines.first_piece,
        stall: config.deadlines.stall,
        ..CallPolicy::default()
    }
}

/// Greenroom's own files: the state folder, the configuration that is read, and
/// the folder where one is looked for when none is named. Links are resolved,
/// as in the touches of calls, also of what does not exist yet.
fn own_files(places: &Places) -> Vec<PathBuf> {
    let named = places.file.path().map(PathBuf::from);
    let own = [
        Some(places.home.clone()),
        named,
        places.usual_folder.clone(),
    ];
    let own = own.into_iter().flatten();
    own.map(|path| tool::resolved(&path).unwrap_or(path))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::ConfigFile;

    /// A dotfiles repository links `~/.config` into the workspace before
    /// Greenroom has ever written there.
    #[test]
    fn own_files_are_found_behind_links_before_they_exist() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        std::fs::create_dir(root.join("workspace")).unwrap();
        std::os::unix::fs::symlink(root.join("workspace"), root.join("config")).unwrap();
        let places = Places {
            file: ConfigFile::Named {
                path: root.join("config/named.yaml"),
                by: "--config",
            },
            home: root.join("state"),
            usual_folder: Some(root.join("config/greenroom")),
            user_home: None,
        };
        assert_eq!(
            own_files(&places),
            [
                root.join("state"),
                root.join("workspace/named.yaml"),
                root.join("workspace/greenroom"),
            ]
        );
    }
}
