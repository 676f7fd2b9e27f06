//! Entries of the file and variables become providers.

use std::path::{Path, PathBuf};

use super::fallback::Fallbacks;
use super::rules::{check_name, checked_headers, is_variable_name};
use super::well_known::{WELL_KNOWN, WellKnown};
use super::{KeySource, Origin, ProviderNote, SCRIPTED, key, url};
use crate::config::Environment;
use crate::config::choice::Choice;
use crate::config::places::home;
use crate::config::raw::{RawProvider, Table};
use crate::provider::scripted::DEMO_NAME;
use crate::provider::{ProviderConfig, Wire};

/// All providers: those of the file, those of variables, the scripted one.
#[derive(Default)]
pub(in crate::config) struct Built {
    pub providers: Vec<ProviderConfig>,
    /// In the same order.
    pub notes: Vec<ProviderNote>,
    /// Whom to ask instead of one that is overloaded.
    pub fallbacks: Fallbacks,
}

/// Builds them. `script` is an absolute path, or the name of a script that is
/// compiled in; it takes the place of whatever the scripted provider would
/// play. Errors name the setting.
pub(in crate::config) fn build(
    entries: Table<RawProvider>,
    file: &Path,
    script: Option<&Path>,
    env: &Environment,
) -> Result<Built, String> {
    let mut built = Built::default();
    let mut fallbacks = Vec::new();
    for (name, mut entry) in entries.0 {
        fallbacks.push((name.clone(), entry.fallback.take().unwrap_or_default()));
        let in_entry = |reason: String| format!("providers.{name}: {reason}");
        let (provider, note) = from_entry(&name, entry, file, env).map_err(in_entry)?;
        built.add(provider, note);
    }
    for known in &WELL_KNOWN {
        if built.lacks(known.name) && known.is_available(env) {
            let (provider, note) = from_variables(known, env)?;
            built.add(provider, note);
        }
    }
    if built.lacks(SCRIPTED) {
        let (provider, note) = scripted(Origin::BuiltIn, String::new(), None);
        built.add(provider, note);
    }
    // They may name any provider, also one of a variable.
    let mut all = Fallbacks::default();
    for (name, list) in fallbacks {
        let in_entry = |reason: String| format!("providers.{name}: {reason}");
        all.add(&name, &list, &built).map_err(in_entry)?;
    }
    built.fallbacks = all;
    if let Some(script) = script {
        let is_scripted = |provider: &&mut ProviderConfig| provider.name == SCRIPTED;
        if let Some(provider) = built.providers.iter_mut().find(is_scripted) {
            provider.base_url = text_of(script)?;
        }
    }
    Ok(built)
}

impl Built {
    fn add(&mut self, provider: ProviderConfig, note: ProviderNote) {
        self.providers.push(provider);
        self.notes.push(note);
    }

    fn lacks(&self, name: &str) -> bool {
        self.providers.iter().all(|provider| provider.name != name)
    }
}

fn from_entry(
    name: &str,
    entry: RawProvider,
    file: &Path,
    env: &Environment,
) -> Result<(ProviderConfig, ProviderNote), String> {
    check_name(name)?;
    let wire = entry.wire.as_ref().map(|wire| wire.0);
    // What the name stands for, unless the entry makes something else of it.
    let known = WellKnown::named(name).filter(|known| wire.is_none_or(|wire| known.speaks(wire)));
    let wire = match (wire, known) {
        (Some(wire), _) => wire,
        (None, Some(known)) => known.wire,
        (None, None) if name == SCRIPTED => Wire::Scripted,
        (None, None) => {
            let wires = Wire::all().into_iter().map(|(name, _)| name);
            let wires: Vec<&str> = wires.collect();
            return Err(format!("wire is missing; there are {}", wires.join(", ")));
        }
    };
    if name == SCRIPTED && wire != Wire::Scripted {
        return Err("this name is kept for the provider of wire scripted".to_owned());
    }
    if wire == Wire::Scripted {
        return scripted_entry(name, entry, file, env);
    }
    let key_source = key_source(&entry, known, file, env)?;
    let base_url = match (&entry.base_url, known) {
        (Some(base_url), _) => {
            url::check(base_url).map_err(|reason| format!("base_url: {reason}"))?
        }
        (None, Some(known)) => known.address(env)?,
        (None, None) => {
            return Err("base_url is missing, such as http://127.0.0.1:8080/v1".to_owned());
        }
    };
    let model = match (entry.model, known) {
        (Some(model), _) => model.trim().to_owned(),
        (None, Some(known)) => known.model.to_owned(),
        (None, None) => String::new(),
    };
    let headers = checked_headers(entry.headers.unwrap_or_default())?;
    let (key, note) = keyed(name, Origin::File, key_source, &base_url, env);
    let provider = ProviderConfig {
        name: name.to_owned(),
        wire,
        base_url,
        key,
        model,
        headers,
    };
    Ok((provider, note))
}

fn from_variables(
    known: &WellKnown,
    env: &Environment,
) -> Result<(ProviderConfig, ProviderNote), String> {
    let base_url = known.address(env)?;
    let (key, note) = keyed(
        known.name,
        Origin::Environment,
        known.key(env),
        &base_url,
        env,
    );
    let provider = ProviderConfig {
        name: known.name.to_owned(),
        wire: known.wire,
        base_url,
        key,
        model: known.model.to_owned(),
        headers: Vec::new(),
    };
    Ok((provider, note))
}

fn scripted_entry(
    name: &str,
    entry: RawProvider,
    file: &Path,
    env: &Environment,
) -> Result<(ProviderConfig, ProviderNote), String> {
    if entry.key_env.is_some() || entry.key_file.is_some() || entry.headers.is_some() {
        return Err("a scripted provider takes no key and no headers".to_owned());
    }
    let script = match entry.base_url.as_deref() {
        None | Some("") => String::new(),
        Some(DEMO_NAME) => DEMO_NAME.to_owned(),
        Some(path) => text_of(&beside(file, path, env))?,
    };
    let (mut provider, mut note) = scripted(Origin::File, script, entry.model);
    provider.name = name.to_owned();
    note.name = name.to_owned();
    Ok((provider, note))
}

fn scripted(
    origin: Origin,
    script: String,
    model: Option<String>,
) -> (ProviderConfig, ProviderNote) {
    let provider = ProviderConfig {
        name: SCRIPTED.to_owned(),
        wire: Wire::Scripted,
        base_url: script,
        key: None,
        model: model.unwrap_or_else(|| SCRIPTED.to_owned()),
        headers: Vec::new(),
    };
    let note = ProviderNote {
        name: SCRIPTED.to_owned(),
        origin,
        key: None,
        problem: None,
    };
    (provider, note)
}

/// Reads the key and notes what should be mended.
fn keyed(
    name: &str,
    origin: Origin,
    source: Option<KeySource>,
    base_url: &str,
    env: &Environment,
) -> (Option<crate::secret::Secret>, ProviderNote) {
    let (key, mut problem) = match &source {
        Some(source) => {
            let read = key::read(source, env);
            (read.key, read.problem)
        }
        None => (None, None),
    };
    if key.is_some() && problem.is_none() && url::is_in_the_clear(base_url) {
        problem = Some(format!(
            "its key travels in the clear to {base_url}; use https"
        ));
    }
    let note = ProviderNote {
        name: name.to_owned(),
        origin,
        key: source,
        problem,
    };
    (key, note)
}

fn key_source(
    entry: &RawProvider,
    known: Option<&WellKnown>,
    file: &Path,
    env: &Environment,
) -> Result<Option<KeySource>, String> {
    match (&entry.key_env, &entry.key_file) {
        (Some(_), Some(_)) => Err("key_env and key_file exclude each other".to_owned()),
        (Some(name), None) if is_variable_name(name) => Ok(Some(KeySource::Variable(name.clone()))),
        // The value is not repeated: it is most likely the key itself.
        (Some(_), None) => Err(
            "key_env takes the name of an environment variable, such as OPENAI_API_KEY, \
             and never the key itself"
                .to_owned(),
        ),
        (None, Some(path)) => Ok(Some(KeySource::File(beside(file, path, env)))),
        // The usual key goes to the usual place only: an entry with an address
        // of its own names its key too.
        (None, None) if entry.base_url.is_some() => Ok(None),
        (None, None) => Ok(known.and_then(|known| known.key(env))),
    }
}

/// A path of the file: `~/…` is below the home folder, a relative one beside
/// the file.
fn beside(file: &Path, path: &str, env: &Environment) -> PathBuf {
    if let Some(rest) = path.strip_prefix("~/")
        && let Some(home) = home(env)
    {
        return home.join(rest);
    }
    file.parent().unwrap_or(Path::new("")).join(path)
}

fn text_of(path: &Path) -> Result<String, String> {
    match path.to_str() {
        Some(text) => Ok(text.to_owned()),
        None => Err(format!("{} is not UTF-8 text", path.display())),
    }
}
