//! Steers and follow-ups: each is delivered once, in order, or dropped by an
//! abort.

use std::collections::VecDeque;

use super::must;

/// The texts that wait.
#[derive(Debug, Default)]
pub struct Queue {
    pub steers: VecDeque<String>,
    pub follow_ups: VecDeque<String>,
}

impl Queue {
    pub fn clear(&mut self) {
        self.steers.clear();
        self.follow_ups.clear();
    }

    pub fn is_empty(&self) -> bool {
        self.steers.is_empty() && self.follow_ups.is_empty()
    }

    /// A queued message is delivered.
    pub fn delivered(&mut self, source: &str, text: &str) -> Result<(), String> {
        let queue = match source {
            "steer" => &mut self.steers,
            _ => &mut self.follow_ups,
        };
        let first = queue.pop_front();
        must(first.as_deref() == Some(text), || {
            format!("a {source} {text:?} is delivered where {first:?} waits")
        })
    }
}
