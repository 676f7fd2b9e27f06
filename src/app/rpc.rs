//! One session over standard input and output.

use std::time::Duration;

use anyhow::anyhow;
use greenroom_actors::outbox::outbox;
use greenroom_actors::ports::Store;
use greenroom_actors::root::Root;
use greenroom_actors::session::{Seed, Settings};
use greenroom_protocol::dialect::autohand::Autohand;
use greenroom_protocol::dialect::hm::Hm;
use greenroom_protocol::session::{Interruption, ModelChoice, SessionId, Text};
use tokio::sync::mpsc;

use super::parts::{Parts, SessionStart, open_store};
use super::prompt;
use super::run::{configured, refuse};
use crate::cli::{Launch, RpcOptions, SessionChoice, Usage, WireName};
use crate::config::Config;
use crate::serve::{Connection, Exit, Limits, stdio};
use crate::signals::Signals;
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
        Err(error) => return refuse(&cannot_start(format!("no threads: {error}"), 1)),
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

async fn serve(options: &RpcOptions, config: &Config, launch: &Launch) -> Result<Exit, Usage> {
    let mut signals = Signals::listen().map_err(|error| cannot_start(error, 1))?;
    if let Err(error) = tool::become_subreaper() {
        tracing::warn!(%error, "orphans of commands are found by a slower way");
    }
    let saved = options.session != SessionChoice::Ephemeral;
    let store = open_store(config, saved).map_err(|error| cannot_start(error, 1))?;
    let parts = Parts::new(config, store.clone());
    let (id, seed) = find(options, &parts, &*store).await?;
    let settings = settings(options, config, launch, &parts, id);
    let root = Root::start(parts.ports.clone())
        .await
        .map_err(|error| cannot_start(error, 1))?;
    let (to_client, from_session) = outbox(config.output.soft_bytes);
    let session = root
        .open(settings, seed, to_client)
        .await
        .map_err(|error| cannot_start(error, 1))?;

    let (stop, stops) = mpsc::channel(2);
    let stopping = tokio::spawn(async move {
        loop {
            signals.next().await;
            if stop.send(()).await.is_err() {
                return;
            }
        }
    });
    let limits = Limits {
        line_bytes: config.input.max_line_bytes,
        hard_bytes: config.output.hard_bytes,
        open_commands: OPEN_COMMANDS,
        grace: GRACE,
    };
    let clock = parts.ports.clock.clone();
    let (input, output) = stdio::open();
    let exit = match options.wire {
        WireName::Hm => {
            let connection = Connection::new(Hm::new(), session, from_session, clock, limits);
            connection.serve(input, output, stops).await
        }
        WireName::Autohand => {
            let dialect = Autohand::new();
            let connection = Connection::new(dialect, session, from_session, clock, limits);
            connection.serve(input, output, stops).await
        }
    };
    stopping.abort();
    root.stop().await;
    if !tool::wait_for_stops(TOOLS_GRACE).await {
        tracing::warn!("a stopped command is still running");
    }
    drop(parts);
    drop(store);
    Ok(exit)
}

fn settings(
    options: &RpcOptions,
    config: &Config,
    launch: &Launch,
    parts: &Parts,
    id: SessionId,
) -> Settings {
    let named = options.provider.is_some() || options.model.is_some() || options.effort.is_some();
    let start = SessionStart {
        id,
        root: options.cwd.clone(),
        mode: match &options.session {
            SessionChoice::Resume(_) | SessionChoice::Continue => options.mode,
            SessionChoice::New | SessionChoice::Ephemeral => Some(launch.mode),
        },
        model: named.then(|| ModelChoice {
            ..launch.model.clone()
        }),
        system: prompt::system(&options.cwd),
        answers: options.approve,
    };
    parts.settings(config, launch, start)
}

/// Which session, and what it starts from.
async fn find(
    options: &RpcOptions,
    parts: &Parts,
    store: &dyn Store,
) -> Result<(SessionId, Seed), Usage> {
    let id = match &options.session {
        SessionChoice::New | SessionChoice::Ephemeral => {
            return Ok((parts.ports.ids.session(), Seed::New));
        }
        SessionChoice::Resume(id) => id.clone(),
        SessionChoice::Continue => {
            let root = Text::from(options.cwd.to_string_lossy());
            let sessions = store.list(Some(root)).await;
            let sessions = sessions.map_err(|error| cannot_start(error, 1))?;
            match sessions.into_iter().next() {
                Some(latest) => latest.id,
                None => {
                    let reason = anyhow!(
                        "--continue: no session was saved in {}; start one without the flag",
                        options.cwd.display()
                    );
                    return Err(cannot_start(reason, 2));
                }
            }
        }
    };
    let stored = store.load(id.clone()).await;
    match stored.map_err(|error| cannot_start(error, 1))? {
        Some(stored) => Ok((id, Seed::Journal(stored.events, Interruption::Crash))),
        None => {
            let reason = anyhow!("--session: there is no session {id}; start one without the flag");
            Err(cannot_start(reason, 2))
        }
    }
}

fn cannot_start(reason: impl std::fmt::Display, exit_code: u8) -> Usage {
    Usage {
        text: format!("error: {reason}\n"),
        exit_code,
    }
}
