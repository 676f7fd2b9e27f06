//! One session over standard input and output.

use std::path::PathBuf;
use std::pin::pin;
use std::time::Duration;

use greenroom_actors::outbox::{OutboxReader, Wants, outbox};
use greenroom_actors::ports::Ids;
use greenroom_actors::root::Root;
use greenroom_actors::session::Settings;
use greenroom_actors::sessions::SessionHandle;
use greenroom_protocol::dialect::Dialect;
use greenroom_protocol::dialect::autohand::Autohand;
use greenroom_protocol::dialect::hm::Hm;
use greenroom_protocol::session::{ModelChoice, SessionId};
use rustix::process::DumpableBehavior;
use tokio::sync::mpsc;

use super::find::find;
use super::parts::{Parts, SessionStart, agent_folders, open_guard, open_store, skill_folders};
use super::prompt;
use super::run::{configured, refuse};
use crate::agents;
use crate::cli::{Launch, RpcOptions, SessionChoice, Usage, WireName};
use crate::clock::SystemIds;
use crate::config::Config;
use crate::serve::{Connection, Exit, Limits, Stop, stdio};
use crate::signals::Signals;
use crate::skills;
use crate::tool;

/// Commands that may wait for their answers before input is read on.
const OPEN_COMMANDS: usize = 1024;
/// Steps of tasks, some 50 µs each, after which input and signals are looked
/// for in a flood.
const STEPS_UNHEARD: u32 = 16;
/// How long a stopped session may take to end.
const GRACE: Duration = Duration::from_secs(3);
/// How long stopped tools may take to be gone: TERM, two seconds, KILL.
const TOOLS_GRACE: Duration = Duration::from_secs(4);

/// Serves one session; returns the process's exit code.
pub(super) fn run(options: RpcOptions) -> u8 {
    let (config, _logging) = match configured(&options.common, options.script.as_deref()) {
        Ok(configured) => configured,
        Err(usage) => return refuse(&usage),
    };
    let launch = match options.launch(&config) {
        Ok(launch) => launch,
        Err(usage) => return refuse(&usage),
    };
    for warning in &options.warnings {
        tracing::warn!("{warning}");
    }
    // One session has little to do at once, and a message between tasks costs
    // no system call when they share a thread. What takes long has threads of
    // its own: commits, reads of the journal, tools, pictures.
    let runtime = tokio::runtime::Builder::new_current_thread()
        .event_interval(STEPS_UNHEARD)
        .enable_all()
        .build();
    let runtime = match runtime {
        Ok(runtime) => runtime,
        Err(error) => return refuse(&cannot_start(format!("no runtime: {error}"), 1)),
    };
    // As a task: the outermost future is woken by system calls.
    let served = runtime.block_on(async move {
        tokio::spawn(async move { serve(&options, &config, &launch).await }).await
    });
    // A read of standard input may be under way for ever.
    runtime.shutdown_background();
    match served {
        Ok(Ok(exit)) => exit.code(),
        Ok(Err(usage)) => refuse(&usage),
        Err(failed) => {
            tracing::error!(%failed, "the session's host failed inside");
            1
        }
    }
}

/// Commands run as the same user, so the system would let them read this
/// process's environment and memory, where the provider's key is: in
/// `/proc/$PPID/environ` or as its debugger. Of a process that leaves no core
/// dump neither is allowed, but to root.
fn close_to_commands() {
    let closed = rustix::process::set_dumpable_behavior(DumpableBehavior::NotDumpable);
    if let Err(error) = closed {
        tracing::warn!(%error, "commands can read the environment of this process");
    }
}

async fn serve(options: &RpcOptions, config: &Config, launch: &Launch) -> Result<Exit, Usage> {
    let (input, output) = stdio::open();
    let watch = stdio::Watch::open();
    // Behind that: who is closed to others has no `/proc/self/fd` to open.
    close_to_commands();
    let mut signals = Signals::listen().map_err(|error| cannot_start(error, 1))?;
    let (stop, mut stops) = mpsc::channel(2);
    let stopping = tokio::spawn(async move {
        let mut closed = pin!(watch.closed());
        let mut open = true;
        loop {
            let why = tokio::select! {
                _ = signals.next() => Stop::Signal,
                () = &mut closed, if open => {
                    open = false;
                    Stop::OutputClosed
                }
            };
            if stop.send(why).await.is_err() {
                return;
            }
        }
    });
    let started = tokio::select! {
        started = start(options, config, launch) => started?,
        Some(Stop::Signal) = stops.recv() => return Ok(Exit::Signal),
    };
    let limits = Limits {
        line_bytes: config.input.max_line_bytes,
        hard_bytes: config.output.hard_bytes,
        open_commands: OPEN_COMMANDS,
        grace: GRACE,
    };
    let Started {
        root,
        session,
        outbox,
        parts,
        passing,
    } = started;
    let clock = parts.ports.clock.clone();
    let exit = match options.wire {
        WireName::Hm => {
            let connection = Connection::new(Hm::new(), session, outbox, clock, limits);
            connection.serve(input, output, &mut stops).await
        }
        WireName::Autohand => {
            let connection = Connection::new(Autohand::new(), session, outbox, clock, limits);
            connection.serve(input, output, &mut stops).await
        }
    };
    let stop = async {
        root.stop().await;
        parts.ports.jobs.close();
        if !tool::wait_for_stops(TOOLS_GRACE).await {
            tracing::warn!("a stopped command is still running");
        }
        if let Some(session) = &passing {
            parts.outputs.forget(session);
        }
    };
    tokio::select! {
        () = stop => (),
        // Whoever asks once more does not want to wait.
        Some(Stop::Signal) = stops.recv() => (),
    }
    stopping.abort();
    Ok(exit)
}

/// What is up when the session is.
struct Started {
    root: Root,
    session: SessionHandle,
    outbox: OutboxReader,
    parts: Parts,
    /// The session, when it is not saved.
    passing: Option<SessionId>,
}

async fn start(options: &RpcOptions, config: &Config, launch: &Launch) -> Result<Started, Usage> {
    if let Err(error) = tool::become_subreaper() {
        tracing::warn!(%error, "orphans of commands are found by a slower way");
    }
    let guard = open_guard(config).map_err(|error| cannot_start(error, 1))?;
    let ids = SystemIds::new();
    let passing = (options.session == SessionChoice::Ephemeral).then(|| ids.session());
    let store = open_store(config, passing.clone()).await;
    let store = store.map_err(|error| cannot_start(error, 1))?;
    let parts = Parts::new(config, store.clone(), guard.clone());
    let found = find(options, passing.clone(), &parts, &*store).await?;
    // Nothing runs under rules that nobody can read.
    let checked = guard.check(&found.root);
    checked.map_err(|error| cannot_start(error, 1))?;
    if guard.files().is_untrusted(&found.root) {
        tracing::warn!(
            "the workspace's guard rules are not trusted: what they allow does not count; see \
             docs/guard.md"
        );
    }
    let settings = settings(options, config, launch, &parts, found.id, found.root);
    let root = Root::start(parts.ports.clone())
        .await
        .map_err(|error| cannot_start(error, 1))?;
    let (to_client, from_session) = outbox(Wants {
        soft_bytes: config.output.soft_bytes,
        tool_output: match options.wire {
            WireName::Hm => Hm::TELLS_OUTPUT,
            WireName::Autohand => Autohand::TELLS_OUTPUT,
        },
    });
    let session = root
        .open(settings, found.seed, to_client)
        .await
        .map_err(|error| cannot_start(error, 1))?;
    Ok(Started {
        root,
        session,
        outbox: from_session,
        parts,
        passing,
    })
}

fn settings(
    options: &RpcOptions,
    config: &Config,
    launch: &Launch,
    parts: &Parts,
    id: SessionId,
    root: PathBuf,
) -> Settings {
    let named = options.provider.is_some() || options.model.is_some() || options.effort.is_some();
    let skills = skills::find(&root, &skill_folders(config));
    let agents = match config.agents.depth {
        0 => agents::Found::default(),
        _ => agents::find(&root, &agent_folders(config), &config.modes),
    };
    let start = SessionStart {
        id,
        system: prompt::system(&root, config, &skills, &agents),
        agents: agents.specs,
        has_skills: !skills.skills.is_empty(),
        root,
        mode: match &options.session {
            SessionChoice::Resume(_) | SessionChoice::Continue => options.mode.clone(),
            SessionChoice::New | SessionChoice::Ephemeral => Some(launch.mode.clone()),
        },
        model: named.then(|| ModelChoice {
            ..launch.model.clone()
        }),
        answers: options.approve,
    };
    parts.settings(config, launch, start)
}

pub(super) fn cannot_start(reason: impl std::fmt::Display, exit_code: u8) -> Usage {
    Usage {
        text: format!("error: {reason}\n"),
        exit_code,
    }
}
