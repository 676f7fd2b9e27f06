//! What was taken out.

/// Places by kind, in the order of their first appearance.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tally(Vec<(String, u64)>);

impl Tally {
    /// One more place.
    pub(super) fn count(&mut self, kind: &str) {
        match self.0.iter_mut().find(|(known, _)| known == kind) {
            Some((_, places)) => *places += 1,
            None => self.0.push((kind.to_owned(), 1)),
        }
    }

    /// A count and a kind each, as `2 anthropic key`.
    pub fn lines(&self) -> Vec<String> {
        let line = |(kind, places): &(String, u64)| format!("{places} {kind}");
        self.0.iter().map(line).collect()
    }
}
