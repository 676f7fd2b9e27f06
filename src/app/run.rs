//! An invocation becomes an exit code.

use std::io::Write;

use super::parts::{known_keys, known_variables};
use crate::bench;
use crate::cli::{CommonOptions, DemoOptions, Invocation, Usage, VERSION};
use crate::config::{Config, Environment};
use crate::demo;
use crate::provider;
use crate::redact::Redactor;
use crate::telemetry::{self, Logging};

/// Runs what the command line asked for; returns the process's exit code.
pub fn run(invocation: Invocation) -> u8 {
    match invocation {
        Invocation::Help(text) => print(&text),
        Invocation::Version => print(&format!("{VERSION}\n")),
        Invocation::Rpc(options) => super::rpc::run(*options),
        Invocation::Doctor(options) => super::checkup::run(&options),
        Invocation::Audit(options) => super::audit::run(&options),
        Invocation::Guard(options) => super::guard::run(&options),
        Invocation::Models(options) => super::models::run(&options),
        Invocation::Demo(options) => show(&options),
        Invocation::Bench(options) => bench::run(&options),
    }
}

fn show(options: &DemoOptions) -> u8 {
    demo::run(options).unwrap_or_else(|error| {
        refuse(&Usage {
            text: format!("error: the demonstration failed: {error:#}\n"),
            exit_code: 1,
        })
    })
}

/// Says on standard error why it does not start.
pub(super) fn refuse(usage: &Usage) -> u8 {
    // Nobody may be there to read it; the code says it too.
    let _ = std::io::stderr().write_all(usage.text.as_bytes());
    usage.exit_code
}

/// Loads the configuration and starts logging as it says.
pub(super) fn configured(
    common: &CommonOptions,
    script: Option<&std::path::Path>,
) -> Result<(Config, Logging), Usage> {
    let env = Environment::process();
    let config = Config::load(common.config.as_deref(), script, &env)?;
    provider::add_models(config.models.clone());
    let (settings, warning) = common.log_settings(&config.log, &env);
    let keys = known_keys(&config);
    let logging = telemetry::init(&settings, move || {
        Redactor::only_known(keys.into_iter().chain(known_variables()))
    });
    for warning in config.warnings.iter().chain(&warning) {
        tracing::warn!("{warning}");
    }
    Ok((config, logging))
}

fn print(text: &str) -> u8 {
    match std::io::stdout().write_all(text.as_bytes()) {
        Ok(()) => 0,
        Err(_) => 1,
    }
}
