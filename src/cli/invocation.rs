//! Arguments become an invocation.

use std::ffi::{OsStr, OsString};
use std::path::Path;

use clap::error::ErrorKind;
use clap::{CommandFactory, FromArgMatches};

use super::audit::AuditOptions;
use super::flags::{Cli, Command};
use super::guard::GuardOptions;
use super::models::ModelsOptions;
use super::options::{BenchOptions, DemoOptions, DoctorOptions, RpcOptions};
use super::usage::Usage;
use super::{agent, autohand};

/// What the process was started for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Invocation {
    /// Host a session on standard input and output.
    Rpc(Box<RpcOptions>),
    /// Show one to people.
    Demo(DemoOptions),
    /// Check the installation.
    Doctor(DoctorOptions),
    /// Show decisions of the past.
    Audit(Box<AuditOptions>),
    /// Look at rules.
    Guard(Box<GuardOptions>),
    /// Show which models there are.
    Models(ModelsOptions),
    /// Measure it.
    Bench(BenchOptions),
    /// Print this text on standard output and exit with 0.
    Help(String),
    /// Print [`super::VERSION`] and exit with 0.
    Version,
}

/// The name under which the program was called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Program {
    /// Its own, or any that means nothing.
    Greenroom,
    /// `hm`: the same commands.
    Hm,
    /// `autohand`: its flags, without a command.
    Autohand,
}

impl Program {
    /// Tells it by `argv[0]`: the last part of the path, without an extension.
    pub fn called(argv0: &OsStr) -> Program {
        match Path::new(argv0).file_stem().and_then(OsStr::to_str) {
            Some("hm") => Program::Hm,
            Some("autohand") => Program::Autohand,
            _ => Program::Greenroom,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Program::Greenroom => "greenroom",
            Program::Hm => "hm",
            Program::Autohand => "autohand",
        }
    }
}

impl Invocation {
    /// Reads a command line; `args` are without `argv[0]`. Looks at folders
    /// that are named, and at nothing else.
    pub fn parse(argv0: &OsStr, args: Vec<OsString>) -> Result<Invocation, Usage> {
        let program = Program::called(argv0);
        if program == Program::Autohand || is_autohand_form(&args) {
            return autohand::parse(&args);
        }
        let command = Cli::command().name(program.name()).bin_name(program.name());
        if args.is_empty() {
            return Err(Usage {
                text: help(command),
                exit_code: 2,
            });
        }
        let name = OsString::from(program.name());
        let matches = match command.try_get_matches_from(std::iter::once(name).chain(args)) {
            Ok(matches) => matches,
            Err(error) => return from_clap(&error),
        };
        match Cli::from_arg_matches(&matches) {
            Ok(cli) => from_cli(cli, program),
            Err(error) => from_clap(&error),
        }
    }
}

/// The help of our own commands.
pub(super) fn help(mut command: clap::Command) -> String {
    command.render_long_help().to_string()
}

/// Autohand's form has no command: it begins with a flag, and `--mode` is one.
fn is_autohand_form(args: &[OsString]) -> bool {
    let begins_with_flag = args.first().is_some_and(|arg| {
        let arg = arg.to_string_lossy();
        arg.starts_with('-')
    });
    let has = |wanted: &[&str]| {
        args.iter()
            .any(|arg| wanted.iter().any(|wanted| arg == wanted))
    };
    let has_mode = args.iter().any(|arg| {
        let arg = arg.to_string_lossy();
        arg == "--mode" || arg.starts_with("--mode=")
    });
    begins_with_flag
        && has_mode
        && !has(&[
            "agent", "demo", "doctor", "audit", "guard", "models", "bench",
        ])
}

fn from_cli(cli: Cli, program: Program) -> Result<Invocation, Usage> {
    if cli.version {
        return Ok(Invocation::Version);
    }
    let common = cli.common.options();
    match cli.command {
        Some(Command::Agent(flags)) => {
            let options = agent::options(flags, common)?;
            Ok(Invocation::Rpc(Box::new(options)))
        }
        Some(Command::Demo) => Ok(Invocation::Demo(DemoOptions { common })),
        Some(Command::Doctor { json }) => Ok(Invocation::Doctor(DoctorOptions { json, common })),
        Some(Command::Audit(flags)) => Ok(Invocation::Audit(Box::new(flags.options(common)))),
        Some(Command::Guard(flags)) => {
            let options = flags.options(common)?;
            Ok(Invocation::Guard(Box::new(options)))
        }
        Some(Command::Models(flags)) => Ok(Invocation::Models(flags.options(common))),
        Some(Command::Bench { json, quick }) => Ok(Invocation::Bench(BenchOptions {
            json,
            quick,
            common,
        })),
        None => Err(Usage::wrong(format!(
            "a command is missing: agent, demo, doctor, audit, guard, models or bench; `{} --help` has more",
            program.name()
        ))),
    }
}

fn from_clap(error: &clap::Error) -> Result<Invocation, Usage> {
    match error.kind() {
        ErrorKind::DisplayHelp => Ok(Invocation::Help(error.to_string())),
        ErrorKind::DisplayVersion => Ok(Invocation::Version),
        _ => Err(Usage {
            text: error.to_string(),
            exit_code: 2,
        }),
    }
}
