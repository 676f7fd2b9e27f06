//! Patterns of names: tools, agents, `server/tool`.

/// A name with `*` (any text) and `?` (one character).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamePattern {
    text: String,
    folded: String,
}

impl NamePattern {
    /// The pattern of that text.
    pub fn new(text: &str) -> NamePattern {
        NamePattern {
            text: text.to_owned(),
            folded: text.to_lowercase(),
        }
    }

    /// Whether a name fits, in any case.
    pub fn loose(&self, name: &str) -> bool {
        // Lower case may have other lengths, which `?` would notice.
        fits(&self.folded, &name.to_lowercase()) || self.strict(name)
    }

    /// Whether a name fits to the letter.
    pub fn strict(&self, name: &str) -> bool {
        fits(&self.text, name)
    }
}

/// Whether a text fits a pattern with `*` and `?`. Keeps the last star to come
/// back to, so the time is bounded by the product of the lengths.
pub(super) fn fits(pattern: &str, text: &str) -> bool {
    let (mut pattern, mut text) = (pattern.chars(), text.chars());
    let mut back = None;
    loop {
        let mut behind = pattern.clone();
        match (behind.next(), text.clone().next()) {
            (None, None) => return true,
            (Some('*'), _) => {
                pattern = behind;
                back = Some((pattern.clone(), text.clone()));
                continue;
            }
            (Some(wanted), Some(found)) if wanted == '?' || wanted == found => {
                pattern = behind;
                text.next();
                continue;
            }
            _ => {}
        }
        let Some((after_star, mut from)) = back.take() else {
            return false;
        };
        if from.next().is_none() {
            return false;
        }
        pattern = after_star.clone();
        text = from.clone();
        back = Some((after_star, from));
    }
}
