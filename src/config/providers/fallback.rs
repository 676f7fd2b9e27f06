//! Whom to ask instead of a provider that is overloaded: read from entries, and
//! chosen without a look at anything else.

use greenroom_protocol::session::{FailureKind, ModelChoice};

use super::Built;
use crate::config::nearest::hint;

/// Others for one provider at most: each is asked with its own retries.
const MOST: usize = 8;

/// Whom to ask instead, provider by provider.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Fallbacks(Vec<(String, Vec<ModelChoice>)>);

impl Fallbacks {
    /// Reads an entry's list, each `provider/model`, or `provider` for its
    /// configured model. Errors name the setting.
    pub(super) fn add(&mut self, name: &str, list: &[String], built: &Built) -> Result<(), String> {
        if list.len() > MOST {
            return Err(format!("fallback: at most {MOST} can be named"));
        }
        let mut choices: Vec<ModelChoice> = Vec::new();
        for text in list {
            let (provider, model) = text.split_once('/').unwrap_or((text, ""));
            let names = || built.providers.iter().map(|known| known.name.as_str());
            if !names().any(|known| known == provider) {
                let all: Vec<&str> = names().collect();
                let hint = hint(provider, names());
                let all = all.join(", ");
                return Err(format!(
                    "fallback: there is no provider {provider:?}{hint}; there are {all}; write provider/model"
                ));
            }
            let choice = ModelChoice {
                provider: provider.into(),
                model: model.trim().into(),
                effort: None,
            };
            if choices.contains(&choice) {
                return Err(format!("fallback: {text:?} stands there twice"));
            }
            if provider == name && choice.model.is_empty() {
                return Err(format!(
                    "fallback: {text:?} is the provider itself; name another, or another model of it"
                ));
            }
            choices.push(choice);
        }
        if !choices.is_empty() {
            self.0.push((name.to_owned(), choices));
        }
        Ok(())
    }

    /// Whom to ask next after a call failed: the first of the list of `wanted`'s
    /// provider that is neither `wanted` itself nor among those that were
    /// `tried`, with the effort that is wanted. Nothing when the failure is not
    /// one of capacity, or when nobody is left.
    pub fn next(
        &self,
        wanted: &ModelChoice,
        tried: &[ModelChoice],
        failure: FailureKind,
    ) -> Option<ModelChoice> {
        if failure != FailureKind::Overloaded {
            return None;
        }
        let (_, choices) = self.0.iter().find(|(name, _)| **name == *wanted.provider)?;
        let is_same = |one: &ModelChoice, other: &ModelChoice| {
            one.provider == other.provider && one.model == other.model
        };
        let is_left = |choice: &&ModelChoice| {
            !is_same(choice, wanted) && !tried.iter().any(|tried| is_same(choice, tried))
        };
        let choice = choices.iter().find(is_left)?;
        Some(ModelChoice {
            effort: wanted.effort,
            ..choice.clone()
        })
    }

    /// Whether nobody has anybody to fall back on.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use greenroom_protocol::session::Effort;

    use super::*;

    fn choice(provider: &str, model: &str, effort: Option<Effort>) -> ModelChoice {
        ModelChoice {
            provider: provider.into(),
            model: model.into(),
            effort,
        }
    }

    #[test]
    fn one_after_the_other_and_only_when_capacity_lacks() {
        let list = vec![choice("a", "small", None), choice("b", "", None)];
        let fallbacks = Fallbacks(vec![("a".into(), list)]);
        let wanted = choice("a", "big", Some(Effort::High));
        let next = |wanted: &ModelChoice, tried: &[ModelChoice], failure| {
            fallbacks.next(wanted, tried, failure)
        };
        let overloaded = FailureKind::Overloaded;
        let first = choice("a", "small", Some(Effort::High));
        let second = choice("b", "", Some(Effort::High));
        assert_eq!(next(&wanted, &[], overloaded), Some(first.clone()));
        let tried = [first.clone()];
        assert_eq!(next(&wanted, &tried, overloaded), Some(second.clone()));
        assert_eq!(
            next(&wanted, &[first.clone(), second.clone()], overloaded),
            None
        );
        assert_eq!(next(&first, &[], overloaded), Some(second));
        assert_eq!(next(&choice("b", "x", None), &[], overloaded), None);
        for failure in [
            FailureKind::RateLimited,
            FailureKind::Broken,
            FailureKind::Auth,
        ] {
            assert_eq!(next(&wanted, &[], failure), None);
        }
    }
}
