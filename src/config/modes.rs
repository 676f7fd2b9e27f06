//! Modes of the configuration's own.

use std::collections::BTreeMap;

use greenroom_actors::modes::{ModeSpec, Modes};
use greenroom_protocol::session::{Mode, ModelChange, Text};

use super::nearest::hint;
use super::raw::RawMode;

/// The longest name of a mode.
const LONGEST_NAME: usize = 40;

/// Checks the modes of the file. `providers` are the configured ones.
pub(super) fn modes<'a>(
    raw: impl IntoIterator<Item = (String, RawMode)>,
    providers: impl Iterator<Item = &'a str> + Clone,
) -> Result<Modes, String> {
    let mut modes = BTreeMap::new();
    for (name, raw) in raw {
        check_name(&name)?;
        let spec = mode(raw, providers.clone()).map_err(|fault| format!("modes.{name}.{fault}"))?;
        modes.insert(Text::from(name), spec);
    }
    Ok(Modes::new(modes))
}

/// The mode of that name, or what is wrong and what there is. Flags use it too.
pub(crate) fn choose_mode(name: &str, modes: &Modes) -> Result<Mode, String> {
    let mode = Mode::named(name);
    if modes.knows(&mode) {
        return Ok(mode);
    }
    let shown: String = name.chars().take(LONGEST_NAME).collect();
    let names = modes.names();
    Err(format!(
        "unknown mode {shown:?}{}; there are {names}",
        hint(name, names.split(", "))
    ))
}

/// Refuses a provider that is not among these.
pub(super) fn known_provider<'a>(
    provider: &str,
    providers: impl Iterator<Item = &'a str> + Clone,
) -> Result<(), String> {
    if providers.clone().any(|name| name == provider) {
        return Ok(());
    }
    let known: Vec<&str> = providers.collect();
    Err(format!(
        "provider: there is no provider {provider:?}{}; there are {}",
        hint(provider, known.iter().copied()),
        known.join(", ")
    ))
}

fn check_name(name: &str) -> Result<(), String> {
    let is_plain = |mark: char| mark.is_ascii_lowercase() || mark.is_ascii_digit() || mark == '-';
    let is_name = !name.is_empty() && name.len() <= LONGEST_NAME && name.chars().all(is_plain);
    if !is_name {
        return Err(format!(
            "modes: {name:?} is no name of a mode: use up to {LONGEST_NAME} of a-z, 0-9 and -"
        ));
    }
    match Mode::named(name) {
        Mode::Custom(_) => Ok(()),
        _ => Err(format!("modes: {name} is built in: choose another name")),
    }
}

fn mode<'a>(
    raw: RawMode,
    providers: impl Iterator<Item = &'a str> + Clone,
) -> Result<ModeSpec, String> {
    let Some(base) = raw.based_on else {
        return Err(
            "based_on is missing: name the mode that it builds on (plan, ask, auto or full)".into(),
        );
    };
    if let Some(provider) = &raw.provider {
        known_provider(provider, providers)?;
    }
    if raw.tools.as_ref().is_some_and(Vec::is_empty) {
        return Err("tools names none: leave it out to offer all of them".into());
    }
    let tools = raw.tools.map(|names| names.into_iter().map(Text::from));
    Ok(ModeSpec {
        base: base.0,
        system: raw.system.map(|text| Text::from(text.trim())),
        tools: tools.map(Iterator::collect),
        model: ModelChange {
            provider: raw.provider.map(Text::from),
            model: raw.model.map(Text::from),
            effort: raw.effort.map(|effort| Some(effort.0)),
        },
    })
}
