//! What was read becomes what may be relied on: settings that must fit each
//! other are checked here, single ones checked themselves when read.

use std::path::Path;

use greenroom_protocol::session::Mode;

use super::modes::{choose_mode, modes};
use super::nearest::hint;
use super::providers::{self, Built, how_to_get};
use super::raw::RawConfig;
use super::sandbox::sandbox;
use super::titles::title_model;
use super::web::web;
use super::{Config, ConfigError, Environment, KeySource, Places, SCRIPTED, mcp, sections};

/// Turns what was read into what may be relied on.
pub(super) fn check(
    raw: RawConfig,
    places: Places,
    file_found: bool,
    script: Option<&Path>,
    env: &Environment,
) -> Result<Config, ConfigError> {
    let file = places.file.path().unwrap_or(Path::new("")).to_owned();
    let wrong = |message: String| match file_found {
        true => ConfigError::setting(&file, message),
        false => ConfigError::other(message),
    };
    let built =
        providers::build(raw.providers.unwrap_or_default(), &file, script, env).map_err(wrong)?;
    let default_provider =
        default_provider(raw.default_provider, &built, script.is_some()).map_err(wrong)?;
    let tools = sections::tools(raw.tools.unwrap_or_default()).map_err(wrong)?;
    keep_keys_from_commands(&tools.env, &built).map_err(wrong)?;
    let names = built.providers.iter().map(|it| it.name.as_str());
    let modes = modes(raw.modes.unwrap_or_default().0, names.clone()).map_err(wrong)?;
    let title_model = title_model(raw.titles.unwrap_or_default(), names).map_err(wrong)?;
    let mode = match raw.mode {
        Some(name) => {
            choose_mode(&name, &modes).map_err(|fault| wrong(format!("mode: {fault}")))?
        }
        None => Mode::default(),
    };
    let home = places.user_home.as_deref();
    let sandbox = sandbox(raw.sandbox.unwrap_or_default(), home).map_err(wrong)?;
    let mut warnings = warnings(&built, &default_provider);
    let mcp = raw.mcp.unwrap_or_default();
    let mcp = mcp::servers(mcp, home, env, &mut warnings).map_err(wrong)?;
    let web = web(raw.web.unwrap_or_default()).map_err(wrong)?;
    let instructions =
        sections::instructions(raw.instructions.unwrap_or_default()).map_err(wrong)?;
    let output = sections::output(raw.output.unwrap_or_default()).map_err(wrong)?;
    let retries = sections::retries(raw.retries.unwrap_or_default()).map_err(wrong)?;
    Ok(Config {
        places,
        file_found,
        providers: built.providers,
        provider_notes: built.notes,
        fallbacks: built.fallbacks,
        models: Vec::new(),
        default_provider,
        mode,
        modes,
        title_model,
        instructions,
        effort: raw.effort.map(|effort| effort.0),
        limits: sections::limits(raw.limits.unwrap_or_default()),
        deadlines: sections::deadlines(raw.deadlines.unwrap_or_default()),
        retries,
        tools,
        sandbox,
        web,
        input: sections::input(raw.input.unwrap_or_default()),
        output,
        log: sections::log(raw.log.unwrap_or_default()),
        journal: sections::journal(raw.journal.unwrap_or_default()),
        compaction: sections::compaction(raw.compaction.unwrap_or_default()),
        agents: sections::agents(raw.agents.unwrap_or_default()),
        mcp,
        warnings,
    })
}

/// A script, else what the file names, else the first of the file, else the
/// first that variables bring, else the scripted one: which is the order of
/// the list.
fn default_provider(
    named: Option<String>,
    built: &Built,
    has_script: bool,
) -> Result<String, String> {
    if has_script {
        return Ok(SCRIPTED.to_owned());
    }
    let names = || {
        built
            .providers
            .iter()
            .map(|provider| provider.name.as_str())
    };
    let Some(named) = named else {
        return Ok(names().next().unwrap_or(SCRIPTED).to_owned());
    };
    if names().any(|name| name == named) {
        return Ok(named);
    }
    let remedy = match how_to_get(&named) {
        Some(remedy) => format!("; {remedy}"),
        None => hint(&named, names()),
    };
    let all: Vec<&str> = names().collect();
    Err(format!(
        "default_provider: there is no provider {named:?}{remedy}; there are {}",
        all.join(", ")
    ))
}

fn warnings(built: &Built, default_provider: &str) -> Vec<String> {
    built
        .notes
        .iter()
        .filter(|note| note.name == default_provider)
        .filter_map(|note| {
            Some(format!(
                "provider {}: {}",
                note.name,
                note.problem.as_ref()?
            ))
        })
        .collect()
}

/// No command ever gets a variable that holds a provider's key.
fn keep_keys_from_commands(env: &[String], built: &Built) -> Result<(), String> {
    for name in env {
        let holds_key = |source: &KeySource| *source == KeySource::Variable(name.clone());
        let holder = built
            .notes
            .iter()
            .find(|note| note.key.as_ref().is_some_and(holds_key));
        if let Some(holder) = holder {
            return Err(format!(
                "tools.env: {name} holds the key of provider {}, which commands never get; \
                 give them a variable of another name",
                holder.name
            ));
        }
    }
    Ok(())
}
