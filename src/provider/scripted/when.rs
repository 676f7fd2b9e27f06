//! The keys of `when`: which prompts a turn takes.

use std::fmt;
use std::num::NonZeroUsize;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};

use super::script::{When, folded};

/// A text (`contains`) or a map of conditions.
pub(super) enum WhenKeys {
    Contains(String),
    All(Conditions),
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Conditions {
    contains: Option<String>,
    is: Option<String>,
    prompt: Option<NonZeroUsize>,
    any: Option<Yes>,
}

/// `any: true` says nothing more than that the map is not empty by mistake.
pub(super) struct Yes;

impl<'de> Deserialize<'de> for Yes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Yes, D::Error> {
        if bool::deserialize(deserializer)? {
            return Ok(Yes);
        }
        Err(serde::de::Error::custom(
            "`any` can only be true: leave it out instead",
        ))
    }
}

impl<'de> Deserialize<'de> for WhenKeys {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<WhenKeys, D::Error> {
        struct Reader;

        impl<'de> Visitor<'de> for Reader {
            type Value = WhenKeys;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a text that the prompt contains, or a map such as {is: \"…\"}")
            }

            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<WhenKeys, E> {
                if text.trim().is_empty() {
                    return Err(E::custom(
                        "`when` is empty: write {any: true} to take every prompt",
                    ));
                }
                Ok(WhenKeys::Contains(text.to_owned()))
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<WhenKeys, A::Error> {
                let all = Conditions::deserialize(MapAccessDeserializer::new(map))?;
                if all.contains.is_none()
                    && all.is.is_none()
                    && all.prompt.is_none()
                    && all.any.is_none()
                {
                    return Err(serde::de::Error::custom(
                        "`when` has no condition: write {any: true} to take every prompt",
                    ));
                }
                Ok(WhenKeys::All(all))
            }
        }

        deserializer.deserialize_any(Reader)
    }
}

impl From<WhenKeys> for When {
    fn from(raw: WhenKeys) -> When {
        match raw {
            WhenKeys::Contains(text) => When {
                contains: Some(folded(&text)),
                ..When::default()
            },
            WhenKeys::All(all) => When {
                contains: all.contains.as_deref().map(folded),
                is: all.is.as_deref().map(folded),
                prompt: all.prompt.map(NonZeroUsize::get),
            },
        }
    }
}
