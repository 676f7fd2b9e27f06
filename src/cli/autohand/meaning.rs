//! Flags become options.

use std::ffi::OsString;
use std::path::PathBuf;

use greenroom_protocol::session::{AnswerPolicy, Effort, Mode};

use super::read::{Arguments, Flag, read};
use super::table::Act;
use crate::cli::flags::{answer_policy, max_steps, session_id};
use crate::cli::{
    CommonOptions, Invocation, RpcOptions, SessionChoice, Usage, WireName, agent::workspace,
};
use crate::config::LogFilter;
use crate::config::choice::choose;

const HELP: &str = "\
Hosts a coding-agent session in Autohand's protocol, on standard input and output.

Usage: greenroom --mode rpc [OPTIONS]

Options:
  --path, --dir <DIR>        The workspace [default: the current folder]
  --model <ID>               The model, by the provider's id
  --thinking <LEVEL>         none, normal or extended
  --ephemeral                Save nothing
  --resume [ID], --continue  Go on with that session, or with the latest one
  --config <PATH>            The configuration file
  --yolo [PATTERN]           Allow every call, or those like the pattern
  -y, --yes                  Allow every call
  --unrestricted             Nothing asks, but for what rules forbid
  --restricted, --dry-run    Read-only
  --provider <NAME>          The provider of the model
  --effort <NAME>            off, low, medium, high, xhigh, max
  --max-steps <N>            Model calls in one turn
  --approve <WHO>            ask, edits or all
  --script <FILE>            A script for the scripted model
  --log <LEVEL>              off, error, warn, info, debug, trace
  --log-format <FORMAT>      text or json

Other flags of Autohand are accepted without effect; unknown ones are warned
about on standard error.

Examples:
  greenroom --mode rpc --ephemeral
  greenroom --mode rpc --path ~/app --model gpt-5.6 --thinking extended
";

/// Reads Autohand's form.
pub(in crate::cli) fn parse(args: &[OsString]) -> Result<Invocation, Usage> {
    let Arguments { flags, warnings } = read(args);
    if flags.iter().any(|flag| flag.act == Act::Help) {
        return Ok(Invocation::Help(HELP.to_owned()));
    }
    if flags.iter().any(|flag| flag.act == Act::Version) {
        return Ok(Invocation::Version);
    }
    if !flags.iter().any(|flag| flag.act == Act::Mode) {
        return Err(Usage::wrong(
            "only --mode rpc is there yet; add it, or see --help",
        ));
    }
    let mut options = RpcOptions {
        wire: WireName::Autohand,
        cwd: PathBuf::new(),
        cwd_named: false,
        mode: None,
        provider: None,
        model: None,
        effort: None,
        session: SessionChoice::New,
        max_steps: None,
        approve: AnswerPolicy::Ask,
        yolo: None,
        script: None,
        common: CommonOptions::default(),
        warnings,
    };
    let mut path: Option<(String, PathBuf)> = None;
    for flag in flags {
        if flag.act == Act::Path {
            let value = flag.value.clone().map(PathBuf::from);
            let value = value.ok_or_else(|| missing_value(&flag))?;
            path = Some((flag.name, value));
            continue;
        }
        apply(&flag, &mut options)?;
    }
    options.cwd_named = path.is_some();
    options.cwd = match &path {
        Some((name, path)) => workspace(name, Some(path))?,
        None => workspace("--path", None)?,
    };
    Ok(Invocation::Rpc(Box::new(options)))
}

/// Of a flag that is given twice the last one counts.
fn apply(flag: &Flag, options: &mut RpcOptions) -> Result<(), Usage> {
    match flag.act {
        Act::Mode => check_mode(flag)?,
        Act::Model => options.model = Some(flag.text()?.to_owned()),
        Act::Provider => options.provider = Some(flag.text()?.to_owned()),
        Act::Config => options.common.config = Some(file(flag)?),
        Act::Script => options.script = Some(file(flag)?),
        Act::Thinking => thinking(flag, options)?,
        Act::Effort => options.effort = Some(checked(flag, choose::<Effort>)?),
        Act::MaxSteps => options.max_steps = Some(checked(flag, max_steps)?),
        Act::Approve => options.approve = checked(flag, answer_policy)?,
        Act::Yolo => yolo(flag, options)?,
        Act::Yes => options.approve = AnswerPolicy::AllowAll,
        Act::Unrestricted => options.mode = Some(Mode::Full),
        // A dry run changes nothing, which is what a plan is made in.
        Act::Restricted | Act::DryRun => options.mode = Some(Mode::Plan),
        Act::PermissionMode => permission_mode(flag, options)?,
        Act::ClientContext => client_context(flag, options),
        Act::Ephemeral => options.session = SessionChoice::Ephemeral,
        Act::Continue => options.session = SessionChoice::Continue,
        Act::Resume => resume(flag, options)?,
        Act::Log => options.common.log = Some(checked(flag, LogFilter::parse)?),
        Act::LogFormat => options.common.log_format = Some(checked(flag, choose)?),
        // Handled before.
        Act::Path | Act::Help | Act::Version => {}
    }
    Ok(())
}

fn check_mode(flag: &Flag) -> Result<(), Usage> {
    match flag.text()? {
        "rpc" => Ok(()),
        other => Err(Usage::wrong(format!(
            "--mode {other}: only --mode rpc is there yet"
        ))),
    }
}

fn thinking(flag: &Flag, options: &mut RpcOptions) -> Result<(), Usage> {
    options.effort = match flag.value {
        None => Some(Effort::High),
        Some(_) => match flag.text()? {
            "none" => Some(Effort::Off),
            "normal" => None,
            "extended" => Some(Effort::High),
            other => match Effort::named(other) {
                Some(effort) => Some(effort),
                None => {
                    return Err(Usage::wrong(format!(
                        "{} {other}: there are none, normal, extended",
                        flag.name
                    )));
                }
            },
        },
    };
    Ok(())
}

fn yolo(flag: &Flag, options: &mut RpcOptions) -> Result<(), Usage> {
    let pattern = match flag.value {
        None => "true",
        Some(_) => flag.text()?.trim(),
    };
    match pattern {
        "true" | "*" | "allow:*" => {
            options.approve = AnswerPolicy::AllowAll;
            options.yolo = None;
        }
        "false" | "" => {
            options.approve = AnswerPolicy::Ask;
            options.yolo = None;
        }
        pattern => options.yolo = Some(pattern.to_owned()),
    }
    Ok(())
}

fn permission_mode(flag: &Flag, options: &mut RpcOptions) -> Result<(), Usage> {
    options.mode = match flag.text()? {
        "default" | "interactive" => None,
        "acceptEdits" => Some(Mode::Auto),
        "unrestricted" | "bypassPermissions" => Some(Mode::Full),
        "restricted" | "plan" => Some(Mode::Plan),
        // What is not understood must not allow anything.
        _ => {
            let warning = format!(
                "{}: this value is unknown; reads run, all else asks",
                flag.name
            );
            options.warnings.push(warning);
            Some(Mode::Ask)
        }
    };
    Ok(())
}

/// Some contexts take tools away, which nothing here does.
fn client_context(flag: &Flag, options: &mut RpcOptions) {
    let takes_away = ["slack", "api", "restricted", "blueprint"];
    if flag
        .text()
        .is_ok_and(|context| takes_away.contains(&context))
    {
        options.warnings.push(format!(
            "{} takes no tools away here; --restricted makes the session read-only",
            flag.name
        ));
    }
}

fn resume(flag: &Flag, options: &mut RpcOptions) -> Result<(), Usage> {
    options.session = match flag.value {
        Some(_) => SessionChoice::Resume(checked(flag, session_id)?),
        None if flag.name == "--session" => return Err(missing_value(flag)),
        None => SessionChoice::Continue,
    };
    Ok(())
}

fn file(flag: &Flag) -> Result<PathBuf, Usage> {
    let value = flag.value.clone().map(PathBuf::from);
    value.ok_or_else(|| missing_value(flag))
}

fn checked<T>(flag: &Flag, read: impl Fn(&str) -> Result<T, String>) -> Result<T, Usage> {
    let value = flag.text()?;
    read(value).map_err(|reason| Usage::wrong(format!("{}: {reason}", flag.name)))
}

fn missing_value(flag: &Flag) -> Usage {
    Usage::wrong(format!("{} needs a value", flag.name))
}
