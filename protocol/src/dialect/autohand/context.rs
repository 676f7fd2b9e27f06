//! How much of the model's context window is left.

use crate::session::{ModelChoice, SessionInfo, Usage};

/// What a connection knows of the context, from states and usage.
#[derive(Debug, Default)]
pub(super) struct Context {
    used: u64,
    window: Option<u64>,
    model: Option<ModelChoice>,
}

impl Context {
    pub(super) fn learn(&mut self, info: &SessionInfo) {
        self.used = info.context;
        self.window = info.context_window;
        self.model = Some(info.model.clone());
    }

    pub(super) fn count(&mut self, usage: &Usage) {
        self.used = usage.context();
    }

    pub(super) fn shrink_to(&mut self, used: u64) {
        self.used = used;
    }

    /// Another model has another window, which nobody told.
    pub(super) fn turn_uses(&mut self, model: &ModelChoice) {
        if self.model.as_ref() != Some(model) {
            self.model = Some(model.clone());
            self.window = None;
        }
    }

    /// Percent left, or nothing when the window is not known.
    pub(super) fn left(&self) -> Option<u64> {
        Some(percent_left(self.used, self.window?))
    }
}

/// Percent of the window that is left: 100 is empty, 0 is full. As the peer
/// counts, some room stays reserved for the answer.
pub(super) fn percent_left(used: u64, window: u64) -> u64 {
    let usable = window - (window / 4).min(16_000);
    if usable <= used {
        return 0;
    }
    let left = u128::from(usable - used);
    let usable = u128::from(usable);
    let percent = (left * 100 + usable / 2) / usable;
    percent as u64
}

#[cfg(test)]
mod tests {
    use super::percent_left;

    #[test]
    fn an_empty_context_is_all_left() {
        let cases = [
            ((0, 128_000), 100),
            ((16_800, 128_000), 85),
            ((56_000, 128_000), 50),
            ((111_999, 128_000), 0),
            ((112_000, 128_000), 0),
            ((u64::MAX, 128_000), 0),
            ((3_000, 8_000), 50),
            ((0, 0), 0),
            ((0, u64::MAX), 100),
        ];
        for ((used, window), left) in cases {
            assert_eq!(percent_left(used, window), left, "{used} of {window}");
        }
    }
}
