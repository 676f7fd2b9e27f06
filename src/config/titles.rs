//! How sessions get their titles.

use greenroom_protocol::session::ModelChange;

use super::choice::{Choice, Named};
use super::modes::known_provider;
use super::raw::RawTitles;

/// Who makes a title.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TitledBy {
    /// The first words of the first prompt.
    Words,
    /// A model.
    Model,
}

impl Choice for TitledBy {
    const WHAT: &'static str = "way to title";
    fn all() -> Vec<(&'static str, TitledBy)> {
        vec![("words", TitledBy::Words), ("model", TitledBy::Model)]
    }
}

/// Whose model writes titles; nothing when none does.
pub(super) fn title_model<'a>(
    raw: RawTitles,
    providers: impl Iterator<Item = &'a str> + Clone,
) -> Result<Option<ModelChange>, String> {
    let by = raw.by.map_or(TitledBy::Words, |Named(by)| by);
    if let Some(provider) = &raw.provider {
        known_provider(provider, providers).map_err(|fault| format!("titles.{fault}"))?;
    }
    Ok((by == TitledBy::Model).then(|| ModelChange {
        provider: raw.provider.map(Into::into),
        model: raw.model.map(Into::into),
        effort: raw.effort.map(|effort| Some(effort.0)),
    }))
}
