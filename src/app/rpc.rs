//! One session over standard input and output.

use std::path::PathBuf;
use std::pin::pin;
use std::time::Duration;

use greenroom_actors::outbox::{OutboxReader, Wants, outbox};
use greenroom_actors::root::Root;
use greenroom_actors::session::Settings;
use greenroom_actors::sessions::SessionHandle;
use greenroom_protocol::dialect::Dialect;
use greenroom_protocol::dialect::autohand::Autohand;
use greenroom_protocol::dialect::hm::Hm;
use greenroom_protocol::session::{ModelChoice, SessionId};
use tokio::sync::mpsc;

use super::find::find;
use super::parts::{Parts, SessionStart, open_store};
use super::prompt;
use super::run::{configured, refuse};
use crate::cli::{Launch, RpcOptions, SessionChoice, Usage, WireName};
use crate::config::Config;
use crate::serve::{Connection, Exit, Limits, Stop, stdio};
use crate::signals::Signals;
use crate::tool;

/// Commands that may wait for their answers before input is read on.
const OPEN_COMMANDS: usize = 1024;
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
    // One thread: a piece of text wakes no other thread on its way through the
    // actors. What blocks or computes has threads of its own.
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    let runtime = match runtime {
        Ok(runtime) => runtime,
        Err(error) => return refuse(&cannot_start(format!("no runtime: {error}"), 1)),
    };
    let served = runtime.block_on(serve(&options, &config, &launch));
    // A read of standard input may be under way for ever.
    runtime.shutdown_background();
    match served {
        Ok(exit) => exit.code(),
        Err(usage) => refuse(&usage),
    }
}

async fn serve(options: &RpcOptions, config: &Config, launch: &Launch) -> Result<Exit, Usage> {
    let mut signals = Signals::listen().map_err(|error| cannot_start(error, 1))?;
    let (stop, mut stops) = mpsc::channel(2);
    let stopping = tokio::spawn(async move {
        let mut closed = pin!(stdio::output_closed());
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
    } = started;
    let clock = parts.ports.clock.clone();
    let (input, output) = stdio::open();
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
        if !tool::wait_for_stops(TOOLS_GRACE).await {
            tracing::warn!("a stopped command is still running");
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
}

async fn start(options: &RpcOptions, config: &Config, launch: &Launch) -> Result<Started, Usage> {
    if let Err(error) = tool::become_subreaper() {
        tracing::warn!(%error, "orphans of commands are found by a slower way");
    }
    let saved = options.session != SessionChoice::Ephemeral;
    let store = open_store(config, saved).await;
    let store = store.map_err(|error| cannot_start(error, 1))?;
    let parts = Parts::new(config, store.clone());
    let found = find(options, &parts, &*store).await?;
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
    let start = SessionStart {
        id,
        system: prompt::system(&root),
        root,
        mode: match &options.session {
            SessionChoice::Resume(_) | SessionChoice::Continue => options.mode,
            SessionChoice::New | SessionChoice::Ephemeral => Some(launch.mode),
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
