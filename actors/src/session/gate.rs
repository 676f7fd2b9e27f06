//! Record before telling: holds back what depends on records that are not yet
//! durable, in order.

use std::collections::VecDeque;

/// Things that wait for the journal. Records are numbered from 1.
#[derive(Debug)]
pub(super) struct Gate<T> {
    sent: u64,
    /// The last record that anything waits for.
    awaited: u64,
    durable: u64,
    waiting: VecDeque<(u64, T)>,
}

impl<T> Gate<T> {
    pub fn new() -> Gate<T> {
        Gate {
            sent: 0,
            awaited: 0,
            durable: 0,
            waiting: VecDeque::new(),
        }
    }

    /// So many more records go to the journal, together. What passes from now
    /// on waits for them, also what stands before them in one list of effects:
    /// an answer waits for the records of its own command.
    pub fn record(&mut self, count: usize) -> u64 {
        self.sent += count as u64;
        self.awaited = self.sent;
        self.sent
    }

    /// As [`Gate::record`], for records that nobody is told of: nothing waits
    /// for them.
    pub fn record_aside(&mut self, count: usize) -> u64 {
        self.sent += count as u64;
        self.sent
    }

    /// Takes something that depends on all records so far, but for those aside.
    /// Gives it back when they are durable and nothing waits before it.
    pub fn pass(&mut self, thing: T) -> Option<T> {
        if self.awaited <= self.durable && self.waiting.is_empty() {
            return Some(thing);
        }
        self.waiting.push_back((self.awaited, thing));
        None
    }

    /// All records up to this number are durable. What waited for them follows
    /// from [`Gate::next`].
    pub fn durable(&mut self, number: u64) {
        self.durable = self.durable.max(number);
    }

    /// The next thing that waits no more.
    pub fn next(&mut self) -> Option<T> {
        let (needs, _) = self.waiting.front()?;
        if *needs > self.durable {
            return None;
        }
        self.waiting.pop_front().map(|(_, thing)| thing)
    }

    /// Records failed: everything that waits comes back, and what was sent is
    /// forgotten.
    pub fn fail(&mut self) -> Vec<T> {
        self.durable = self.sent;
        self.waiting.drain(..).map(|(_, thing)| thing).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_passes_before_its_records() {
        let mut gate = Gate::new();
        assert_eq!(gate.pass("free"), Some("free"));
        let first = gate.record(1);
        assert_eq!(gate.pass("after one"), None);
        let second = gate.record(2);
        assert_eq!(gate.pass("after two"), None);
        assert_eq!(gate.next(), None);
        gate.durable(first);
        assert_eq!(gate.next(), Some("after one"));
        assert_eq!(gate.next(), None);
        gate.durable(second);
        assert_eq!(gate.pass("late"), None, "order holds while something waits");
        assert_eq!(gate.next(), Some("after two"));
        assert_eq!(gate.next(), Some("late"));
        assert_eq!(gate.pass("free again"), Some("free again"));
    }

    #[test]
    fn nothing_waits_for_what_is_recorded_aside() {
        let mut gate = Gate::new();
        gate.record_aside(1);
        assert_eq!(gate.pass("free"), Some("free"));
        let told = gate.record(1);
        assert_eq!(gate.pass("after two"), None);
        gate.record_aside(1);
        assert_eq!(gate.pass("behind it"), None, "order holds");
        gate.durable(told);
        assert_eq!(gate.next(), Some("after two"));
        assert_eq!(gate.next(), Some("behind it"));
        assert_eq!(gate.pass("free again"), Some("free again"));
        gate.record_aside(1);
        assert_eq!(gate.fail(), Vec::<&str>::new());
    }
}
